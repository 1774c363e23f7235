import pytest


@pytest.fixture(scope="session")
def _cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def cache(_cache, monkeypatch):
    """A cache of the tests' own, shared between them."""
    monkeypatch.setenv("GRADER_CACHE", str(_cache))
    return _cache
