"""Classes on TensorRT's headers to try interface tests on: which of their methods TensorRT reaches is known by
construction. Written with fresh names each time, so that no test can know a class by its name."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

NV = "nvinfer1::"
DESC = f"{NV}PluginTensorDesc const*"
DYNAMIC = f"{NV}DynamicPluginTensorDesc const*"
BASES = {  # what a subject is: the interface of each word
    "v3": "IPluginV3", "core": "IPluginV3OneCore", "build": "IPluginV3OneBuild", "build2": "IPluginV3OneBuildV2",
    "runtime": "IPluginV3OneRuntime",
}  # fmt: skip


@dataclass(frozen=True)
class Method:
    """A virtual method with an answer in its base class."""

    name: str
    returns: str
    parameters: tuple[str, ...]
    const: bool
    answer: str
    words: tuple[str, ...]  # the interfaces that have it
    by_ear: str  # its name, nearly
    others: tuple[str, ...]  # other parameters: what somebody would take for it


METHODS = {
    "limit": Method("getFormatCombinationLimit", "int32_t", (), False, "8", ("build", "build2"),
                    "getFormatCombinationlimit", ("int32_t most",)),
    "cache": Method("getTimingCacheID", "char const*", (), False, '"scale"', ("build", "build2"),
                    "getTimingCacheId", ("int32_t device",)),
    "workspace": Method("getWorkspaceSize", "size_t", (DYNAMIC, "int32_t", DYNAMIC, "int32_t"), True, "64",
                        ("build", "build2"), "getWorkSpaceSize", (DESC, "int32_t", DESC, "int32_t")),
    "count": Method("getNbTactics", "int32_t", (), False, "2", ("build", "build2"), "getNbTactic", ("int64_t format",)),
    "values": Method("getValidTactics", "int32_t", ("int32_t*", "int32_t"), False, "0", ("build", "build2"),
                     "getValidTactic", ("int64_t*", "int32_t")),
    "set": Method("setTactic", "int32_t", ("int32_t",), False, "0", ("runtime",), "setTatic", ("int64_t",)),
    "alias": Method("getAliasedInput", "int32_t", ("int32_t",), False, "0", ("build2",), "getAliasedinput",
                    ("int64_t",)),
}  # fmt: skip
TACTICS = ("count", "values", "set")

# How a method can be written: whether TensorRT reaches it, and what that is called.
WAYS: dict[str, tuple[bool, str]] = {
    "override": (True, "it overrides, and says so"),
    "final": (True, "it overrides, and says final"),
    "unsaid": (True, "it overrides, and does not say so"),
    "outside": (True, "it overrides, and is defined outside of the class"),
    "inherited": (True, "a class of the author's has it, from which this one derives"),
    "from-template": (True, "a class template of the author's has it, from which this one derives"),
    "overloaded": (True, "it overrides, beside another function of the same name"),
    "brought-in": (True, "a base class of the author's has it, beside another function of the same name here"),
    "nothing": (False, "nothing of this name is declared, so that the base class answers"),
    "const": (False, "a const more or less makes it another function"),
    "by-ear": (False, "its name is nearly right"),
    "parameters": (False, "with other parameters it is another function"),
    "default": (False, "a parameter with a default makes it another function, though it can be called without"),
    "template": (False, "a function template is never virtual"),
    "two-wrong": (False, "two functions of the name, and neither overrides"),
    "using": (False, "the base class's is brought in beside another one, and still answers"),
    "mixin": (False, "a class beside the interface has it, and overrides nothing"),
    "mixin-used": (False, "a class beside the interface has it, and overrides nothing"),
}
ANSWERS = {"ownFormatLimit": "limit", "ownTimingCacheId": "cache", "ownWorkspaceSize": "workspace", "ownAlias": "alias"}
TESTS = ("ownFormatLimit", "ownTimingCacheId", "ownWorkspaceSize", "tacticsAgree", "ownAlias")

_PURE = {
    "v3": f"{NV}IPluginCapability* getCapabilityInterface({NV}PluginCapabilityType) noexcept override "
    f"{{ return nullptr; }} {NV}IPluginV3* clone() noexcept override {{ return nullptr; }}",
    "core": "char const* getPluginName() const noexcept override { return \"\"; } "
    "char const* getPluginVersion() const noexcept override { return \"\"; } "
    "char const* getPluginNamespace() const noexcept override { return \"\"; }",
    "build": f"int32_t configurePlugin({DYNAMIC}, int32_t, {DYNAMIC}, int32_t) noexcept override {{ return 0; }} "
    f"int32_t getOutputDataTypes({NV}DataType*, int32_t, {NV}DataType const*, int32_t) const noexcept override "
    f"{{ return 0; }} int32_t getOutputShapes({NV}DimsExprs const*, int32_t, {NV}DimsExprs const*, int32_t, "
    f"{NV}DimsExprs*, int32_t, {NV}IExprBuilder&) noexcept override {{ return 0; }} "
    f"bool supportsFormatCombination(int32_t, {DYNAMIC}, int32_t, int32_t) noexcept override {{ return true; }} "
    "int32_t getNbOutputs() const noexcept override { return 1; }",
    "runtime": f"int32_t onShapeChange({DESC}, int32_t, {DESC}, int32_t) noexcept override {{ return 0; }} "
    f"int32_t enqueue({DESC}, {DESC}, void const* const*, void* const*, void*, cudaStream_t) noexcept override "
    f"{{ return 0; }} {NV}IPluginV3* attachToContext({NV}IPluginResourceContext*) noexcept override "
    f"{{ return nullptr; }} {NV}PluginFieldCollection const* getFieldsToSerialize() noexcept override "
    "{ return nullptr; }",
}  # fmt: skip
_PURE["build2"] = _PURE["build"]


@dataclass(frozen=True)
class Subject:
    """A class: the interfaces it derives from, how each of its methods is written (else: not), and its dress."""

    about: str  # the test that it is made for
    words: tuple[str, ...]
    ways: Mapping[str, str]  # a method -> one of WAYS
    others: Mapping[str, str] = field(default_factory=dict)  # methods that have nothing to do with it
    final: bool = False
    struct: bool = False
    place: str = "named"  # "named", "nested", "anonymous" or "global": the namespace

    def __post_init__(self):
        strange = [m for m in (*self.ways, *self.others) if m not in METHODS]
        if strange or self.about not in TESTS or not set(self.words) <= set(BASES):
            raise ValueError(f"no such subject: {self}")

    @property
    def written(self) -> dict[str, str]:
        return {**self.others, **self.ways}

    def has(self, method: str) -> bool:
        return bool(set(METHODS[method].words) & set(self.words))

    def reached(self, method: str) -> bool:
        """Whether TensorRT, which asks the interface, gets the author's own answer."""
        return self.has(method) and WAYS[self.written.get(method, "nothing")][0]

    def named(self, method: str) -> bool:
        """Whether the class has anything of the method's name."""
        return self.has(method) or self.written.get(method, "nothing") not in ("nothing", "by-ear")

    def truth(self, test: str) -> bool:
        """What a right test answers of this class."""
        if test != "tacticsAgree":
            return self.reached(ANSWERS[test])
        return len({self.reached(method) for method in TACTICS if self.has(method)}) <= 1

    def described(self) -> str:
        """What is special about the class, in words."""
        said = []
        for method, way in self.ways.items():
            if self.has(method):
                said.append(f"{METHODS[method].name}: {WAYS[way][1]}")
            elif way == "nothing":
                said.append(f"it has no {METHODS[method].name} at all")
            else:
                said.append(f"{METHODS[method].name} is of another interface: here it overrides nothing")
        return "; ".join(said)


