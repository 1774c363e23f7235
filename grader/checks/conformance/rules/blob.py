"""The blob of an IPluginV2DynamicExt: its size, what comes back from it, and bad ones."""

from __future__ import annotations

from collections.abc import Iterator

from grader.checks.base import Finding, failed, passed
from grader.checks.conformance.bench import Bench
from grader.checks.conformance.kept import difference, kept, kept_now, rebuild
from grader.checks.conformance.rule import rule
from grader.plugin import life
from grader.plugin.objects import PluginV2

_V2 = "NvInferRuntimePlugin.h 10.14, IPluginV2"
_EACH = 64  # lengths and bytes that are tried one by one
_MOST_BYTES = 64 << 20  # of all of them together


@rule(
    "blob-size", group="serialization", family="V2",
    sentence="serialize() writes exactly as many bytes as getSerializationSize() says, at each call.",
    belief="A size that is about right leaves enough room.",
    source=f"{_V2}::getSerializationSize and serialize; PaddlePaddle/Paddle#22152",
)  # fmt: skip
def blob_size(bench: Bench, rng) -> Finding:
    plugin = bench.plugin()
    if bench.spec.tensors:
        life.build(plugin, bench.spec)
    size, data, touched = plugin.serialize(0xA5)
    again, other, touched_again = plugin.serialize(0x3C)
    if data is None or other is None:
        return failed(f"getSerializationSize() says {size} bytes, more than any plugin's state.")
    if size != again:
        return failed(f"getSerializationSize() says {size} bytes and then {again}.")
    if beyond := max(touched, touched_again):
        return failed(
            f"serialize() writes {beyond} bytes or more past the {size} that getSerializationSize() says: it damages "
            f"memory of TensorRT. Count every value that is written."
        )
    if unwritten := _unwritten(data, other):
        return failed(
            f"getSerializationSize() says {size} bytes, and serialize() leaves the last {unwritten} unwritten: a plan "
            f"would hold whatever lay there."
        )
    return passed()


def _unwritten(first: bytes, second: bytes) -> int:
    """How many bytes at the end hold what was there before, in both."""
    count = 0
    for one, two in zip(reversed(first), reversed(second), strict=True):
        if (one, two) != (0xA5, 0x3C):
            break
        count += 1
    return count


@rule(
    "blob-round-trip", group="serialization", family="V2", needs=("serialize-lifetime", "serialize-complete"),
    sentence="A plugin that is deserialized serializes the same bytes again, twice round.",
    belief="deserializePlugin() only has to make a plugin that runs.",
    source=f"{_V2}::serialize and IPluginCreator::deserializePlugin; NVIDIA/TensorRT#432, onnx/onnx-tensorrt#9",
)  # fmt: skip
def blob_round_trip(bench: Bench, rng) -> Finding:
    plugin = bench.plugin()
    found = kept(bench, plugin)
    for turn in ("", " a second time"):
        plugin = rebuild(bench, plugin, found)
        if (again := kept_now(plugin)) != found:
            return failed(f"Deserialized{turn}, the plugin serializes something else: {difference(found, again)}.")
    return passed()


@rule(
    "blob-refuses", group="serialization", family="V2", needs=("blob-size", "blob-round-trip"),
    sentence="deserializePlugin() returns null for a blob of another length, and survives any damaged one.",
    belief="The bytes come from serialize(), so they are as they should be.",
    source="Recommended: no document asks for it, but serialLength (NvInferRuntimePlugin.h 10.14, "
    "IPluginCreator::deserializePlugin) is all that tells a plan of another version of the plugin; "
    "NVIDIA/TensorRT#3898 (plans of other versions)",
)  # fmt: skip
def blob_refuses(bench: Bench, rng) -> Finding:
    """A damaged byte may be a legal value where there is no checksum: such a plugin must only stay usable."""
    plugin = bench.plugin()
    blob = kept(bench, plugin).blob or b""
    creator_session = bench.fresh()
    creator = life.find_creator(creator_session, bench.spec)
    made = creator_session.deserialize(creator, None)
    if made is not None and blob:
        return failed("deserializePlugin() makes a plugin of a null pointer and length 0: compare the length first.")
    for what, bad in _of_other_lengths(blob):
        if creator_session.deserialize(creator, bad) is not None:
            return failed(
                f"deserializePlugin() takes {what}, {len(bad)} bytes where serialize() writes {len(blob)}: return null "
                f"where serialLength is not what you read."
            )
    for bad in _damaged(blob):
        _use(creator_session.deserialize(creator, bad))
    return passed()


def _each(blob: bytes) -> int:
    """How many of each kind are tried: fewer of a plugin that keeps its weights in the blob."""
    return max(2, min(_EACH, _MOST_BYTES // (len(blob) + 1)))


def _of_other_lengths(blob: bytes) -> Iterator[tuple[str, bytes]]:
    """Every shorter one up to a length, some after; longer ones."""
    each = _each(blob)
    lengths = {*range(min(len(blob), each)), *range(each, len(blob), max(1, len(blob) // each)), len(blob) - 1}
    for length in sorted(lengths - {-1}):
        yield "a blob that is cut off", blob[:length]
    if blob:
        for more in (1, 4, 64):
            yield "a longer blob", blob + bytes(more)


def _damaged(blob: bytes) -> Iterator[bytes]:
    """One byte changed: each of the first ones, some after."""
    each = _each(blob)
    for at in {*range(min(len(blob), each)), *range(each, len(blob), max(1, len(blob) // min(16, each)))}:
        for change in (0x01, 0x80, 0xFF):
            yield blob[:at] + bytes([blob[at] ^ change]) + blob[at + 1 :]


def _use(plugin: PluginV2 | None) -> None:
    if plugin is not None:
        plugin.clone()
        plugin.serialize()
        plugin.end()
