"""``with profile() as p``: what the kernels launched inside did, counted by the simulated GPU."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from grader.gpu.choice import device_kind
from grader.gpu.counters import ratios, total
from grader.gpu.ptxas import SIMULATED, Occupancy, Resources, occupancy, resources
from grader.gpu.tables import profile_html, profile_text

ON_A_GPU = (
    "Counters are not readable from inside CuPy. On a GPU, Nsight Compute reads them: "
    "ncu --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum "
    "python your_script.py. Or run the same code with GRADER_DEVICE=simulated."
)


class CountersUnavailable(RuntimeError):
    """Nothing here can count; the message says what can."""

    def _render_traceback_(self) -> list[str]:
        return [f"CountersUnavailable: {self}"]


@dataclass(frozen=True)
class LaunchRecord:
    """One launch: its shape in blocks and threads, its counters, and the table of its source lines."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    counters: dict[str, float]
    estimates: dict[str, float]
    lines: tuple[dict, ...]
    sources: dict[str, str] = field(default_factory=dict)  # the kernel's files, by name
    shared_bytes: int = 0  # dynamic shared memory of a block


class profile:
    """Records the launches made inside ``with``.

    ``p.launches``: a ``LaunchRecord`` for each; ``p.counters[kernel]``: exact counters by Nsight Compute's
    names, summed over the kernel's launches, with the ratios of ``grader.gpu.counters`` beside them;
    ``p.estimates[kernel]``: what PTX lets estimate, by own names; ``p.lines[kernel]``: a list of
    ``{"file", "line", "counters", "estimates"}``, in the order of the source.
    ``p.resources[kernel]``: registers, spills, stack and shared memory, by ptxas, for the GPU's architecture or for
    ``sm_80``; ``p.occupancy[kernel]``: blocks and warps that a multiprocessor holds at once, of the last launch.
    On a GPU, name the modules: ``profile(module).resources``; CuPy does not tell what it launches.
    On a GPU there are no counters: asking for them raises ``CountersUnavailable``, which says what to do.
    """

    def __init__(self, *modules):
        self._modules = modules
        self._compiled: dict[str, tuple[str, tuple[str, ...]]] = {}  # kernel -> (code, options)
        self._launches: list[LaunchRecord] = []
        self._context = None
        self._kind = device_kind()

    def __enter__(self) -> profile:
        if self._kind == "simulated":
            from grader.gpu.mirror.context import current

            self._context = current()
            self._context.listeners.append(self._record)
        return self

    def __exit__(self, *exc) -> None:
        if self._context is not None:
            self._context.listeners.remove(self._record)
            self._context = None

    @property
    def launches(self) -> list[LaunchRecord]:
        self._need_counters()
        return self._launches

    @property
    def kernels(self) -> list[str]:
        """The kernels launched, in the order of their first launch."""
        return list(dict.fromkeys(launch.kernel for launch in self.launches))

    @property
    def counters(self) -> dict[str, dict[str, float]]:
        sums = {kernel: total(launch.counters for launch in self._of(kernel)) for kernel in self.kernels}
        return {kernel: counters | ratios(counters) for kernel, counters in sums.items()}

    @property
    def estimates(self) -> dict[str, dict[str, float]]:
        return {kernel: _estimates(launch.estimates for launch in self._of(kernel)) for kernel in self.kernels}

    @property
    def lines(self) -> dict[str, list[dict]]:
        return {kernel: _lines(self._of(kernel)) for kernel in self.kernels}

    @property
    def resources(self) -> dict[str, Resources]:
        """Kernels without a source (loaded from PTX) are left out."""
        found: dict[str, Resources] = {}
        for module in self._modules:
            found |= resources(module)
        for kernel, (code, options) in self._compiled.items():
            if code:
                found[kernel] = resources(code, options=options)[kernel]
        return found

    @property
    def occupancy(self) -> dict[str, Occupancy]:
        found = self.resources
        last = {launch.kernel: launch for launch in self._launches}
        return {
            kernel: occupancy(found[kernel], prod(launch.block), launch.shared_bytes, SIMULATED)
            for kernel, launch in last.items()
            if kernel in found
        }

    def _of(self, kernel: str) -> list[LaunchRecord]:
        return [launch for launch in self._launches if launch.kernel == kernel]

    def _record(self, kernel, grid, block, launch, shared_bytes) -> None:
        self._launches.append(
            LaunchRecord(
                kernel, grid, block, dict(launch.counters or {}), dict(launch.estimates), tuple(launch.lines),
                self._context.sources.get(kernel, {}) if self._context else {}, shared_bytes,
            )
        )  # fmt: skip
        if self._context and kernel in self._context.options:
            self._compiled[kernel] = self._context.options[kernel]

    def _need_counters(self) -> None:
        if self._kind != "simulated":
            raise CountersUnavailable(ON_A_GPU)

    def __repr__(self) -> str:
        return ON_A_GPU if self._kind != "simulated" else profile_text(self)

    def _repr_html_(self) -> str:
        return profile_html(self, "" if self._kind == "simulated" else ON_A_GPU)


def _estimates(tables) -> dict[str, float]:
    sums = total({k: v for k, v in table.items() if not k.endswith("efficiency")} for table in tables)
    warps = sums.get("ptx_warp_instructions")
    if warps and "ptx_thread_instructions" in sums:  # a share does not add up: it follows from the sums
        sums["ptx_lane_efficiency"] = sums["ptx_thread_instructions"] / (32 * warps)
    return sums


def _lines(launches: list[LaunchRecord]) -> list[dict]:
    rows: dict[tuple[str, int], list[dict]] = {}
    for launch in launches:
        for row in launch.lines:
            rows.setdefault((row["file"], row["line"]), []).append(row)
    result = []
    for (file, line), same in sorted(rows.items()):
        counters = total(row["counters"] for row in same)
        result.append(
            {
                "file": file, "line": line, "counters": counters | ratios(counters),
                "estimates": _estimates(row["estimates"] for row in same),
            }
        )  # fmt: skip
    return result