STEMS = {"Kite": "Plugin", "Loom": "Base", "Moss": "Beside"}  # in names that are drawn, and what people see


@dataclass(frozen=True)
class Names:
    """What a subject, its parts and its namespace are called."""

    plugin: str
    base: str
    mixin: str
    scope: str


SHOWN = Names(*STEMS.values(), "ours")


def fresh() -> Names:
    """Names that no answer can know."""
    stem = secrets.token_hex(4)
    return Names(*(f"{word}_{stem}" for word in (*STEMS, "nest")))


def plain(text: str) -> str:
    """A compiler's message about a subject, with the names that people see."""
    text = re.sub(r"(::)?nest_[0-9a-f]{8}(_in)?::|\{anonymous\}::", "", text)
    return re.sub(rf"\b({'|'.join(STEMS)})_[0-9a-f]{{8}}", lambda found: STEMS[found[1]], text)


def source(subject: Subject, names: Names, *, brief: bool = False) -> str:
    """The C++ text. ``brief``: only what the subject is about, for people."""
    written = dict(subject.ways) if brief else subject.written
    parts = _Parts(names)
    for method, way in written.items():
        parts.add(METHODS[method], way, subject)
    bases = [parts.replaced.get(word, NV + BASES[word]) for word in subject.words] + parts.beside
    members = ([] if brief else [_PURE[word] for word in subject.words]) + parts.members
    kind, opening = ("struct", "{") if subject.struct or not members else ("class", "{ public:")
    final = " final" if subject.final else ""
    head = f"{kind} {names.plugin}{final} : {', '.join(f'public {base}' for base in bases)}"
    text = "\n".join([*parts.before, head, opening, *members, "};", *parts.after])
    if brief:
        return text.replace(NV, "")
    inner = {"nested": f"namespace {names.scope}_in {{", "anonymous": "namespace {"}.get(subject.place, "")
    opened = "" if subject.place == "global" else f"namespace {names.scope} {{ {inner}"
    closed = "}" * opened.count("{")
    return "\n".join([opened, text, closed])


