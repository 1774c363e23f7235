"""Makes the cases of ``creator-not-found``: builds each case's libraries, loads them, and keeps what was found.

    python tests/exercises/not_found/gather.py       # writes the evidence of both files anew

A case in the files says how it was made (``made``): the libraries with their macros and flags, what the process did
with them, what it asked for. ``cause`` says what is wrong with it, which the maker knows. The evidence is gathered from
the files and from processes alone. ``test_creator_not_found.py`` gathers it again and compares.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from grader.plugin.application import Step, ask
from grader.simulator.runtime.build import build_cudart
from grader.toolchain import locate
from grader.toolchain.elf import ElfError, read_elf
from grader.toolchain.tensorrt import tensorrt_include

ROOT = Path(__file__).resolve().parents[3]
VISIBLE = ROOT / "grader/exercises/ch05_build_and_load/creator_not_found.jsonl"
HIDDEN = ROOT / "solutions/05_build_and_load/creator_not_found.jsonl"
SOURCE = ROOT / "tests/plugin/libraries/creators/creators.cpp"
_MADE = tempfile.TemporaryDirectory(prefix="kernels-")  # as long as this process
KERNELS = Path(_MADE.name)
UNTOLD = ("_ZT", "_ZN8nvinfer1", "_ZNK8nvinfer1", "_ZN4dim3")  # of the headers, in every library


def build(folder: Path, library: dict) -> Path:
    """Compile and link one library as ``made`` says; subprocess.CalledProcessError."""
    gxx, made = str(locate.gxx()), folder / library["file"]
    headers = [part for each in (tensorrt_include(), locate.cuda_include()) for part in ("-isystem", str(each))]
    macros = [f"-D{name}" if value is True else f'-D{name}="{value}"' for name, value in library["macros"].items()]
    macros += [f"-DCALLS={library['calls']}"] if "calls" in library else []
    part = folder / f"{made.stem}.o"
    _run(gxx, "-std=c++17", "-O1", "-fPIC", *library.get("flags", []), *macros, *headers, "-c", SOURCE, "-o", part)
    inputs: list = [part]
    if library.get("archive"):  # a linker takes of an archive what somebody asks for by name
        archive, other = folder / f"{made.stem}.a", folder / "other.cpp"
        _run("ar", "rcs", archive, part)
        other.write_text('extern "C" int pluginLibraryVersion() { return 3; }\n')
        inputs = [other, archive]
    stubs = folder / "stubs"
    for name in library.get("needs", []):  # something to link with, which is not there when the library is loaded
        stubs.mkdir(exist_ok=True)
        _run(gxx, "-shared", "-x", "c++", "/dev/null", f"-Wl,-soname,{name}", "-o", stubs / name)
    needs = [f"-l:{name}" for name in library.get("needs", [])]
    inputs += [_kernel(number, codes) for number, codes in enumerate(library.get("kernels", []))]
    cuda = locate.toolkit().runtime if library.get("kernels") else build_cudart()
    runtime = {"static": ["-l:libcudart_static.a", "-ldl", "-lrt", "-lpthread"], "none": []}.get(
        library.get("runtime"), [f"-l:{cuda.name}"])  # fmt: skip
    # Distributions differ in this: what is linked is needed, and functions are bound when they are called.
    _run(gxx, "-shared", "-fPIC", *inputs, "-Wl,--no-as-needed", "-Wl,-z,lazy", f"-L{stubs}", *needs,
         f"-L{cuda.parent}", *runtime, *library.get("link", []), "-o", made)  # fmt: skip
    return made


def _kernel(number: int, codes: list[str]) -> Path:
    """The object of a kernel file with these device codes, each as nvcc's ``code=`` names it."""
    made = KERNELS / f"{number}-{'-'.join(codes)}.o"  # compiled once, since nvcc takes its time
    if made.exists():
        return made
    wanted = [f"-gencode=arch={code.replace('sm_', 'compute_')},code={code}" for code in codes]
    source = SOURCE.with_name("kernel.cu")
    _run(locate.toolkit().nvcc, "-std=c++17", "-ccbin", locate.gxx(), "-Xcompiler", "-fPIC",
         f"-DLAUNCHER=launchKernel{number}", *wanted, "-c", source, "-o", made)  # fmt: skip
    return made


