"""Measure what Nsight Compute says of every launch of tests/simulator/counter_kernels.toml, and compare with ours.

    python3 benchmarks/counters_on_a_gpu.py OUT           on a machine with a GPU, its driver, NVRTC and ncu
    python benchmarks/counters_on_a_gpu.py --compare CSV  anywhere: ours and theirs; CSV's folder gets comparison.csv
    python benchmarks/counters_on_a_gpu.py --keep OUT     what the tests need of OUT becomes theirs

Writes OUT/h200_counters.csv (a row a launch), OUT/h200_occupancy.csv
(blocks of a multiprocessor, by the driver, over registers, shared memory and block sizes), OUT/sass.csv (memory
instructions of each kernel's machine code), OUT/sass.txt.gz (all of it), OUT/metrics.txt (what ncu can count) and
OUT/log.txt. Needs NumPy, nothing else of Python. Takes two or three minutes, nearly all of it under ncu, in one
process.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import gzip
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "simulator"), str(ROOT / "benchmarks")]

from counter_kernels import launches  # noqa: E402

FACTS = (
    "launch", "kernel", "grid", "block", "date", "device", "arch", "nvrtc", "registers", "local_bytes", "shared_bytes",
)  # fmt: skip
# Measured with success before; nothing is asked of ncu in vain.
KNOWN = (
    *(f"l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum" for op in ("ld", "st") for what in ("requests", "sectors")),
    *(f"smsp__inst_executed_op_shared_{op}.sum" for op in ("ld", "st")),
    *(f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in ("ld", "st")),
)  # fmt: skip
# What the estimates stand for.
ESTIMATED = (
    *(f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum" for op in ("atom", "red")),
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",
)
# What explains a difference: instructions that no lane took part in, kinds of atomics, bytes, all shared wavefronts.
EXPLAIN = (
    *(f"smsp__inst_executed_op_{op}.sum" for op in ("shared_atom", "ldsm", "ldgsts", "shared_stsm")),
    *(f"smsp__inst_executed_op_global_{op}.sum" for op in ("ld", "st", "red")),
    *(f"smsp__inst_executed_op_global_{op}_pred_on_any.sum" for op in ("ld", "st", "red")),
    *(f"smsp__inst_executed_op_generic_{op}.sum" for op in ("ld", "st", "atom")),
    *(f"smsp__inst_executed_op_local_{op}.sum" for op in ("ld", "st")),
    *(f"smsp__inst_executed_op_shared_atom_dot_{kind}.sum" for kind in ("alu", "cas")),
    *(f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum" for op in ("ld", "st", "atom")),
    *(f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in ("ld", "st", "atom", "ldsm")),
    *(f"smsp__sass_data_bytes_mem_global_op_{op}.sum" for op in ("ld", "st", "atom", "red")),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "smsp__thread_inst_executed_pred_on.sum",
    "smsp__inst_executed_op_branch.sum", "smsp__sass_branch_targets.sum",
    "smsp__sass_branch_targets_threads_divergent.sum",
    "launch__registers_per_thread", "launch__occupancy_limit_registers", "launch__occupancy_limit_shared_mem",
    "launch__occupancy_limit_warps", "launch__occupancy_limit_blocks",
)  # fmt: skip
# As many values alive at once as registers allow, and STATIC bytes of shared memory.
SIZED = b"""extern "C" __global__ void sized(const float* a, float* b, int n)
{
#if STATIC > 0
    __shared__ char pad[STATIC];
    pad[threadIdx.x] = n;
    __syncthreads();
    b[0] = pad[n];
#endif
    float v[200];
#pragma unroll
    for (int j = 0; j < 200; j++) v[j] = a[j * n];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 200; j++) b[j * n] = v[j] * v[199 - j];
}
"""


def metric_names() -> tuple[str, ...]:
    from grader.simulator.counters import EXACT

    return tuple(dict.fromkeys((*KNOWN, *EXACT, *ESTIMATED, *EXPLAIN)))


# ---- on the GPU ----


def build(folder: Path, architecture: str) -> dict[str, Path]:
    """Machine code of every launch's source, compiled once for each source and set of options."""
    from cuda_driver import compile_cubin

    made: dict[tuple, Path] = {}
    cubins = {}
    for listed in launches():
        key = (listed.file, listed.variant, listed.defines)
        if key not in made:
            made[key] = folder / f"{len(made):03}.cubin"
            options = ["-std=c++17", "-lineinfo", f"-arch={architecture}", *listed.options]
            made[key].write_bytes(compile_cubin(listed.source(), Path(listed.file).name, options))
        cubins[listed.name] = made[key]
    return cubins


