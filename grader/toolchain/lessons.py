"""What a compiler's message about a plugin means, in a sentence that says what to do.

The messages are those of g++ 12 and 13, clang++ 14 and later, and nvcc 13.0 (cudafe++). A warning that names a defect
of a plugin becomes an error here: a method that TensorRT never calls is no matter of taste.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from grader.toolchain.tensorrt import declaration, tensorrt_include
from grader.verdict import Diagnostic


@dataclass
class Said:
    """One message of a compiler, and the notes that it adds."""

    file: str
    line: int
    column: int | None
    severity: str  # "error", "warning", "note"
    message: str
    notes: list[Said] = field(default_factory=list)


_QUOTED = r"[‘'\"]([^’'\"]+)[’'\"]"
_HIDDEN = re.compile(rf"{_QUOTED} was hidden \[-Woverloaded-virtual|function {_QUOTED} is hidden by {_QUOTED}|"
                     rf"{_QUOTED} hides overloaded virtual function")  # fmt: skip
_SUGGEST = re.compile(rf"{_QUOTED} can be marked override|{_QUOTED} overrides a member function but is not marked")
_LOOSER = re.compile(rf"looser exception specification on overriding virtual function {_QUOTED}|"
                     rf"exception specification for virtual function {_QUOTED} is incompatible|"
                     r"exception specification of overriding function is more lax")  # fmt: skip
_ABSTRACT = re.compile(rf"abstract(?: class)? type {_QUOTED}|object of abstract class type {_QUOTED}|"
                       rf"{_QUOTED} is an abstract class")  # fmt: skip
_PURE = re.compile(rf"^\s*{_QUOTED}$|pure virtual function {_QUOTED} has no overrider|"
                   rf"unimplemented pure virtual method {_QUOTED}")  # fmt: skip
_OVERRIDES_NOTHING = re.compile(rf"{_QUOTED} marked [‘'\"]override[’'\"], but does not override|"
                                r"member function declared with \"override\" does not override|"
                                rf"non-virtual member function marked 'override' hides virtual member function|"
                                rf"{_QUOTED} marked 'override' but does not override")  # fmt: skip
_POINTERS = re.compile(r"[‘'\"](?:const )?(?:int64_t|long(?: int)?)(?: const)? ?\*.*"
                       r"[‘'\"](?:const )?(?:int32_t|int)(?: const)? ?\*")  # fmt: skip
_NARROWING = re.compile(r"narrowing conversion .*(?:Dims64|dims)")
_THEIRS = re.compile(r"\bnvinfer1::(?:v_\d+_\d+::)?I\w+::\w+(?:\(|$)")  # a method of an interface
_DISPOSABLE = re.compile(r"\b(?:nvinfer1|v_\d+_\d+|apiv)::|\bvirtual |\bclass |\bstruct ")

NEVER_CALLED = " does not override TensorRT's method, whose parameters differ, so TensorRT never calls it"
OVERRIDES_NOTHING = " overrides nothing"
_DIMS = "TensorRT 10's Dims holds int64_t extents; those of TensorRT 8 were int32_t"
_FOREIGN = (
    (re.compile(r"cublas\w*"), "cuBLAS", "write the product as a kernel of your own"),
    (re.compile(r"cudnn\w*"), "cuDNN", "write it as a kernel of your own"),
    (re.compile(r"nvrtc\w*"), "NVRTC", "compile the kernel with the library"),
    (re.compile(r"cu[A-Z]\w*"), "the CUDA driver", "use the CUDA runtime (cuda...) instead"),
)  # fmt: skip


def plain(signature: str) -> str:
    """A function as one would write it: without TensorRT's namespaces and the return type.

    ``IPluginV3OneBuild::getWorkspaceSize(const DynamicPluginTensorDesc*, int32_t) const``
    """
    text = _DISPOSABLE.sub("", signature).strip()
    head, bracket, rest = text.partition("(")
    return head.split()[-1] + bracket + rest if head.split() else text


def signatures(said: Iterable[Said]) -> dict[str, str]:
    """TensorRT's methods that the log tells in full, by name: ``{"getWorkspaceSize": "IPluginV3OneBuild::..."}``."""
    texts = [text for one in said for text in (one.message, *(note.message for note in one.notes))]
    told = [plain(quoted) for text in texts for quoted in re.findall(_QUOTED, text) if _THEIRS.search(quoted)]
    return {_name(signature): signature for signature in reversed(told)}


def teach(said: Said, known: Mapping[str, str], own: Collection[str], strict: bool) -> Diagnostic | Said | None:
    """The lesson at the author's line; None where there is nothing to say; ``said`` itself where it is about a file
    that is not the author's (``own`` are the author's)."""
    lesson = "error" if strict else "warning"
    if found := _HIDDEN.search(said.message):
        return _hidden(said, next(filter(None, found.groups())), own, lesson)
    if said.file not in own:
        return said
    severity, message = said.severity, said.message
    if found := _SUGGEST.search(message):
        name = _function(found, "")
        severity = lesson
        message = (
            f"{name} overrides a method of its base class: write override after it, so that the compiler tells "
            "when the two no longer fit."
        )
    elif found := _LOOSER.search(message):
        message = (
            f"{_function(found, 'This method')} must be noexcept, as TensorRT's method is: write noexcept before "
            "override, and let no exception out of it."
        )
    elif found := _ABSTRACT.search(message):
        return _abstract(said, _first(found), known, own)
    elif found := _OVERRIDES_NOTHING.search(message):
        function = plain(_first(found)) if _first(found) else ""
        message = _nothing(function, known.get(_name(function)))
    elif _POINTERS.search(message):
        message = f"{_DIMS}: write int64_t const* here, and int64_t for what you read from it."
    elif _NARROWING.search(message):
        message = f"{_DIMS}: keep the value in an int64_t, or write static_cast<int32_t> where it is known to fit."
    return Diagnostic(message=message, severity=severity, file=said.file, line=said.line, column=said.column)


