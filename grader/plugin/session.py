"""One plugin process: the C++ host with a plugin library in it, and what can be asked of it.

What it reports of itself is a claim of a process that runs the plugin's code; what the device process saw is evidence.

>>> with Session(library, device=device) as session:
...     creator = session.creators()[0]
...     plugin = session.create(creator, fields)
...     plugin.output_types([FLOAT])
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grader.plugin.answers import fits
from grader.plugin.build import HostUnavailable, build_host
from grader.plugin.lastwords import LastWords, last_words
from grader.plugin.objects import Plugin, plugin_of
from grader.plugin.patience import Patience
from grader.plugin.records import Creator, Descriptor, Field, Loaded, fields_of
from grader.plugin.trace import Trace
from grader.plugin.values import Garbled, decode, encode
from grader.sandbox import Child, ChildEnded, Limits, Outcome
from grader.simulator.runtime.build import build_cudart
from grader.toolchain import tensorrt
from grader.toolchain.standins import stand_ins
from grader.verdict import State

BUILD, RUNTIME = 0, 1  # TensorRTPhase
LIMITS = Limits(wall_seconds=10.0, memory_bytes=2 << 30, processes=64, reply_bytes=512 << 20)


class PluginEnded(Exception):
    """The plugin process died, hung, or wrote to the host's channel. ``words`` says why, for learners."""

    def __init__(self, outcome: Outcome, method: str):
        self.outcome, self.method = outcome, method
        self.words: LastWords = last_words(outcome, method)
        super().__init__(self.words.sentence)


class HostProblem(Exception):
    """The host refused a command, as for a method of a capability that the object has not."""


class OtherFamily(HostProblem):
    """A plugin of an interface that is not driven here: older than IPluginV2DynamicExt."""

    _NAMES = {0: "IPluginV2", 1: "IPluginV2Ext", 2: "IPluginV2IOExt"}  # PluginVersion, NvInferRuntimePlugin.h 10.14

    def __init__(self, family: int):
        name = f"an {self._NAMES[family]}" if family in self._NAMES else "of another family"
        super().__init__(f"The plugin is {name}; IPluginV3 and IPluginV2DynamicExt are driven here")


