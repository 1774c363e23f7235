"""Loading, exported entry points, creators, NVIDIA's registry."""

from __future__ import annotations

import re
from collections import Counter

from grader.checks.base import Finding, failed, passed
from grader.checks.conformance.bench import Bench
from grader.checks.conformance.rule import rule
from grader.plugin import life
from grader.plugin.records import Creator
from grader.plugin.session import PluginEnded
from grader.toolchain.elf import Elf, ElfError, plain_name, read_elf
from grader.toolchain.levels import reach

KINDS = ("PLUGIN CREATOR_V3ONE", "PLUGIN CREATOR_V1")

# Who defines a symbol, by how it is called, and what to do about it.
_FAMILIES = (
    (r"_?_?cuda[A-Z]\w*", "the CUDA runtime", "link the runtime: nvcc -cudart shared does"),
    (r"cu[A-Z]\w*", "the CUDA driver", "call the CUDA runtime in its place, or link libcuda.so.1"),
    (r"cublas\w+", "cuBLAS", "link it with -lcublas"),
    (r"cudnn\w+", "cuDNN", "link it with -lcudnn"),
    (r"nvrtc\w+", "NVRTC", "link it with -lnvrtc"),
    (r"initLibNvInferPlugins|\w*nvinfer1plugin\w*", "TensorRT's own plugin library",
     "do without: it comes with the full TensorRT only"),
    (r"_ZN?K?8nvinfer1\w*|(create|get)Infer\w+|getBuilderPluginRegistry", "TensorRT",
     "call only what its headers say a plugin library gets: a plugin needs no builder and no runtime"),
)  # fmt: skip
_IN_CONSTRUCTORS = (
    "That is where global objects are constructed: do less in their constructors. getLogger() returns null there."
)
_IN_GET_CREATORS = (
    "There TensorRT reads the list that getCreators() returns, and asks each creator who it is: list and creators must "
    "outlive the call, and the count must be that of the list."
)


@rule(
    "loads", group="library",
    sentence="The library loads in a fresh process, with every symbol found.",
    belief="If it links, it loads.",
    source="dlopen(3) with RTLD_NOW; NVIDIA/TensorRT#2908 (a plugin library that wants cuDNN)",
)  # fmt: skip
def loads(bench: Bench, rng) -> Finding:
    try:
        error = bench.session().loaded.error
    except PluginEnded as ended:
        if ended.words.kind in ("exception", "device"):
            raise
        advice = _IN_GET_CREATORS if ended.method == "getCreators" else _IN_CONSTRUCTORS
        return failed(f"While the library is loaded, {ended.words.sentence} {advice}", state=ended.outcome.state)
    return passed() if error is None else failed(_why_not(error, bench), error=error)


def _why_not(error: str, bench: Bench) -> str:
    if found := re.search(r"undefined symbol: (\w+)", error):
        return _missing_symbol(found[1])
    if found := re.search(r"(\S+): cannot open shared object file", error):
        if found[1] != str(bench.library):
            return (
                f"The library needs {found[1]}, which the dynamic linker does not find: link without it, or name its "
                f"folder in the library's rpath (-Wl,-rpath,'$ORIGIN') or in LD_LIBRARY_PATH."
            )
    if found := re.search(r"version `(\w+)' not found", error):
        return f"The library was built on a newer system: this one has no {found[1]}. Build it where it is to run."
    known = reach(bench.library)
    if not known.loads:
        return f"{known.reason} {known.rebuild}".strip()
    return f"The dynamic linker refuses the library: {error}."


def _missing_symbol(symbol: str) -> str:
    if found := re.match(r"_ZT([VIS])(\w+)", symbol):
        what = {"V": "virtual table", "I": "type information", "S": "type information"}[found[1]]
        name = plain_name("_Z" + found[2])
        return (
            f"The {what} of {name} is missing ({symbol}): define all virtual methods that {name} declares, and add the "
            f"file that holds them to the build."
        )
    name = plain_name(symbol)
    shown = name if name == symbol else f"{name} ({symbol})"
    for pattern, owner, advice in _FAMILIES:
        if re.fullmatch(pattern, symbol):
            return f"The symbol {shown} is missing; it belongs to {owner}: {advice}."
    return (
        f"The symbol {shown} is missing, and neither CUDA nor TensorRT has it: add the file that defines it to the "
        f"build, with the same signature and linkage as where it is called."
    )