def foreign_header(message: str) -> str:
    """The screen's message about a header; of those of NVIDIA's that are not here, what to do without them."""
    found = re.match(
        r"'(cublas|cudnn|nvrtc|cufft|curand|cusolver|cusparse|nccl)[\w.]*' cannot be included here", message
    )
    if not found:
        return message
    return (
        f"{found[0]}: the simulated GPU runs kernels and none of NVIDIA's libraries, so write that step as a kernel "
        "of your own."
    )


def undefined(name: str) -> str:
    """The sentence about a symbol that no file defines and no library supplies."""
    if name.startswith("vtable for "):
        return f"{name.removeprefix('vtable for ')} declares a virtual function that is never defined."
    for pattern, library, advice in _FOREIGN:
        if pattern.fullmatch(name):
            return f"{name} belongs to {library}, which the library is not linked with here: {advice}."
    if "(" in name:
        return f"{name} is used, but none of your files defines it with these parameters."
    return f'{name} is used, but none of your files defines it; one that does must declare it extern "C" too.'


def _hidden(said: Said, function: str, own: Collection[str], lesson: str) -> Diagnostic | None:
    """A method beside a virtual one of the same name. The obsolete methods of IPluginV2DynamicExt's bases are meant
    to be hidden, and a method missing there makes the class abstract."""
    by = next((note for note in said.notes if note.file in own), None) if said.file not in own else said
    notes = [note.message for note in said.notes]
    full = next((quoted for text in [said.message, *notes] for quoted in re.findall(_QUOTED, text)
                 if _THEIRS.search(quoted)), function)  # fmt: skip
    if by is None or "::IPluginV2" in full:
        return None
    if not _THEIRS.search(full):
        return Diagnostic(message=said.message, severity="warning", file=by.file, line=by.line, column=by.column)
    theirs = plain(full)
    message = f"{_name(theirs)}{NEVER_CALLED}. Declare it as {_declared(theirs)}."
    return Diagnostic(message=message, severity=lesson, file=by.file, line=by.line, column=by.column)


def _abstract(said: Said, name: str, known: Mapping[str, str], own: Collection[str]) -> Diagnostic:
    """A class that lacks a method: told at the class where the compiler names its line."""
    missing = [plain(_first(found)) for note in said.notes if (found := _PURE.search(note.message))]
    at = next((note for note in said.notes if "are pure within" in note.message and note.file in own), said)
    if not missing:
        message = f"{name} cannot be made, since it is abstract: it lacks a method of its base class."
        return Diagnostic(message=message, file=at.file, line=at.line, column=at.column)
    more = ", ".join(map(_name, missing[1:]))
    message = (
        f"{name} cannot be made, since it lacks {_name(missing[0])}, or has it with other parameters or another const. "
        f"Declare it as {_declared(known.get(_name(missing[0]), missing[0]))}."
        + (f" Then the same for {more}." if more else "")
    )
    return Diagnostic(message=message, file=at.file, line=at.line, column=at.column)


def urgency(said: Said) -> int:
    """Sorts what a compiler refuses before what it only warns of; a method that TensorRT never calls leads those."""
    return 0 if said.severity == "error" else 1 if _HIDDEN.search(said.message) else 2


def abstract_class(said: Said) -> str | None:
    """The class that a message calls abstract."""
    found = _ABSTRACT.search(said.message)
    return _first(found) if found else None


def _nothing(function: str, theirs: str | None) -> str:
    what = function or "This method"
    if theirs:
        return f"{what}{OVERRIDES_NOTHING}: declare it as {_declared(theirs)}."
    return f"{what}{OVERRIDES_NOTHING}: compare name, parameters and const with the base class, and correct them."


def _declared(signature: str) -> str:
    """A method of TensorRT's as one declares it in a plugin, as the headers have it where they are found."""
    include, (interface, _, method) = tensorrt_include(), signature.partition("(")[0].rpartition("::")
    text = declaration(include, interface, method) if include and interface else None
    if text is None:
        text = method + signature.partition("(")[1] + signature.partition("(")[2]
    return f"{text.removesuffix(' override').removesuffix(' noexcept')} noexcept override"


def _first(found: re.Match) -> str:
    return next(filter(None, found.groups()), "")


def _function(found: re.Match, otherwise: str) -> str:
    return plain(_first(found)).partition("(")[0] or otherwise


def _name(signature: str) -> str:
    """``getWorkspaceSize`` from ``IPluginV3OneBuild::getWorkspaceSize(...)``."""
    return signature.partition("(")[0].split("::")[-1]
