import os

from grader.toolchain.cache import Cache, cache_folder, key_of

KEY = key_of("a", {"b": b"c"})


def test_the_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("GRADER_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "tensorrt-plugin-course"
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "x"))
    assert cache_folder() == tmp_path / "x"


def test_a_key_follows_its_parts():
    keys = [
        key_of(*parts) for parts in ([], [1], ["1"], [b"1"], [[1]], [{"a": 1}], [{"a": b"1"}], [1, 2], [2, 1])
    ]
    assert len(set(keys)) == len(keys)
    assert key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1})


def test_what_was_put_is_got():
    cache = Cache("roundtrip")
    assert cache.get(KEY) is None
    cache.put(KEY, {"log": "é"}, b"\n\0blob\n")
    assert cache.get(KEY) == ({"log": "é"}, b"\n\0blob\n")
    assert [path.name for path in cache.folder.iterdir()] == [f"{KEY}.entry"]  # nothing half-written stays


def test_damage_is_found_and_removed():
    cache = Cache("damage")
    cache.put(KEY, {"n": 1}, b"blob")
    path = cache.folder / f"{KEY}.entry"
    good = path.read_bytes()
    damaged = [
        good[:-1],
        good + b"x",
        good.replace(b"blob", b"blub"),
        good.replace(b'"n": 1', b'"n": 2'),
        b"",
        b"{}\n",
        b"[]\n",
        b"\xff",
        good.replace(KEY.encode(), b"0" * 64),
    ]
    for data in damaged:
        path.write_bytes(data)
        assert cache.get(KEY) is None and not path.exists()
    path.write_bytes(good)
    assert cache.get(KEY) == ({"n": 1}, b"blob")


def test_an_executable_is_verified():
    cache = Cache("executables")
    path = cache.executable(KEY, b"#!/bin/sh\n")
    assert os.access(path, os.X_OK)
    path.write_bytes(b"something else")
    assert cache.executable(KEY, b"#!/bin/sh\n").read_bytes() == b"#!/bin/sh\n"


def test_the_longest_unused_go_first():
    cache = Cache("small", max_bytes=3500)
    keys = [key_of(number) for number in range(5)]
    for age, key in enumerate(keys):
        cache.put(key, {}, bytes(800))
        os.utime(cache.folder / f"{key}.entry", (1000 + age, 1000 + age))
    assert cache.get(keys[0])  # used just now
    cache.prune()
    assert [cache.get(key) is not None for key in keys] == [True, False, False, True, True]


def test_a_cache_that_cannot_be_written_is_no_error(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "file"))
    cache = Cache("kernels")
    cache.put(KEY, {}, b"")
    assert cache.get(KEY) is None
