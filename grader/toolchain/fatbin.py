"""Reads fat binaries: what nvcc puts into a library so that the CUDA runtime finds device code in it.

A fat binary is a header of 16 bytes (magic, version, header bytes, bytes that follow) and entries one after the
other; an entry is a header and a payload. The layout is not documented. It is read here as nvcc 13.0.88 writes it,
observed for every ``--compress-mode``:

=========================  ==================================================
mode                       PTX (a cubin is small here and stays as it is)
=========================  ==================================================
``none``                   text, filled up with zero bytes
``speed``                  one LZ4 block without a frame
``size``, ``balance``      one Zstandard frame
not given (``default``)    as ``balance``
=========================  ==================================================

Nothing here loads or runs what it reads, and nothing is believed: a length that leads outside, a text that does not
decompress, or one larger than ``MAX_TEXT`` is a ``FatbinError``.
"""

from __future__ import annotations

import posixpath
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

MAX_TEXT = 64 << 20  # bytes of one decompressed entry
REBUILD = "-gencode arch=compute_80,code=compute_80"  # nvcc's option that puts the PTX wanted here into a library
REBUILD_BEGINS = "Rebuild with nvcc's"  # the sentence of a FatbinError that says what to do

_MAGIC = 0xBA55ED50
_HEADER = struct.Struct("<IHHQ")  # magic, version, header bytes, bytes of all entries
# kind, version, header bytes, payload bytes; compressed bytes, where the options lie, minor and major of the PTX ISA,
# architecture; place and length of the source's name; flags, always 0, bytes when decompressed
_ENTRY = struct.Struct("<HHIQIIHHIIIQQQ")
_KINDS = {1: "ptx", 2: "cubin", 8: "lto"}
_FILE = re.compile(r'^(\.file\s+\d+ ")([^"\n]+)', re.M)
_LZ4, _ZSTD = 0x2000, 0x8000
_SPECIFIC, _FAMILY = 0x100000, 0x200000  # compute_90a, compute_100f


class FatbinError(Exception):
    """One plain sentence: why there is no PTX for this GPU in it, and what to do."""


@dataclass(frozen=True)
class Entry:
    """Device code for one architecture. ``payload`` is as it lies in the file, perhaps compressed."""

    kind: str  # "ptx", "cubin" (machine code, SASS), "lto" (for the linker), or "kind 5"
    arch: int  # 80
    suffix: str  # "a", "f": runs on this architecture, on this family only; else ""
    compression: str  # "none", "lz4", "zstd"
    payload: bytes
    size: int  # bytes when decompressed

    @property
    def target(self) -> str:
        """As nvcc's ``code=`` names it: "compute_80", "sm_90a", "lto_80"."""
        prefix = {"ptx": "compute", "cubin": "sm"}.get(self.kind, "lto")
        return f"{prefix}_{self.arch}{self.suffix}"


def images(section: bytes) -> Iterator[bytes]:
    """The fat binaries in a library's section, one for each source file, in their order."""
    position = 0
    while (position := section.find(_MAGIC.to_bytes(4, "little"), position)) >= 0:
        try:
            size = _size(section[position : position + _HEADER.size], len(section) - position)
        except FatbinError:
            position += 4
            continue
        yield section[position : position + size]
        position += size


def entries(image: bytes) -> list[Entry]:
    """All entries of one fat binary, which ``image`` begins with. Raises ``FatbinError``."""
    end = _size(image, len(image))
    position, found = _HEADER.unpack_from(image)[2], []
    while position < end:
        if end - position < _ENTRY.size:
            raise FatbinError(_DAMAGED)
        facts = _ENTRY.unpack_from(image, position)
        number, _, header, payload, compressed, _, _, _, arch, _, _, flags, _, size = facts
        start = position + header
        if header < _ENTRY.size or start + payload > end or compressed > payload:
            raise FatbinError(_DAMAGED)
        compression = "zstd" if flags & _ZSTD else "lz4" if flags & _LZ4 else "none"
        length = compressed if compression != "none" else payload
        suffix = "a" if flags & _SPECIFIC else "f" if flags & _FAMILY else ""
        content = image[start : start + length]
        kind = _KINDS.get(number, f"kind {number}")
        found.append(Entry(kind, arch, suffix, compression, content, size if compression != "none" else payload))
        position = start + payload
    return found


