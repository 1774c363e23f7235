"""Bits of a register as people read them."""

from __future__ import annotations

import struct

_FLOATS = {"f32": ("<I", "<f"), "f64": ("<Q", "<d"), "f16": ("<H", "<e")}
_BITS = {"8": 8, "16": 16, "32": 32, "64": 64}


def shown(bits: int, kind: str) -> str:
    """A value of a PTX type: "0.5", "-3", "true", "0x7f00…" for what looks like an address."""
    if kind == "pred":
        return "true" if bits else "false"
    if kind in _FLOATS:
        whole, real = _FLOATS[kind]
        return _real(struct.unpack(real, (bits & ((1 << 8 * struct.calcsize(whole)) - 1)).to_bytes(
            struct.calcsize(whole), "little"))[0])  # fmt: skip
    if kind == "bf16":
        return _real(struct.unpack("<f", ((bits & 0xFFFF) << 16).to_bytes(4, "little"))[0])
    if kind in ("f16x2", "bf16x2"):
        half = kind.removesuffix("x2")
        return f"{shown(bits & 0xFFFF, half)}, {shown(bits >> 16 & 0xFFFF, half)}"
    width = _BITS.get(kind[1:], 64)
    bits &= (1 << width) - 1
    signed = bits - (1 << width) if kind[:1] in ("s", "b") and bits >> (width - 1) else bits
    if abs(signed) >= 1 << 40 or (kind[:1] == "b" and abs(signed) > 99_999):
        return f"{bits:#x}"
    return str(signed)


def _real(value: float) -> str:
    text = f"{value:.5g}"
    return text.replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")


def lane_list(mask: int) -> str:
    """The lanes of a mask in words: "all 32 lanes", "lanes 0-3 and 8", "no lane"."""
    runs: list[list[int]] = []
    for lane in range(32):
        if mask >> lane & 1:
            if runs and runs[-1][1] == lane - 1:
                runs[-1][1] = lane
            else:
                runs.append([lane, lane])
    if not runs:
        return "no lane"
    if mask == 0xFFFFFFFF:
        return "all 32 lanes"
    if len(runs) == 16 and mask in (0x55555555, 0xAAAAAAAA):
        return "the even lanes" if mask & 1 else "the odd lanes"
    if len(runs) > 4:
        lanes = [lane for lane in range(32) if mask >> lane & 1]
        step = lanes[1] - lanes[0]
        if lanes == list(range(lanes[0], lanes[-1] + 1, step)):
            return f"lanes {lanes[0]}, {lanes[1]}, {lanes[2]}, … {lanes[-1]}"
        return f"{len(lanes)} lanes"
    parts = [str(a) if a == b else f"{a}-{b}" for a, b in runs]
    words = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
    return f"lane{'s' if mask & (mask - 1) else ''} {words}"
