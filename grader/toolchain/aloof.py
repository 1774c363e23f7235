"""What a host C++ answer must leave alone: it is one program with the grader's harness, which reports on it.

An answer that could speak on the harness' channel, change its names or write its records would report on itself. So it
may define no macro that the harness' text contains, put no names together, use no name of the harness' own, give no
function another name, and call no function of the system beyond C's and C++'s libraries. Machine code that looks for
the channel by itself is beyond this: such an answer must work out what a right one does in every case.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from grader.toolchain.elf import ElfError, read_elf
from grader.toolchain.lexer import Reading, read
from grader.verdict import Diagnostic

_OPENS = {"namespace", "class", "struct", "union", "enum"}
_GLOBAL = re.compile(r"g[A-Z]\w*")  # how the harness names its variables
_MACRO = re.compile(r"[^\W\d][\w$]*")
_PRAGMA = re.compile(
    r"\s*(once|pack\b.*|GCC\s+(diagnostic|unroll|ivdep|push_options|pop_options|optimize)\b.*|message\b.*)\s*"
)
_ATTRIBUTES = {"alias", "constructor", "copy", "destructor", "ifunc", "init_priority", "naked", "section", "symver",
               "weakref"}  # fmt: skip
_JOINS = {"##", "%:%:"}
# What C's own headers declare, as the GNU library names it, and what compilers call by themselves.
_C = re.compile(
    r"""(_*(mem(cpy|move|set|cmp|chr)|(str|wcs|wmem|isw?|tow|mb|wc)[a-z0-9_]+|to(upper|lower)|isoc\d\d_\w+)(_chk)?
    |malloc|calloc|realloc|free|aligned_alloc|l?l?abs|l?l?div|s?rand|qsort|bsearch|ato[a-z]+|abort|v?f?w?s?n?(printf|scanf)
    |_?exit|_Exit|quick_exit|at_quick_exit|atexit|getenv|_*v?f?w?s?n?printf_chk|f?puts|f?putw?c|putchar|f?getw?s|f?getw?c
    |getchar|fwrite|fread|fopen(64)?|fclose|fflush|fseek|ftell|f[gs]etpos(64)?|rewind|remove|rename|tmpfile(64)?|setv?buf
    |perror|feof|ferror|clearerr|ungetw?c|std(in|out|err)|time|clock|difftime|mktime|gmtime|localtime|asctime|ctime
    |timespec_get|clock_gettime|nanosleep|clock_nanosleep|signal|raise|_?setjmp|__sigsetjmp|(__)?longjmp(_chk)?
    |localeconv|setlocale|pthread_\w+|sched_yield|__(cxa|libc_start|gmon_start|errno_loc|assert|stack_chk|tls|cxa_)\w*
    |_ITM_\w+|__ctype_\w+|__vs?n?printf_chk|secure_getenv|get_nprocs|__fdelt_chk)""",
    re.X,
)
_NOT_C = {"pthread_sigqueue", "pthread_kill", "strsignal"}
_CXX = ("libstdc++", "libgcc", "libm.")  # their functions are the language's


def check_names(
    answer: Mapping[str, Reading], harness: Mapping[str, Reading], private: Collection[str]
) -> Iterator[Diagnostic]:
    """What the answer's files may not say. ``private``: the files of the harness that are no supplied headers."""
    used = {token.text for reading in harness.values() for token in reading.tokens if token.kind == "name"}
    reserved = set().union(*(_own_names(harness[name]) for name in private if name in harness))
    reserved -= set().union(*(_own_names(reading) for name, reading in harness.items() if name not in private))
    for file, reading in answer.items():

        def problem(message: str, line: int, file=file) -> Diagnostic:
            return Diagnostic(message=message, file=file, line=line)

        texts = [(token.text, token.kind, token.line) for token in reading.tokens]
        for directive in reading.directives:
            if directive.name == "define":
                inside = read(directive.text, file).tokens
                texts += [(token.text, token.kind, directive.line) for token in inside]
                name = _MACRO.match(directive.text)
                if name and (name[0] in used or name[0] in _KEYWORDS):
                    yield problem(f"A macro cannot be called {name[0]} here: that is a name already.", directive.line)
            elif directive.name == "pragma" and not _PRAGMA.fullmatch(directive.text):
                yield problem("This #pragma is not accepted in an answer: remove it.", directive.line)
        for index, (text, kind, line) in enumerate(texts):
            following = texts[index + 1][0] if index + 1 < len(texts) else ""
            if text in _JOINS or (text == "#" and following == "#"):
                yield problem("Names cannot be put together by ## in an answer: write them out.", line)
            elif kind == "name" and text in reserved:
                yield problem(f"{text} is the grader's own name: choose another.", line)
            elif text == "extern" and following.lstrip("uUL8").startswith('"'):
                yield problem(f"An answer is plain C++ here: leave out extern {following}.", line)
            elif kind == "name" and text.strip("_") in _ATTRIBUTES and _in_attribute(texts, index):
                yield problem(f"The attribute {text} is not accepted in an answer: remove it.", line)


def foreign_functions(program: bytes, harness: Mapping[str, Reading]) -> list[str]:
    """Functions of the system that a program calls and C++ does not have, but for those that the harness names."""
    known = {token.text for reading in harness.values() for token in reading.tokens if token.kind == "name"}
    with tempfile.TemporaryDirectory(prefix="grader-") as folder:
        path = Path(folder) / "program"
        path.write_bytes(program)
        try:
            undefined = read_elf(path).undefined
        except ElfError:  # what a compiler made of an answer can be read, unless somebody meddled with it
            return ["something that cannot be read"]
    return sorted(
        symbol.name for symbol in undefined
        if not symbol.name.startswith("_Z") and not symbol.library.startswith(_CXX) and symbol.name not in known
        and (symbol.name in _NOT_C or not _C.fullmatch(symbol.name))
    )  # fmt: skip


def _own_names(reading: Reading) -> set[str]:
    """The scopes that a file opens, and its global variables."""
    tokens = reading.tokens
    scopes = {b.text for a, b in zip(tokens, tokens[1:], strict=False) if a.text in _OPENS and b.kind == "name"}
    return scopes | {token.text for token in tokens if token.kind == "name" and _GLOBAL.fullmatch(token.text)}


def _in_attribute(texts: list, index: int) -> bool:
    """Whether a name stands in brackets that an attribute opens."""
    depth = 0
    for at in range(index - 1, max(-1, index - 64), -1):
        text = texts[at][0]
        depth += (text in ")]") - (text in "([") if len(text) == 1 else 0
        if depth < 0 and (texts[at - 1][0].startswith("__attr") or text == texts[at - 1][0] == "["):
            return True
        if text in ";{}":
            return False
    return False


_KEYWORDS = frozenset(
    """alignas alignof asm auto bool break case catch char class const constexpr const_cast continue decltype default
    delete do double dynamic_cast else enum explicit export extern false final float for friend goto if inline int long
    mutable namespace new noexcept nullptr operator override private protected public register reinterpret_cast return
    short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef
    typeid typename union unsigned using virtual void volatile wchar_t while std""".split()
)