def text(entry: Entry) -> str:
    """The PTX of an entry, the names of its source files without ``./``. Raises ``FatbinError``."""
    if entry.kind != "ptx":
        raise FatbinError(f"{entry.target} is no PTX.")
    if entry.size > MAX_TEXT:
        raise FatbinError(f"The PTX for {entry.target} is larger than {MAX_TEXT >> 20} MB: split the kernels.")
    data = entry.payload
    if entry.compression == "lz4":
        data = unpack_lz4(data, entry.size)
    elif entry.compression == "zstd":
        data = _unpack_zstd(data, entry.size)
    try:
        return _FILE.sub(lambda found: found[1] + posixpath.normpath(found[2]), data.rstrip(b"\0").decode())
    except UnicodeDecodeError:
        raise FatbinError(f"The PTX for {entry.target} is no text. {_AGAIN}") from None


def ptx_of(image: bytes, capability: int = 80) -> str:
    """The PTX that a driver would compile for a GPU of this compute capability (80 for 8.0): the newest of those
    that it can run. Raises ``FatbinError`` with the option to rebuild with where there is none."""
    found = entries(image)
    if not found:
        raise FatbinError(f"This part of the library holds no device code. {_rebuild(capability)}")
    usable = [entry for entry in found if entry.kind == "ptx" and runs_on(entry, capability)]
    if usable:
        return text(max(usable, key=lambda entry: entry.arch))
    held = ", ".join(dict.fromkeys(entry.target for entry in found))
    gpu = f"the simulated GPU has compute capability {capability // 10}.{capability % 10}"
    if any(entry.kind == "ptx" for entry in found):
        raise FatbinError(f"The PTX in the library is for newer or other GPUs ({held}); {gpu}. {_rebuild(capability)}")
    raise FatbinError(f"The library holds machine code only ({held}), no PTX. {_rebuild(capability)}")


def runs_on(entry: Entry, capability: int) -> bool:
    """PTX for a ``compute_XY`` runs on that GPU and every later one; with a suffix only on its own kind (CUDA
    Programming Guide 13.0, "Compute Capabilities": architecture- and family-specific features)."""
    if entry.suffix == "a":
        return entry.arch == capability
    if entry.suffix == "f":
        return entry.arch <= capability and entry.arch // 10 == capability // 10
    return entry.arch <= capability


def unpack_lz4(data: bytes, size: int) -> bytes:
    """One LZ4 block, as ``lz4_Block_format`` of the LZ4 project describes it; ``size``: bytes that it must give."""
    out, position = bytearray(), 0

    def length(code: int) -> int:
        nonlocal position
        if code < 15:
            return code
        total, more = code, 255
        while more == 255:
            more = data[position]
            position += 1
            total += more
        return total

    try:
        while position < len(data):
            token = data[position]
            position += 1
            literals = length(token >> 4)
            if position + literals > len(data) or len(out) + literals > size:
                raise FatbinError(_DAMAGED)
            out += data[position : position + literals]
            position += literals
            if position == len(data):
                break  # the last sequence ends after its literals
            offset = int.from_bytes(data[position : position + 2], "little")
            position += 2
            count = length(token & 15) + 4
            if not 0 < offset <= len(out) or len(out) + count > size:
                raise FatbinError(_DAMAGED)
            start = len(out) - offset
            piece = out[start : start + count]  # shorter than count where the match repeats itself
            out += (piece * (count // len(piece) + 1))[:count]
    except IndexError:
        raise FatbinError(_DAMAGED) from None
    if len(out) != size:
        raise FatbinError(_DAMAGED)
    return bytes(out)


def _unpack_zstd(data: bytes, size: int) -> bytes:
    try:
        import zstandard
    except ImportError:
        raise FatbinError("The device code is compressed: rebuild with nvcc's --compress-mode=none.") from None
    try:
        with zstandard.ZstdDecompressor().stream_reader(data) as reader:
            unpacked = reader.read(size + 1)
    except zstandard.ZstdError:
        raise FatbinError(_DAMAGED) from None
    if len(unpacked) != size:
        raise FatbinError(_DAMAGED)
    return unpacked


def _size(image: bytes, available: int) -> int:
    """Bytes of the fat binary that ``image`` begins with."""
    if len(image) < _HEADER.size:
        raise FatbinError(_DAMAGED)
    magic, version, header, rest = _HEADER.unpack_from(image)
    if magic != _MAGIC or header < _HEADER.size or header + rest > available:
        raise FatbinError(_DAMAGED)
    if version != 1:
        raise FatbinError(f"The device code is kept in a form of version {version}, which is not known here. {_AGAIN}")
    return header + rest


def _rebuild(capability: int) -> str:
    return f"{REBUILD_BEGINS} {REBUILD.replace('80', str(capability))} and load the library again."


_AGAIN = "Build the library anew with the nvcc of CUDA 13.0."
_DAMAGED = f"The device code in the library is damaged. {_AGAIN}"