def launch_all(cubins: dict[str, str], facts: Path) -> None:
    """Run by ncu: every launch once, in the order of the list; ``facts`` gets what the driver says of the kernels."""
    import numpy as np
    from cuda_driver import Driver

    driver, modules, told = Driver(), {}, {}
    for listed in launches():
        cubin = cubins[listed.name]
        if cubin not in modules:
            modules[cubin] = driver.load(Path(cubin).read_bytes())
        kernel = driver.kernel(modules[cubin], listed.kernel)
        arguments = listed.make_arguments()
        buffers = driver.place([a for a in arguments if isinstance(a, np.ndarray)])
        values = [next(buffers) if isinstance(a, np.ndarray) else a for a in arguments]
        driver.launch(kernel, listed.grid, listed.block, values, listed.shared)
        told[listed.name] = driver.facts(kernel)
    facts.write_text(json.dumps(told))


def ask_ncu(ncu: str, folder: Path, cubins: dict[str, Path], metrics, log) -> dict[str, dict[str, str]]:
    """The metrics of every launch by its name; empty where ncu refused."""
    plan, facts = folder / "cubins.json", folder / "facts.json"
    plan.write_text(json.dumps({name: str(path) for name, path in cubins.items()}))
    command = [
        ncu, "--clock-control", "none", "--csv", "--print-units", "base",
        "--metrics", ",".join(metrics), sys.executable, __file__, "--launch", str(plan), str(facts),
    ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        log.write(f"{len(metrics)} metrics: not done after 300 s\n")
        return {}
    log.write(f"{len(metrics)} metrics: rc {done.returncode}\n{done.stdout[:3000]}\n{done.stderr[-3000:]}\n")
    lines = done.stdout.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        return {}
    rows: dict[int, dict[str, str]] = {}
    kernels: dict[int, str] = {}
    for row in csv.DictReader(io.StringIO("\n".join(line for line in lines[start:] if line.startswith('"')))):
        number = int(row["ID"])
        kernels[number] = row["Kernel Name"].split("(")[0]
        value = row["Metric Value"].replace(",", "")
        if re.fullmatch(r"[\d.]+", value):
            rows.setdefault(number, {})[row["Metric Name"]] = f"{float(value):.0f}"
    listed = launches()
    if [kernels[n] for n in sorted(kernels)] != [one.kernel for one in listed]:
        log.write("the kernels that ncu saw are not those of the list, or not in its order\n")
        return {}
    told = json.loads(facts.read_text())
    return {one.name: {**told[one.name], **rows.get(n, {})} for one, n in zip(listed, sorted(kernels), strict=True)}


def known_to(ncu: str, out: Path) -> set[str]:
    """The base names that ncu can count on this chip; also written to metrics.txt."""
    done = subprocess.run([ncu, "--query-metrics"], capture_output=True, text=True, timeout=120)
    (out / "metrics.txt").write_text(done.stdout + done.stderr)
    return set(re.findall(r"^(\w+__\w+)", done.stdout, re.M))


def memory_instructions(cubins: dict[str, Path], out: Path, log) -> None:
    """The loads, stores and atomics of each kernel's machine code, by their full names."""
    tool = find("cuobjdump") or find("nvdisasm")
    if not tool:
        log.write("no disassembler here\n")
        return
    text = {}
    for cubin in sorted(set(cubins.values())):
        command = [tool, *(["-sass"] if tool.endswith("cuobjdump") else ["-c"]), str(cubin)]
        text[cubin] = subprocess.run(command, capture_output=True, text=True).stdout
    rows = []
    for listed in launches():
        parts = re.split(r"(?:Function : |\.section\s+\.text\.)([\w$]+)", text[cubins[listed.name]])
        body = "".join(part for name, part in zip(parts[1::2], parts[2::2], strict=False) if name == listed.kernel)
        found = re.findall(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)", body)
        memory = Counter(name for name in found if re.match(r"LD|ST|ATOM|RED|MATCH|VOTE", name))
        rows += [(listed.name, listed.kernel, name, count) for name, count in sorted(memory.items())]
    write_csv(out / "sass.csv", ("launch", "kernel", "instruction", "count"), rows)
    with gzip.open(out / "sass.txt.gz", "wt") as file:
        for cubin, body in text.items():
            users = [name for name, path in cubins.items() if path == cubin]
            file.write(f"==== {' '.join(users)}\n{body}\n")


def occupancy_table(out: Path, architecture: str, today: str) -> None:
    """What the driver says of blocks on a multiprocessor, for kernels of many sizes."""
    from cuda_driver import Driver, compile_cubin

    driver, rows = Driver(), []
    for most in (16, 24, 32, 40, 48, 64, 80, 96, 128, 168, 255):
        for static in (0, 1000, 9000, 40000):
            options = ["-std=c++17", f"-arch={architecture}", f"-maxrregcount={most}", f"-DSTATIC={static}"]
            kernel = driver.kernel(driver.load(compile_cubin(SIZED, "sized.cu", options)), "sized")
            facts = driver.facts(kernel)
            for threads in (32, 40, 64, 96, 128, 192, 224, 256, 320, 512, 640, 768, 1024):
                for dynamic in (0, 1, 3000, 30000, 100000):
                    blocks = driver.blocks(kernel, threads, dynamic)
                    case = facts["registers"], facts["shared_bytes"], threads, dynamic
                    rows.append((driver.name, today, *case, blocks))
    write_csv(
        out / "h200_occupancy.csv",
        ("device", "date", "registers", "static_shared", "threads", "dynamic_shared", "blocks"), sorted(set(rows)),
    )  # fmt: skip


def find(tool: str) -> str | None:
    return shutil.which(tool) or next((str(p) for p in [Path("/usr/local/cuda/bin") / tool] if p.exists()), None)


def write_csv(path: Path, head, rows) -> None:
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def measure(out: Path) -> int:
    out.mkdir(parents=True, exist_ok=True)
    today = datetime.date.today().isoformat()
    from cuda_driver import Driver, nvrtc_version

    device, architecture = Driver.describe()
    with tempfile.TemporaryDirectory() as folder, open(out / "log.txt", "w") as log:
        cubins = build(Path(folder), architecture)
        print(f"{len(cubins)} launches, {len(set(cubins.values()))} modules for {architecture} on {device}", flush=True)
        memory_instructions(cubins, out, log)
        ncu, found = find("ncu"), {}
        if not ncu:
            print("ncu is not here: no counters")
        else:
            known, metrics = known_to(ncu, out), metric_names()
            likely = tuple(m for m in metrics if m.split(".")[0] in known or m.startswith("launch__") or m in KNOWN)
            print("ncu does not list:", *sorted(set(metrics) - set(likely)), flush=True)
            simple = tuple(m for m in likely if "sass" not in m)
            for choice in dict.fromkeys((likely, simple, KNOWN)):  # one unknown name makes ncu refuse all
                found = ask_ncu(ncu, Path(folder), cubins, choice, log)
                if found:
                    break
            head = (*FACTS, *(m for m in metrics if any(m in row for row in found.values())))
            rows = [
                {
                    "launch": one.name, "kernel": one.kernel, "grid": one.grid, "block": one.block, "date": today,
                    "device": device, "arch": architecture, "nvrtc": nvrtc_version(), **found[one.name],
                }
                for one in launches() if one.name in found
            ]  # fmt: skip
            write_csv(out / "h200_counters.csv", head, [[row.get(key, "") for key in head] for row in rows])
            print(f"{len(rows)} launches measured, {len(head) - len(FACTS)} metrics")
        try:
            occupancy_table(out, architecture, today)
        except (RuntimeError, OSError) as problem:
            print("no occupancy:", problem)
    if found:
        try:
            return compare(out / "h200_counters.csv")
        except Exception as problem:  # the simulated GPU needs g++ and the package installed, not only on the path
            print(f"not compared here (do it elsewhere, with --compare): {problem}")
            return 0
    print((out / "log.txt").read_text()[-3000:])
    return 1


# ---- anywhere ----


def keep(out: Path) -> int:
    """The tests' tables from those of a measurement: no metric that nothing is compared with, every 7th occupancy."""
    from grader.simulator.counters import EXACT

    rows = list(csv.DictReader(open(out / "h200_counters.csv")))
    head = [name for name in (*FACTS, *EXACT, *ESTIMATED) if name in rows[0] and name != "kernel"]
    write_csv(ROOT / "tests/simulator/h200_counters.csv", head, [[row[name] for name in head] for row in rows])
    head, *rows = csv.reader(open(out / "h200_occupancy.csv"))
    write_csv(ROOT / "tests/toolchain/h200_occupancy.csv", head, rows[::7])
    return 0


def compare(path: Path) -> int:
    """Print what differs, and sums; the whole table goes to comparison.csv beside ``path``."""
    from counter_kernels import simulate

    from grader.simulator import Device

    measured = {row["launch"]: row for row in csv.DictReader(open(path))}
    table, verdicts, machine = [], {}, sass_instructions(path.with_name("sass.csv"))
    with Device.in_process() as device:
        for listed in launches():
            theirs = measured.get(listed.name)
            if not theirs:
                continue
            ours = simulate(device, listed).counters | ptxas_says(listed, theirs)
            pairs = [(metric, mine, int(theirs[metric])) for metric, mine in ours.items() if theirs.get(metric)]
            odd = any(mine != other for _, mine, other in pairs)
            reason = "ptxas" if listed.ptxas else "open" if listed.open else "not explained"
            verdicts[listed.name] = reason if odd else "equal"
            for metric, mine, other in pairs:
                verdict = "equal" if mine == other else listed.ptxas or listed.open or "NOT EXPLAINED"
                table.append((listed.name, metric, mine, other, verdict))
                if mine != other:
                    print(f"{listed.name:30} {metric:62} ours {mine:>8} theirs {other:>8}  {verdict}")
            if verdicts[listed.name] == "not explained":
                print(f"    PTX:  {ptx_instructions(listed)}\n    SASS: {machine.get(listed.name, 'not known')}")
    write_csv(path.with_name("comparison.csv"), ("launch", "counter", "ours", "theirs", "verdict"), table)
    print(f"\n{'counter':66} compared  equal  both zero")
    for metric in dict.fromkeys(row[1] for row in table):
        rows = [row for row in table if row[1] == metric]
        zero = sum(mine == other == 0 for _, _, mine, other, _ in rows)
        print(f"{metric:66} {len(rows):8} {sum(row[2] == row[3] for row in rows):6} {zero:10}")
    sums = Counter(verdicts.values())
    kernels = {one.kernel for one in launches() if one.name in verdicts}
    print(f"\n{len(verdicts)} launches of {len(kernels)} kernels: {dict(sums)}")
    return 0 if not sums["not explained"] else 1


def ptx_instructions(listed) -> str:
    """The memory instructions in a kernel's PTX, each with how often it stands there."""
    from grader.toolchain.kernel import compile_kernel
    from grader.toolchain.records import Source

    source = Source(files={listed.main: listed.source()}, main=listed.main)
    ptx = compile_kernel(source, options=listed.options).ptx or ""
    body = re.search(rf"\.entry {listed.kernel}\(.*?(?=\.entry |\.func |\Z)", ptx, re.S)
    found = re.findall(r"\b((?:ld|st|atom|red|cp|ldmatrix|wmma)\.(?!param)[a-z][\w.:]+)", body[0] if body else "")
    return ", ".join(f"{count} {name}" for name, count in sorted(Counter(found).items()))


def sass_instructions(path: Path) -> dict[str, str]:
    """The same of the machine code, by launch, where it was kept."""
    found: dict[str, list[str]] = {}
    for row in csv.DictReader(open(path)) if path.exists() else ():
        found.setdefault(row["launch"], []).append(f"{row['count']} {row['instruction']}")
    return {name: ", ".join(parts) for name, parts in found.items()}


def ptxas_says(listed, theirs: dict[str, str]) -> dict[str, int]:
    """Registers, stack and shared memory, where NVRTC is the same here and there: the driver's words for them."""
    from cuda_driver import nvrtc_version

    from grader.toolchain.records import Source
    from grader.toolchain.resources import kernel_resources

    if not theirs.get("arch") or theirs["nvrtc"] != nvrtc_version():
        return {}
    source = Source(files={listed.main: listed.source()}, main=listed.main)
    one = kernel_resources(source, theirs["arch"], listed.options)[listed.kernel]
    return {"registers": one.registers, "local_bytes": one.stack_bytes, "shared_bytes": one.shared_bytes}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--compare", type=Path, metavar="CSV")
    parser.add_argument("--keep", type=Path, metavar="OUT")
    parser.add_argument("--launch", type=Path, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.launch:
        launch_all(json.loads(options.launch[0].read_text()), options.launch[1])
        return 0
    if options.compare:
        return compare(options.compare)
    if options.keep:
        return keep(options.keep)
    if not options.out:
        parser.error("give a folder for what is measured, or --compare")
    return measure(options.out)


if __name__ == "__main__":
    sys.exit(main())
