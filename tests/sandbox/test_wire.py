import socket
import struct
import threading

import pytest

from grader.sandbox import Channel, WireError


@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def _received(ends, data: bytes):
    ours, theirs = ends
    theirs.sendall(data)
    theirs.close()
    return Channel(ours).receive()


def test_a_frame_comes_through(ends):
    ours, theirs = ends
    sender = threading.Thread(target=Channel(theirs).send, args=({"a": [1, None, "ü"]}, bytes(5 << 20)))
    sender.start()
    header, payload = Channel(ours).receive()
    sender.join()
    assert header == {"a": [1, None, "ü"]} and payload == bytes(5 << 20)


def test_any_buffer_can_be_sent(ends):
    import array

    ours, theirs = ends
    Channel(theirs).send({}, array.array("d", [1.0, 2.0]))
    assert Channel(ours).receive() == ({}, struct.pack("<dd", 1.0, 2.0))


def test_the_end_is_none(ends):
    assert _received(ends, b"") is None


@pytest.mark.parametrize(
    "data",
    [
        b"\1",
        struct.pack("<QQ", 2, 0),
        struct.pack("<QQ", 2, 0) + b"[]",
        struct.pack("<QQ", 1, 0) + b"1",
        struct.pack("<QQ", 4, 0) + b"null",
        struct.pack("<QQ", 0, 0),
        struct.pack("<QQ", 2, 0) + b"{\xff",
        struct.pack("<QQ", 2, 3) + b"{}ab",
        struct.pack("<QQ", 2, 1 << 40) + b"{}",
        struct.pack("<QQ", 1 << 63, 0),
        struct.pack("<QQ", 100_000, 0) + b"[" * 100_000,
    ],
)
def test_what_is_no_frame_is_a_wire_error(ends, data):
    with pytest.raises(WireError):
        _received(ends, data)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "[1, {\"a\": 1e400}]"])
def test_a_number_that_is_not_finite_is_a_wire_error(ends, number):
    text = f'{{"value": {number}}}'.encode()
    with pytest.raises(WireError, match="finite"):
        _received(ends, struct.pack("<QQ", len(text), 0) + text)


def test_a_number_of_many_digits_is_a_wire_error(ends):
    text = b'{"value": ' + b"9" * 10_000 + b"}"
    with pytest.raises(WireError):
        _received(ends, struct.pack("<QQ", len(text), 0) + text)


def test_text_that_arrives_can_be_printed(ends):
    text = b'{"\\udc80": ["\\ud800x", {"a": "\\u001b[2J\\u0000\x7f\xc2\x9b"}], "kept": "\\t\\n\\u00fc \\ud83d\\ude00"}'
    header, _ = _received(ends, struct.pack("<QQ", len(text), 0) + text)
    gap = "\ufffd"
    assert header == {gap: [gap + "x", {"a": f"{gap}[2J{gap * 3}"}], "kept": "\t\n\xfc \U0001f600"}
    str(header).encode()


def test_memory_is_not_taken_for_a_claimed_length(ends):
    import tracemalloc

    tracemalloc.start()
    with pytest.raises(WireError):
        _received(ends, struct.pack("<QQ", 2, 3 << 30) + b"{}")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20


def test_a_frame_too_long_is_not_sent(ends, monkeypatch):
    monkeypatch.setattr("grader.sandbox.wire.MAX_PAYLOAD", 10)
    with pytest.raises(WireError, match="too long"):
        Channel(ends[0]).send({}, bytes(11))
