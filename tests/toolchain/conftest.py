import pytest

from grader.toolchain import cache_folder


@pytest.fixture(scope="session")
def _cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache")
    if (kept := cache_folder() / "tensorrt").is_dir():  # the headers, which are fetched once for this user
        (folder / "tensorrt").symlink_to(kept)
    return folder


@pytest.fixture(autouse=True)
def cache(_cache, monkeypatch):
    """A cache of the tests' own, shared between them."""
    monkeypatch.setenv("GRADER_CACHE", str(_cache))
    return _cache