class Session:
    """A context manager. Every method may raise ``PluginEnded``: the session is over. ``HostUnavailable`` at start."""

    def __init__(
        self,
        library: str | Path,
        *,
        device=None,  # simulator.runtime.client.RuntimeDevice: kernels run there
        cuda: Path | None = None,  # the CUDA runtime to load; None: the stand-in
        trace: Trace | None = None,
        limits: Limits = LIMITS,
        patience: Patience | None = None,  # shared with other processes of the same library
        environment: Mapping[str, str] | None = None,
        program: Sequence[str] = (),  # what runs the host, as for a Python plugin; empty: the host's own program
    ):
        registry = tensorrt.lean_library()
        if registry is None:
            raise HostUnavailable(
                "Plugins cannot be driven here: NVIDIA's plugin registry (tensorrt-lean-cu13-libs) is missing. "
                "`grader doctor` says how to get it."
            )
        self.library, self.trace, self._limits = Path(library).resolve(), trace or Trace(), limits
        self._patience = patience or Patience()
        self._asked = secrets.randbits(62)  # the number of a question; what is not its answer is forged
        self.process = self.trace.new_process()
        self.messages: list[tuple[int, str]] = []  # (severity, text) of the plugin's log
        self.seconds = 0.0  # of the last call, in the plugin
        self._names: dict[str, int] = {}
        host = list(program) or [str(build_host())]
        connection = device.connection() if device is not None else None
        try:
            cuda = cuda or build_cudart()
            command = [*host, str(registry), str(cuda)]
            descriptors = []
            if connection is not None:
                descriptors = [connection.fileno()]
                command.append(f"--device={connection.fileno()}")
            # Where a library of another CUDA version finds its runtime, and one that needs cuBLAS or TensorRT's own
            # libraries finds what stands in for them.
            folders = [*filter(None, (cuda.parent, stand_ins(self.library)))]
            paths = {"LD_LIBRARY_PATH": os.pathsep.join(map(str, folders))}
            reads = [*filter(os.path.isabs, command), *folders, registry.parent, self.library]
            self._child = Child(
                command, limits=limits, env={**paths, **(environment or {})}, pass_fds=descriptors, reads=reads
            )
        except ChildEnded as ended:
            raise PluginEnded(ended.outcome, "start") from None
        finally:
            if connection is not None:
                connection.close()
        try:
            self.loaded = self._load()
        except BaseException:
            self.close()
            raise

    # ---- the library and its creators ----

    def _load(self) -> Loaded:
        opened = self.ask("load", [str(self.library)], method="dlopen")
        if len(opened) == 1:
            return Loaded(error=opened[0])
        self.ask("logger", [], method="setLoggerFinder")
        listed = self.ask("list", [], method="getCreators")
        if listed[2]:  # loadLibrary() handed over TensorRT's own finder, which finds no logger outside of an engine
            self.ask("logger", [], method="setLoggerFinder")
        return Loaded.of([*opened, *listed])

    def creators(self) -> tuple[Creator, ...]:
        """The library's creators: those that it lists, else those that registered themselves."""
        numbers = [n for n in (*(self.loaded.listed or ()), *self.loaded.self_registered) if n is not None]
        return tuple(map(self.creator, dict.fromkeys(numbers)))

    def creator(self, number: int) -> Creator:
        kind, major, name, version, namespace, fields = self.ask("creator", [number], method="getFieldNames")
        found = Creator(number, kind, major, name, version, namespace, fields_of(fields))
        family = "IPluginCreatorV3One" if found.is_v3 else "IPluginCreator"
        for method, result in (
            ("getPluginName", name),
            ("getPluginVersion", version),
            ("getPluginNamespace", namespace),
        ):
            self.trace.add(self.process, "creator", family, method, [], result, 0.0)
        names = None if fields is None else [row[0] for row in fields]
        self.trace.add(self.process, "creator", family, "getFieldNames", [], names, self.seconds)
        return found

    def look_up(self, name: str, version: str, namespace: str) -> int | None:
        """The number of the creator that NVIDIA's registry finds; None where it finds none."""
        found = self.ask("look-up", [name, version, namespace], method="IPluginRegistry::getCreator")
        self.trace.add(self.process, "registry", "IPluginRegistry", "getCreator", [name, version, namespace],
                       None if found is None else "creator", self.seconds)  # fmt: skip
        return found

    def register(self, creator: Creator, namespace: str = "") -> bool:
        """IPluginRegistry::registerCreator: whether the registry took it."""
        return bool(self.ask("register", [creator.number, namespace], method="IPluginRegistry::registerCreator"))

    # ---- plugins ----

    def create(
        self, creator: Creator, fields: Sequence[Field] | None, phase: int = BUILD, layer: str = "layer"
    ) -> Plugin | None:
        """``createPlugin``; None where it returns null. The fields' memory is gone when it returns."""
        rows = None if fields is None else [field.wire() for field in fields]
        made = self.ask("create", [creator.number, layer, rows, phase], method="createPlugin")
        shown = [layer, None if fields is None else [f.name for f in fields]]
        if creator.is_v3:
            shown.append("kRUNTIME" if phase == RUNTIME else "kBUILD")
        return self._made(creator, made, "createPlugin", shown, "runtime plugin" if phase == RUNTIME else "plugin")

    def deserialize(self, creator: Creator, blob: bytes | None, layer: str = "layer") -> Plugin | None:
        """``IPluginCreator::deserializePlugin``; None where it returns null. ``blob`` None: a null pointer."""
        made = self.ask("deserialize", [creator.number, layer, blob], method="deserializePlugin")
        return self._made(creator, made, "deserializePlugin", [layer, f"{len(blob or b'')} bytes"], "runtime plugin")

    def _made(self, creator: Creator, made, method: str, shown, noun: str) -> Plugin | None:
        if made is not None and made[0] == 0:
            raise OtherFamily(made[1])
        plugin = None if made is None else plugin_of(self, creator, made, self.name(noun))
        family = "IPluginCreatorV3One" if creator.is_v3 else "IPluginCreator"
        self.trace.add(self.process, "creator", family, method, shown, plugin.name if plugin else None, self.seconds)
        return plugin

    def name(self, noun: str) -> str:
        """ "plugin 1", "plugin 2", …: what an object is called in the trace."""
        self._names[noun] = self._names.get(noun, 0) + 1
        return f"{noun} {self._names[noun]}"

    def many_lives(
        self, creator: Creator, fields: Sequence[Field], lives: int, run: list | None = None,
        build: tuple[Sequence[Descriptor], Sequence[Descriptor], int] | None = None,
    ) -> tuple[int, int]:  # fmt: skip
        """Create, configure, clone, attach, run and destroy so many times: how many lives went well, bytes that the
        heap grew. ``build``: what to configure it for, inputs and outputs, and the tactic."""
        rows = [field.wire() for field in fields]
        how = build and [[each.dynamic() for each in build[0]], [each.dynamic() for each in build[1]], build[2]]
        well, before, after = self.ask("lives", [creator.number, "layer", rows, lives, run, how], method="100 lives")
        return well, after - before

    def in_threads(self, rounds: int, scripts: Sequence[Sequence[list]]) -> list[list[int]]:
        """Run steps (``Plugin.step``) in one thread for each script: the statuses of each thread's calls."""
        return self.ask("threads", [rounds, [list(script) for script in scripts]], method="enqueue in two threads")

    def unload(self) -> bool:
        """Deregister the library and close it."""
        return bool(self.ask("unload", [], method="dlclose"))

    # ---- the conversation ----

    def ask(self, command: str, arguments: list, *, method: str) -> Any:
        """One command of ``host/main.cpp``. ``method``: what to say is being called, should the process end."""
        self._asked += 1
        seconds = self._patience.seconds(method, self._limits.wall_seconds)
        try:
            _, payload = self._child.call({}, encode([command, arguments, self._asked]), wall_seconds=seconds)
            number, result, self.seconds, messages, *problem = decode(payload)
            if number != self._asked or not (problem or fits(command, arguments, result)):
                raise Garbled("not the answer to what was asked")
            self.messages += [(severity, text) for severity, text in messages][: 1000 - len(self.messages)]
        except ChildEnded as ended:
            if ended.outcome.state is State.TIMEOUT:
                self._patience.lost(method)
            raise PluginEnded(ended.outcome, method) from None
        except (Garbled, ValueError, TypeError):
            raise PluginEnded(self._forged(), method) from None
        if problem:
            raise HostProblem(str(problem[0]))
        return result

    def _forged(self) -> Outcome:
        self.close()
        return Outcome(state=State.ERROR, message="sent an answer that is none")

    @property
    def over(self) -> bool:
        """Whether the process has ended."""
        return self._child.outcome is not None

    def close(self) -> None:
        self._child.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exception) -> None:
        self.close()