def _run(*command) -> None:
    subprocess.run([str(part) for part in command], check=True, capture_output=True, timeout=120)


def evidence(made: dict, folder: Path) -> dict:
    """What is known of one case: of its look-up, of what led there, and of the library that should have the creator."""
    for library in made["libraries"]:
        build(folder, library)
    name, version, namespace = made["asked"]
    subject = folder / made["file"]

    def plain(text: str) -> str:
        return text.replace(f"{folder}/", "")

    steps = [Step(how, folder / file) for how, file in made["steps"]]
    answer = ask(steps, name, version, namespace, listens=made["listens"])
    assert not answer.ended and answer.found is None, (made, answer)
    said = [*(done.said for done in answer.steps), answer.said]
    opened = ask([Step("dlopen", subject)], name, version, namespace)
    alone = ask([Step("dlopen", subject), Step("loadLibrary", subject)], name, version, namespace)  # may end in a crash

    def of_libraries(creators):
        return [[c.name, c.version, c.namespace, Path(c.file).name] for c in creators if Path(c.file).parent == folder]

    facts = file_facts(subject)
    return {
        "name": name, "version": version, "namespace": namespace,
        "file": made["file"],
        "steps": [[done.how, Path(done.file).name, done.result] for done in answer.steps],
        "log": [plain(text) for texts in said for text in texts],
        "registry": sorted(of_libraries(answer.creators)),
        "linker": plain(opened.steps[0].error),
        "exports": facts[0], "undefined": facts[1], "needed": facts[2],
        "creators": sorted(row[:3] for row in of_libraries(alone.creators)),
    }  # fmt: skip


def file_facts(path: Path) -> tuple[list[str], list[str], list[str]]:
    try:
        elf = read_elf(path)
    except ElfError:
        return [], [], []  # there is no such file
    exports = sorted(name for name in elf.exports if not name.startswith(UNTOLD))
    undefined = sorted(one.name for one in elf.undefined if not (one.weak or one.version))
    return exports, undefined, [name for name in elf.needed if not name.startswith("ld-linux")]


def proofs(cause: str, found: dict) -> list[str]:
    """The keys of the evidence that prove the cause: whoever knows them and what the process did needs no other."""
    log = "\n".join(found["log"][:-1] if found["log"] else [])  # the last line is of the look-up
    if cause == "not-loaded":
        return ["steps"]
    if cause == "does-not-load":
        return ["linker", *(["log"] if f"Unable to load library: {found['file']}" in log else [])]
    if cause == "no-entry-point":
        return ["exports", *(["log"] if "SymbolAddress" in log else [])]
    if cause == "no-registrar":
        return ["registry", *(["undefined"] if "getPluginRegistry" not in found["undefined"] else [])]
    if cause == "refused":
        return ["registry", "creators", *(["log"] if "exists already" in log else [])]
    mine = [row for row in found["registry"] if row[3] == found["file"]]
    parts = ("name", "version", "namespace")
    differing = [[part for part, own in zip(parts, row, strict=False) if own != found[part]] for row in mine]
    (part,) = {differ[0] for differ in differing if len(differ) == 1}
    return [part]


def read(path: Path) -> list[dict]:
    """The cases of a file. One stands in one line, so that no line of the hidden ones stands among the visible ones."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def keep(path: Path, cases: list[dict]) -> None:
    path.write_text("".join(json.dumps(case) + "\n" for case in cases))


def write(path: Path) -> None:
    cases = read(path)
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            case["evidence"] = evidence(case["made"], Path(folder).resolve())
        case["proofs"] = proofs(case["cause"], case["evidence"])
        print(case["id"], case["cause"], case["proofs"])
    keep(path, cases)


if __name__ == "__main__":
    for each in sys.argv[1:] or (VISIBLE, HIDDEN):
        write(Path(each))
