"""What a real GPU and compute-sanitizer say of the corpus: ``python3 tests/simulator/corpus/on_gpu.py OUT [--plain]``.

Needs a GPU, its driver, NVRTC and NumPy; compute-sanitizer where it is found. Every kernel runs in a process of its
own, in buffers of its own. OUT/corpus.json has for each kernel what the driver answered, which results were wrong, and
for each tool of compute-sanitizer the errors that it counted and the first of them.

The right and the mended kernels must give the right results: that is asked of the corpus, not of the simulated GPU.
What becomes of a faulty one on a GPU, silence most of the time, is what the simulated GPU is there for.
"""

from __future__ import annotations

import ctypes
import json
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "simulator"), str(ROOT / "benchmarks")]

from cuda_driver import Driver, compile_cubin  # noqa: E402

from corpus.case import all_cases  # noqa: E402
from corpus.data import Contents, evaluate, wrong_result  # noqa: E402

TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
SECONDS, TOOL_SECONDS = 10, 25
AT_ONCE = 10
ERRORS = {700: "illegal address", 710: "assertion", 715: "trap", 716: "misaligned", 719: "launch failure"}
POISON = 0xCD


class Gpu(Driver):
    """Buffers of their own in place of one arena, so that compute-sanitizer knows their ends."""

    def alloc(self, contents: Contents, *, freed: bool = False) -> int:
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(contents.nbytes, 1)))
        if contents.sparse:
            self._call("cuMemsetD8_v2", address, 0, ctypes.c_size_t(contents.nbytes))
        data = np.ascontiguousarray(contents.data).tobytes()
        if data:
            self._call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
        if freed:
            self._call("cuMemFree_v2", address)
        return address.value

    def fetch(self, address: int, count: int, dtype) -> np.ndarray:
        out = np.zeros(count, dtype)
        if count:
            self._call("cuMemcpyDtoH_v2", out.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(address),
                       ctypes.c_size_t(out.nbytes))  # fmt: skip
        return out

    def parameter_bytes(self, kernel, index: int) -> int:
        offset, size = ctypes.c_size_t(), ctypes.c_size_t()
        self._call("cuFuncGetParamInfo", kernel, ctypes.c_size_t(index), ctypes.byref(offset), ctypes.byref(size))
        return size.value


def run_one(name: str, cubin: str) -> dict:
    case = next(c for c in all_cases() if c.name == name)
    gpu, values, given, addresses = Gpu(), {}, [], {}
    for argument, (role, expression) in case.arguments.items():
        value = evaluate(expression, values)
        if role != "scalar":
            contents = value if isinstance(value, Contents) else Contents(value, value.nbytes)
            values[argument], addresses[argument] = contents.data, gpu.alloc(contents, freed=role == "freed")
            value = values[f"{argument}_at"] = addresses[argument]
        else:
            values[argument] = value
        given.append(value)
    options: dict = {}
    for part in case.launch:
        options |= evaluate(f"dict({part})", values)
    entry = re.search(r"__global__\s+void\s+(?:__launch_bounds__\(\d+\)\s+)?(\w+)", case.text)[1]
    try:
        kernel = gpu.kernel(gpu.load(Path(cubin).read_bytes()), entry)
        packed = [np.frombuffer(_bytes(v, gpu.parameter_bytes(kernel, k)), np.uint8) for k, v in enumerate(given)]
        three = [[*(s if isinstance(s, tuple) else (s,)), 1, 1][:3] for s in (options["grid"], options["block"])]
        gpu.launch(kernel, *three, packed, options.get("shared", 0))
        wrong = [
            problem
            for result, expression in case.results.items()
            if result != "output"
            and (problem := wrong_result(case, result, evaluate(expression, values), values[result].dtype,
                                         lambda n, d, r=result: gpu.fetch(addresses[r], n, d)))
        ]  # fmt: skip
    except RuntimeError as error:
        code = re.search(r"gave (\d+)", str(error))
        return {"status": ERRORS.get(int(code[1]), str(error)) if code else str(error)}
    return {"status": "ok", "wrong": wrong}


def _bytes(value, size: int) -> bytes:
    if isinstance(value, float | np.floating):
        return np.array(value, {2: np.float16, 4: np.float32, 8: np.float64}[size]).tobytes()
    return (int(value) % (1 << 8 * size)).to_bytes(size, "little")


def ask(name: str, cubin: Path, tool: str | None) -> dict:
    own = [sys.executable, __file__, "--one", name, str(cubin)]
    command = own if tool is None else ["compute-sanitizer", "--tool", tool, "--error-exitcode", "0", *own]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TOOL_SECONDS if tool else SECONDS)
    except subprocess.TimeoutExpired:
        return {"status": "never ended"}
    if tool is None:
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        return json.loads(lines[-1]) if lines else {"status": f"rc {done.returncode}: {done.stderr[-300:]}"}
    said = [line[10:].strip() for line in done.stdout.splitlines() if line.startswith("=========")]
    said = [line for line in said if line]
    told = [line for line in said if not line.startswith(("COMPUTE-SANITIZER", "Saved host", "Host Frame"))]
    count = re.search(r"(?:ERROR SUMMARY|RACECHECK SUMMARY): (\d+)", done.stdout)
    return {"errors": int(count[1]) if count else None, "first": told[:4]}


def main(out: Path, plain: bool) -> None:
    out.mkdir(parents=True, exist_ok=True)
    name, architecture = Driver.describe()
    found: dict[str, dict] = {}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_ONCE) as pool:
        jobs = []
        for k, case in enumerate(all_cases()):
            found[case.name] = {"expected": case.kinds}
            cubin = Path(folder) / f"{k}.cubin"
            options = ["-std=c++17", "-lineinfo", f"-arch={architecture}"]
            try:
                cubin.write_bytes(compile_cubin(case.text.encode(), case.file, options))
            except RuntimeError as error:
                found[case.name]["plain"] = {"status": f"not compiled: {str(error)[:300]}"}
                continue
            asked = not plain and not case.name.endswith("mended") and shutil.which("compute-sanitizer")
            tools = TOOLS if asked else ()
            if "sparse(" in case.text:
                tools = tools[:1]
            if {"budget", "deadlock"} & set(case.kinds):
                tools = ()  # they would run until their time is over
            jobs += [(case.name, tool, pool.submit(ask, case.name, cubin, tool)) for tool in (None, *tools)]
        for case_name, tool, job in jobs:
            found[case_name][tool or "plain"] = job.result()
            (out / "partly.json").write_text(json.dumps({"device": name, "kernels": found}))
    (out / "partly.json").unlink()
    (out / "corpus.json").write_text(json.dumps({"device": name, "kernels": found}, indent=1))
    right = {n: f["plain"] for n, f in found.items() if not f["expected"]}
    bad = {n: p for n, p in right.items() if p.get("status") != "ok" or p.get("wrong")}
    print(f"{len(right) - len(bad)} of {len(right)} right and mended kernels are right on {name}.")
    for case_name, outcome in bad.items():
        print(f"  {case_name}: {outcome}")
    faulty = [f for f in found.values() if f["expected"]]
    silent = sum(f["plain"].get("status") == "ok" for f in faulty)
    print(f"{silent} of {len(faulty)} faulty kernels end without an error of the driver.")
    for tool in () if plain else TOOLS:
        print(f"  {tool} finds something in {sum(bool(f.get(tool, {}).get('errors')) for f in faulty)} of them.")


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        print(json.dumps(run_one(sys.argv[2], sys.argv[3])))
    else:
        main(Path(sys.argv[1]), "--plain" in sys.argv)