def path(subject: Subject, names: Names) -> str:
    """The qualified name of the class."""
    scope = {"nested": f"{names.scope}::{names.scope}_in::", "global": ""}.get(subject.place, f"{names.scope}::")
    return f"::{scope}{names.plugin}"


class _Parts:
    """What stands in front of a class, among its bases, in it and after it."""

    def __init__(self, names: Names):
        self.names, self.before, self.members, self.after = names, [], [], []
        self.replaced: dict[str, str] = {}  # an interface's word -> a base of the author's in its place
        self.beside: list[str] = []

    def add(self, method: Method, way: str, subject: Subject) -> None:
        right = _function(method)
        wrong = _function(method, parameters=method.others)
        word = next((word for word in subject.words if word in method.words), "")
        if way in ("inherited", "from-template", "brought-in"):
            base = self._base(method, word, right, template=way == "from-template")
            if way == "brought-in":
                self.members += [f"using {base}::{method.name};", f"{wrong} {_body(method)}"]
        elif way in ("mixin", "mixin-used"):
            name = f"{self.names.mixin}{len(self.before)}"
            self.before.append(f"class {name} {{ public: {right} {_body(method)} }};")
            self.beside.append(name)
            self.members += [f"using {name}::{method.name};"] if way == "mixin-used" else []
        elif way == "outside":
            self.members.append(f"{right} override;")
            outside = _function(method, owner=f"{self.names.plugin}::")
            self.after.append(f"inline {outside} {_body(method)}")
        else:
            self.members += _members(method, way, NV + BASES[word] if word else "")

    def _base(self, method: Method, word: str, right: str, *, template: bool) -> str:
        """A class of the author's between interface and plugin, which has the method; its name."""
        name = f"{self.names.base}{len(self.before)}"
        head = "template <typename Derived> " if template else ""
        above = self.replaced.get(word, NV + BASES[word])
        self.before.append(f"{head}class {name} : public {above} {{ public: {right} override {_body(method)} }};")
        self.replaced[word] = f"{name}<{self.names.plugin}>" if template else name
        return name


def _members(method: Method, way: str, interface: str) -> list[str]:
    """The members of a class that has the method in one of the plainer ways."""
    right, body = _function(method), _body(method)
    other = f"{_function(method, parameters=method.others)} {body}"
    changed = f"{_function(method, const=not method.const)} {body}"
    return {
        "override": [f"{right} override {body}"],
        "final": [f"{right} final {body}"],
        "unsaid": [f"{right} {body}"],
        "overloaded": [other, f"{right} override {body}"],
        "nothing": [],
        "const": [changed],
        "by-ear": [f"{_function(method, name=method.by_ear)} {body}"],
        "parameters": [other],
        "default": [f"{_function(method, parameters=(*method.parameters, 'int32_t more = 0'))} {body}"],
        "template": [_template(method)],
        "two-wrong": [other, changed],
        "using": [f"using {interface}::{method.name};", other],
    }[way]


def _function(method: Method, *, name="", parameters=None, const=None, owner="") -> str:
    taken = ", ".join(method.parameters if parameters is None else parameters)
    const = method.const if const is None else const
    return f"{method.returns} {owner}{name or method.name}({taken}){' const' if const else ''} noexcept"


def _template(method: Method) -> str:
    """A member template that a call like TensorRT's would pick."""
    first = next(iter(method.parameters), "")
    taken = ["T" if one == first else one for one in method.parameters] or ["T more = 0"]
    head = "template <typename T>" if first else "template <typename T = int32_t>"
    return f"{head} {_function(method, parameters=taken)} {_body(method)}"


def _body(method: Method) -> str:
    return f"{{ return {method.answer}; }}"
