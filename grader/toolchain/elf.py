"""Reads what a shared library says about itself, without loading it: loading would run its constructors.

Nothing in the file is believed: whatever is damaged in it ends in ``ElfError``.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

MAX_BYTES = 4 << 30  # of a file that is read at all
_MAX_PARTS = {"sections": 10_000, "segments": 1_000, "tags": 10_000, "versions": 10_000, "symbols": 1_000_000}

_FORMATS = (
    (b"!<arch>\n", "a static library (.a)"),
    (b"#!", "a script"),
    (b"MZ", "a Windows library"),
    (b"\xcf\xfa\xed\xfe", "a macOS library"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself"),
)
_KINDS = {"ET_DYN": "shared", "ET_EXEC": "program", "ET_REL": "object"}
_MACHINES = {"EM_X86_64": "x86_64", "EM_AARCH64": "aarch64", "EM_386": "i386", "EM_ARM": "arm", "EM_PPC64": "ppc64le"}


class ElfError(Exception):
    """One plain sentence: why this is no library that can be read."""


@dataclass(frozen=True)
class Symbol:
    """A symbol that the library takes from others."""

    name: str
    version: str = ""  # "GLIBC_2.34"; "" where it is looked for in every library
    library: str = ""  # which the version belongs to: "libc.so.6"
    weak: bool = False  # may stay open


@dataclass(frozen=True)
class Elf:
    """What a file says about itself."""

    machine: str  # "x86_64", as platform.machine() has it
    bits: int
    kind: str  # "shared", "program", "object"
    soname: str
    needed: tuple[str, ...]  # in their order
    exports: frozenset[str]
    undefined: tuple[Symbol, ...]
    compilers: tuple[str, ...]  # "GCC: (Debian 12.2.0-14) 12.2.0"
    fatbins: bytes  # device code, as ``grader.toolchain.fatbin`` reads it
    relocatable_device_code: bool  # built with nvcc -rdc=true or -dc
    static_cudart: bool  # the CUDA runtime is a part of the library
    search: tuple[str, ...] = ()  # folders in which it has its needs looked for: "$ORIGIN" (DT_RPATH, DT_RUNPATH)

    def exports_mangled(self, name: str) -> str | None:
        """The C++ name under which a function is exported that should be plain: "_Z11getCreatorsRi"."""
        found = (symbol for symbol in self.exports if symbol.startswith("_Z") and plain_name(symbol).endswith(name))
        return next((symbol for symbol in sorted(found) if plain_name(symbol).split("::")[-1] == name), None)

    @property
    def cuda(self) -> int | None:
        """The CUDA release whose runtime it calls: 13, 12; None where nothing tells."""
        for name in self.needed:
            if found := re.fullmatch(r"libcudart\.so\.(\d+)(?:\..*)?", name):
                return int(found[1])
        names = {symbol.name for symbol in self.undefined}
        return 13 if "__cudaLaunchKernel" in names else None  # CUDA 13's launch stubs only; earlier: cudaLaunchKernel


def read_elf(path: Path) -> Elf:
    """Raises ``ElfError``. A file that has not changed is read once: every plugin process asks for it, and it takes as
    long as starting one."""
    try:
        facts = path.stat()
        return _read_once(path, facts.st_size, facts.st_mtime_ns, facts.st_ino)
    except OSError as error:
        raise ElfError(f"The file cannot be read: {error.strerror or error}.") from None


@functools.lru_cache(maxsize=4)
def _read_once(path: Path, size: int, *_) -> Elf:
    with open(path, "rb") as file:
        if not size:
            raise ElfError("The file is empty.")
        if size > MAX_BYTES:
            raise ElfError(f"The file is larger than {MAX_BYTES >> 30} GB.")
        start = file.read(32)
        if not start.startswith(b"\x7fELF"):
            what = next((name for magic, name in _FORMATS if start.startswith(magic)), "no library of Linux (ELF)")
            raise ElfError(f"The file is {what}: name the shared library (.so) that the build makes.")
        return _read(file)


def plain_name(symbol: str) -> str:
    """``my::launch`` from ``_ZN2my6launchEPf``, without nameless namespaces; a name that is not mangled stays."""
    if not symbol.startswith("_Z"):
        return symbol
    found = re.match(r"_ZN?[rVK]*(?:St)?(?=\d)", symbol)
    position, names = found.end() if found else len(symbol), []
    while found and (digits := re.match(r"\d+", symbol[position:])):
        start = position + digits.end()
        position = start + int(digits[0][:6])
        if not (name := symbol[start:position]).startswith("_GLOBAL__N_"):
            names.append(name)
        if not symbol.startswith("_ZN"):
            break
    return "::".join(names) if names else symbol


def _read(file) -> Elf:
    from elftools.elf.elffile import ELFFile

    try:
        elf = ELFFile(file)
        _bounded("sections", range(elf.num_sections()))
        segments = _bounded("segments", elf.iter_segments())
        dynamic = next((part for part in segments if part["p_type"] == "PT_DYNAMIC"), None)
        tags = _bounded("tags", dynamic.iter_tags()) if dynamic else []
        exports, undefined = set(), []
        for symbol in _symbols(elf, dynamic):
            if isinstance(symbol, Symbol):
                undefined.append(symbol)
            else:
                exports.add(symbol)
        program = any(part["p_type"] == "PT_INTERP" for part in segments)
        kind = _KINDS.get(elf["e_type"], str(elf["e_type"]))
        sections = {section.name: section for section in elf.iter_sections()}
        fatbins = b"".join(_data(sections.get(name)) for name in (".nv_fatbin", "__nv_relfatbin"))
        names = {symbol.name for symbol in undefined}
        return Elf(
            machine=_MACHINES.get(elf["e_machine"], str(elf["e_machine"])),
            bits=elf.elfclass,
            kind="program" if program and kind == "shared" and not any(map(_is_soname, tags)) else kind,
            soname=next((tag.soname for tag in tags if _is_soname(tag)), ""),
            needed=tuple(tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED"),
            exports=frozenset(exports),
            undefined=tuple(undefined),
            compilers=tuple(dict.fromkeys(_strings(_data(sections.get(".comment"))))),
            fatbins=fatbins,
            relocatable_device_code="__nv_relfatbin" in sections,
            search=tuple(folder for tag in tags for folder in _folders(tag)),
            static_cudart="__cudaRegisterFatBinary" not in names and _holds(sections, b"cudaErrorCudartUnloading"),
        )
    except ElfError:
        raise
    except Exception as error:  # pyelftools meets damage with many kinds of exception
        raise ElfError(f"The file begins like a library and is damaged: {type(error).__name__}.") from None


def _symbols(elf, dynamic) -> Iterator[Symbol | str]:
    """Undefined symbols, and the names of those that are exported."""
    from elftools.elf.sections import SymbolTableSection

    table = elf.get_section_by_name(".dynsym")
    numbers = elf.get_section_by_name(".gnu.version")
    needs = elf.get_section_by_name(".gnu.version_r")
    versions = {}
    pairs = ((library, version) for library, wanted in needs.iter_versions() for version in wanted) if needs else ()
    for library, version in _bounded("versions", pairs):
        versions[version["vna_other"]] = (version.name, library.name)
    if isinstance(table, SymbolTableSection):
        symbols = table.iter_symbols()
    else:  # section headers are stripped
        symbols, numbers = (dynamic.iter_symbols() if dynamic else ()), None
    for index, symbol in enumerate(_bounded("symbols", symbols)):
        facts = symbol.entry
        if not symbol.name or facts["st_info"]["bind"] == "STB_LOCAL":
            continue
        if facts["st_shndx"] == "SHN_UNDEF":
            number = numbers.get_symbol(index)["ndx"] if numbers else 0
            version, library = versions.get(number, ("", "")) if isinstance(number, int) else ("", "")
            yield Symbol(symbol.name, version, library, facts["st_info"]["bind"] == "STB_WEAK")
        elif facts["st_other"]["visibility"] in ("STV_DEFAULT", "STV_PROTECTED"):
            yield symbol.name


def _bounded(what: str, parts: Iterable) -> list:
    """The parts as a list; ``ElfError`` for more than any library has: damage can make a table endless."""
    found = list(itertools.islice(parts, _MAX_PARTS[what] + 1))
    if len(found) > _MAX_PARTS[what]:
        raise ElfError(f"The file tells of more than {_MAX_PARTS[what]} {what}: it is damaged.")
    return found


def _is_soname(tag) -> bool:
    return tag.entry.d_tag == "DT_SONAME"


def _folders(tag) -> list[str]:
    text = {"DT_RPATH": "rpath", "DT_RUNPATH": "runpath"}.get(tag.entry.d_tag)
    return [folder for folder in getattr(tag, text).split(":") if folder] if text else []


def _data(section) -> bytes:
    """A section as it lies in the file."""
    if section is None or section["sh_type"] == "SHT_NOBITS":
        return b""
    section.stream.seek(section["sh_offset"])
    return section.stream.read(section["sh_size"])


def _strings(data: bytes) -> list[str]:
    return [part.decode("utf-8", "replace") for part in data.split(b"\0") if part]


def _holds(sections, text: bytes) -> bool:
    return any(text in _data(sections.get(name)) for name in (".rodata", ".rodata.str1.1", ".rodata.str1.8"))
