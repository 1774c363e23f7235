"""What the rules share: the library, its spec, plugin processes, contexts that are ready to run, references.

Everything is made when it is first asked for, kept where that is safe, and made anew after a plugin process has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from grader.plugin import life
from grader.plugin.build import build_host
from grader.plugin.execute import Case, Run, Runner, make_case
from grader.plugin.guess import guess_attributes
from grader.plugin.guess_inputs import LIMITS, guess_inputs
from grader.plugin.life import Stored
from grader.plugin.objects import Plugin
from grader.plugin.patience import Patience
from grader.plugin.python_plugins import python_session
from grader.plugin.reference import ReferenceRunner
from grader.plugin.session import PluginEnded, Session
from grader.plugin.spec_records import Combination, Spec
from grader.plugin.trace import Trace
from grader.simulator.runtime.build import build_cudart

# What memory of a plugin process that was freed, or not yet written, is filled with, so that who reads it reads
# something else: glibc.malloc.perturb fills the heap, the host the stack below its own frames (host/plugin.cpp).
FILL = 0xA5


class Ready:
    """A context in a plugin process, made as a runtime makes it, with what runs it."""

    def __init__(self, session: Session, plugin: Plugin, context: Plugin, runner: Runner, stored: Stored):
        self.session, self.plugin, self.context, self.runner, self.stored = session, plugin, context, runner, stored
        self.device = runner.device


class Bench:
    """A context manager. ``device`` is a ``RuntimeDevice`` for level L1, None for L0."""

    def __init__(
        self, library: Path, spec: Spec, *, device=None, kernels: bool | None = None, trace: Trace | None = None
    ):
        """``kernels``: whether they run on the device (None: where there is one); else it has its memory alone."""
        self.library, self.spec, self.device = Path(library), spec, device
        self.kernels = device is not None if kernels is None else kernels
        self.cuda = device is not None  # whether the library's calls of CUDA are answered
        self.guessed = False  # whether attributes are guessed, not the user's
        self.no_kernels = ""  # why no kernels are run although they could be, as a sentence
        self.inputs_guessed = False  # whether the inputs are, too
        self.unmade = ""  # why no plugin can be made of a guess, and what to do
        self.trace = trace or Trace()
        self.ended: list[PluginEnded] = []  # every end of a plugin process, for the rules that own them
        self.faults: list[Any] = []  # every fault of the device that no rule provoked
        self.patience = Patience()
        self._renewed = None  # a device that took the place of one that ended
        self._sessions: list[Session] = []
        self._shared: Session | None = None
        self._runtime: Session | None = None
        self._stored: dict[Any, Stored] = {}
        self._once: dict[Any, Any] = {}
        self._reference: ReferenceRunner | None = None

    trials_apart = True  # whether each trial has a process of its own
    heap_tells = True  # whether what the heap grows by is the plugin's

    # ---- plugin processes ----

    def fresh(self, fill: int | None = FILL, **options) -> Session:
        """A new plugin process with the library in it; closed with the bench at the latest.

        ``fill`` None: memory as it comes, and glibc notices at once what is freed twice.
        """
        tunables = f"glibc.malloc.perturb={fill}:glibc.malloc.tcache_count=0"  # its cache would leave memory unfilled
        environment = {"GLIBC_TUNABLES": tunables, "GRADER_FILL": str(fill)}
        session = self._start(environment=environment if fill is not None else {}, **options)
        self._sessions.append(session)
        return session

    def _start(self, **options) -> Session:
        common = {"device": self.device, "trace": self.trace, "patience": self.patience}
        if self.is_python:
            return python_session(self.library, **common, **options)
        host, cuda = self.once("host", lambda: (str(build_host()), build_cudart()))  # found once, not for each process
        return Session(self.library, program=[host], cuda=cuda, **common, **options)

    def session(self) -> Session:
        """The process that rules share which leave it as they found it."""
        if self._shared is None or self._shared.over:
            self._shared = self.fresh()
        return self._shared

    def runtime(self) -> Session:
        """The same for running contexts: each rule attaches its own."""
        if self._runtime is None or self._runtime.over:
            self._runtime = self.fresh()
        return self._runtime

    def settle(self) -> None:
        """The device as every rule finds it. Processes of which a kernel was at fault are of no more use, as with CUDA:
        all are ended then."""
        if self.device is None:
            return
        self.device.order("eager")
        if self.device.fault(forget=True) is not None:
            for session in self._sessions:
                session.close()

    def device_of(self, session: Session):
        """Where the kernels of a plugin process run."""
        return self.device

    @property
    def is_python(self) -> bool:
        """A class-based Python plugin, driven through NVIDIA's bindings."""
        return self.library.suffix == ".py"

    @property
    def is_v3(self) -> bool:
        return life.find_creator(self.session(), self.spec).is_v3

    # ---- plugins ----

    def plugin(self, session: Session | None = None, changed: Mapping[str, Any] | None = None) -> Plugin:
        """A build-phase plugin with the spec's attributes, some of them changed."""
        return life.create(session or self.session(), self.spec, changed)

    def combination(self) -> Combination:
        """The first that the plugin must accept, with the types of the outputs as the plugin says them."""
        return self.stored().combination

    def stored(self, combination: Combination | None = None, changed: Mapping[str, Any] | None = None) -> Stored:
        """What a plan would keep, from a build in the shared process. Kept by combination and changes."""
        key = combination, tuple(sorted((changed or {}).items()))
        if key not in self._stored:
            plugin = self.plugin(changed=changed)
            self._stored[key] = life.build(plugin, self.spec, combination)
            plugin.end()
        return self._stored[key]

    def ready(
        self, combination: Combination | None = None, *, changed: Mapping[str, Any] | None = None,
        session: Session | None = None, stored: Stored | None = None,
    ) -> Ready:  # fmt: skip
        """A context as a runtime has it: rebuilt from what was stored, in a new process unless ``session`` is given."""
        stored = stored or self.stored(combination, changed)
        session = session or self.fresh()
        plugin = life.revive(session, stored)
        context = life.attach(plugin)
        runner = Runner(self.device_of(session), self.spec, stored.shapes, stored.workspace)
        return Ready(session, plugin, context, runner, stored)

    # ---- cases and what is right ----

    def case(
        self, rng: np.random.Generator, extents: Mapping[str, int] | str = "opt",
        combination: Combination | None = None, *, special: bool = False,
    ) -> Case:  # fmt: skip
        return make_case(self.spec, self.stored(combination).combination, extents, rng, special=special)

    def expected(self, case: Case, changed: Mapping[str, Any] | None = None) -> list[np.ndarray]:
        """What the reference says, an array for each output; ``ReferenceFailed`` where it says nothing."""
        if self._reference is None:
            self._reference = ReferenceRunner(self.spec)
        return self._reference(case.inputs, changed)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What ``make`` gives, made the first time that any rule asks for it."""
        if key not in self._once:
            self._once[key] = make()
        return self._once[key]

    def redraw(self) -> None:
        """Forget the drawn cases and what was run on them: the next rule that asks draws others. They are run in one
        process, since the first runs of new processes were looked at before."""
        self._once = {key: made for key, made in self._once.items() if key[0] not in ("case", "trial")}
        self.trials_apart = False

    def guess(self) -> None:
        """Make up what the spec leaves out, as far as the library tells."""
        if not self.spec.attributes and not self.spec.inputs:
            try:
                guess = guess_attributes(self._start, self.spec)
            except PluginEnded:  # the first rule meets the same, and says it
                return
            self.guessed, self.spec, self.unmade = guess.spec is not self.spec, guess.spec, guess.unmade
        if not self.spec.inputs and not self.is_python and not self.unmade:
            self._guess_inputs()

    def _guess_inputs(self) -> None:
        def start() -> Session:
            return Session(self.library, device=self.device, limits=LIMITS)

        device = self.device if self.kernels else None
        self.spec, self.no_kernels = guess_inputs(start, self.spec, device)
        self.inputs_guessed = bool(self.spec.inputs)

    def same(self, first: Run, second: Run) -> bool:
        """Whether two runs gave the same: byte for byte, since the simulated GPU has no moods."""
        return first.data == second.data

    def sweep(self) -> None:
        """After a rule: end the processes that it started, and start what has ended that all rules share."""
        if lost := self.device is not None and self.device.over:
            self.device.close()
            self.device = self._renewed = type(self.device).start()
        for session in self._sessions:
            if session is not self._shared or lost:
                session.close()
        self._sessions = [each for each in self._sessions if not each.over]

    def close(self) -> None:
        for session in self._sessions:
            session.close()
        if self._reference is not None:
            self._reference.close()
        if self._renewed is not None:
            self._renewed.close()

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *exception) -> None:
        self.close()


def shown(values: Sequence[Any]) -> str:
    """A row for a message: "3, 5, 7"."""
    return ", ".join(map(str, values))
