"""How long a call of the plugin may take: less each time that one has hung."""

from __future__ import annotations

from collections import Counter

_AFTER_ONE, _AFTER_MORE = 2.0, 0.5  # seconds


class Patience:
    """Shared by the plugin processes of one run: a method that hangs in every rule costs one whole limit, not fifty."""

    def __init__(self) -> None:
        self._hung: Counter[str] = Counter()

    def seconds(self, method: str, limit: float) -> float:
        times = self._hung[method]
        return limit if times == 0 else min(limit, _AFTER_ONE if times == 1 else _AFTER_MORE)

    def lost(self, method: str) -> None:
        """A call of it did not return in time."""
        self._hung[method] += 1