@rule(
    "exports", group="library", needs=("loads",),
    sentence='getCreators and setLoggerFinder are exported with C linkage, or creators register themselves.',
    belief="A function that stands in the library is found by its name.",
    source="IPluginRegistry::loadLibrary, run in TensorRT 10.16 and 11.4; ILoggerFinder, NvInferRuntime.h 10.14; "
    "NVIDIA/TensorRT#4121",
)  # fmt: skip
def exports(bench: Bench, rng) -> Finding:
    """What 10.16 does: without ``getCreators`` or without ``setLoggerFinder``, ``loadLibrary`` returns null; the entry
    point of 8.6, ``getPluginCreators``, alone does not count."""
    loaded = bench.session().loaded
    elf = _elf(bench)
    for entry in ("getCreators", "setLoggerFinder"):
        if entry in loaded.entries:
            continue
        if mangled := elf and elf.exports_mangled(entry):
            return failed(
                f"{entry}() is exported under its C++ name {mangled}, where TensorRT looks for {entry}: write "
                f'extern "C" before it.'
            )
        if entry == "setLoggerFinder" and "getCreators" in loaded.entries:
            return failed(
                "The library exports getCreators but no setLoggerFinder, and IPluginRegistry::loadLibrary wants both: "
                'add extern "C" void setLoggerFinder(nvinfer1::ILoggerFinder*).'
            )
    if loaded.listed is not None and "getCreators" not in loaded.entries and not loaded.self_registered:
        return failed(
            "The library exports getPluginCreators, the entry point of TensorRT 8.6 and 9: TensorRT 10 looks for "
            'extern "C" nvinfer1::IPluginCreatorInterface* const* getCreators(int32_t&).'
        )
    if loaded.listed is None and not loaded.self_registered:
        return failed(
            "Nobody can find the library's creators: it exports no getCreators (is it hidden by -fvisibility=hidden, "
            'or in a namespace without extern "C"?), and no creator registers itself with REGISTER_TENSORRT_PLUGIN.'
        )
    return passed()


def _elf(bench: Bench) -> Elf | None:
    try:
        return read_elf(bench.library)
    except ElfError:
        return None


@rule(
    "creators", group="library", needs=("exports",),
    sentence="The library has creators: getCreators() counts and lists them rightly, and no two are called the same.",
    belief="A creator that is written is a creator that is found.",
    source="NvInferRuntimeCommon.h 10.14, IPluginRegistry::loadLibrary and registerCreator",
)  # fmt: skip
def creators(bench: Bench, rng) -> Finding:
    session, loaded = bench.session(), bench.session().loaded
    if loaded.listed is not None:
        if loaded.count < 0 or len(loaded.listed) != loaded.count:
            return failed(f"getCreators() says that there are {loaded.count} creators, and lists {len(loaded.listed)}.")
        if None in loaded.listed:
            place = loaded.listed.index(None)
            return failed(f"getCreators() says {loaded.count} creators, and number {place} of its list is null.")
    found = session.creators()
    if not found:
        return failed("The library has no creator: getCreators() lists none, and none registers itself.")
    for each in found:
        if each.kind not in KINDS or each.major != 1:
            return failed(
                f"A creator says that it is {each.kind!r} version {each.major}: derive it from IPluginCreatorV3One, "
                f"and leave getInterfaceInfo() as it is."
            )
    listed = [each for each in found if each.number in (loaded.listed or ())]
    names = Counter((each.name, each.version, each.namespace) for each in listed)
    for (name, version, namespace), times in names.items():
        if times > 1:
            return failed(
                f"getCreators() lists {times} creators with the name {name!r}, version {version!r} and namespace "
                f"{namespace!r}: the registry keeps one of them."
            )
    life.find_creator(session, bench.spec)
    return passed()


@rule(
    "registry", group="library", needs=("identity",),
    sentence="NVIDIA's registry takes the library, finds each creator by its triple, and refuses to take it twice.",
    belief="It was registered here, so it is found there.",
    source="NvInferRuntimeCommon.h 10.14, IPluginRegistry::loadLibrary (null if a plugin is registered already), "
    "getCreator and registerCreator; run in TensorRT 10.16; NVIDIA/TensorRT#1913",
)  # fmt: skip
def registry(bench: Bench, rng) -> Finding:
    session = bench.session()
    loaded = session.loaded
    if loaded.taken is False and loaded.listed:
        if loaded.self_registered:
            return failed(
                "The library's creators register themselves and getCreators() lists them too, so loadLibrary() returns "
                "null: they are there already. Keep getCreators() and take REGISTER_TENSORRT_PLUGIN away; or keep only "
                "that, if the library is always opened by dlopen or trtexec --staticPlugins."
            )
        return failed("IPluginRegistry::loadLibrary() returns null for the library.")
    for creator in session.creators():
        if not _is_found(session, creator):
            if creator.namespace and creator.number in loaded.self_registered:
                return failed(
                    f"REGISTER_TENSORRT_PLUGIN registers the creator of {creator.name!r} without a namespace, and it "
                    f"says {creator.namespace!r}: list it in getCreators(), or leave the namespace empty."
                )
            return failed(
                f"The registry finds no creator for the name {creator.name!r}, version {creator.version!r} and "
                f"namespace {creator.namespace!r}, which are its own: they must not change."
            )
        if session.register(creator, creator.namespace or ""):
            return failed(f"The registry takes the creator of {creator.name!r} again: its names must not change.")
    return passed()


def _is_found(session, creator: Creator) -> bool:
    number = session.look_up(creator.name or "", creator.version or "", creator.namespace or "")
    if number is None:
        return False
    found = session.creator(number)
    return (found.name, found.version, found.namespace) == (creator.name, creator.version, creator.namespace)
