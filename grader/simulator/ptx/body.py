"""The statements of a function's body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.simulator.ptx.errors import PtxError, Unsupported
from grader.simulator.ptx.isa import REGISTER_WORDS, WITH_COORDINATES
from grader.simulator.ptx.locations import Place, settle
from grader.simulator.ptx.model import (
    SIZES,
    Address,
    Function,
    Group,
    Immediate,
    Instruction,
    Location,
    Name,
    Operand,
    Pair,
    Sum,
)
from grader.simulator.ptx.operands import value

if TYPE_CHECKING:
    from grader.simulator.ptx.parse import Parser

SPACES = {".global": "global", ".const": "const", ".shared": "shared", ".local": "local", ".param": "param"}


class Body:
    """The statements of one function. Names of a nested ``{ }`` hide outer ones: they get a suffix."""

    def __init__(self, parser: Parser, function: Function):
        self.parser, self.tokens, self.function = parser, parser.tokens, function
        self.scope: tuple[int, ...] = ()
        self.renamed: list[dict[str, str]] = []
        self.scopes = 0
        self.names: dict[str, Name] = {}
        self.location: Location | None = None
        self.moved = False  # whether what follows has no line of its own
        self.placeless: set[int] = set()  # its numbers
        self.coordinates = False  # whether the instruction's addresses may have some
        self.video = False  # whether its operands may have a minus

    def parse(self) -> None:
        tokens = self.tokens
        tokens.expect("{")
        while True:
            token = tokens.peek()
            if not token:
                raise PtxError(f"the body of {self.function.name} has no end", tokens.line)
            if token == "{":
                tokens.next()
                self.scopes += 1
                self.scope = (*self.scope, self.scopes)
                self.renamed.append({})
            elif token == "}":
                tokens.next()
                if not self.scope:
                    break
                self.scope = self.scope[:-1]
                self.renamed.pop()
            else:
                self._statement(token)
        settle(self.function.body, self.placeless)
        self._check_branches()

    def _statement(self, token: str) -> None:
        tokens = self.tokens
        if token == ".loc":
            self._loc()
        elif token == ".reg":
            self._registers()
        elif token in SPACES:
            for variable in self.parser.variables_here():
                variable.name = self._declare(variable.name)
                self.function.variables[variable.name] = variable
        elif token == ".pragma":
            self.parser.skip_statement()
        elif token == ";":
            tokens.next()
        elif token.startswith("."):
            raise PtxError(f"`{token}` cannot stand in a function{self._source()}", tokens.line)
        elif tokens.text[tokens.at + 1] == ":":
            tokens.at += 2
            if tokens.peek() in (".branchtargets", ".callprototype", ".calltargets"):
                self._targets(token)
            else:
                self.function.labels[self.scope, token] = len(self.function.body)
        else:
            self._instruction()

    def _targets(self, name: str) -> None:
        tokens = self.tokens
        directive = tokens.next()
        if directive == ".callprototype":
            return self._prototype(name)
        names = [tokens.next()]
        while tokens.accept(","):
            names.append(tokens.next())
        tokens.expect(";")
        lists = self.function.branch_targets if directive == ".branchtargets" else self.function.call_targets
        lists[self._declare(name) if directive == ".calltargets" else name] = tuple(names)

    def _prototype(self, name: str) -> None:
        """``(.param .b32 _) _ (.param .b64 _, .param .b32 _)``: what a call through a pointer passes."""
        tokens = self.tokens
        results = self.parser.parameters() if tokens.peek() == "(" else []
        tokens.expect("_")
        parameters = self.parser.parameters() if tokens.peek() == "(" else []
        tokens.accept(".noreturn")
        tokens.expect(";")
        self.function.prototypes[self._declare(name)] = results, parameters

    def _place(self) -> tuple[str | None, int | None]:
        return (self.location.file, self.location.line) if self.location else (None, None)

    def _source(self) -> str:
        return f" (from {self.location.file}, line {self.location.line})" if self.location else ""

    def _loc(self) -> None:
        tokens = self.tokens
        tokens.next()
        place: Place = (tokens.integer(), tokens.integer(), tokens.integer())
        inlined_at: Place | None = None
        while tokens.accept(","):
            word = tokens.next()
            if word == "inlined_at":
                inlined_at = (tokens.integer(), tokens.integer(), tokens.integer())
            elif word == "function_name":
                tokens.next()
                if tokens.accept("+"):
                    tokens.integer()
            else:
                raise PtxError(f"unexpected {word!r} in .loc", tokens.line)
        # Line 0 marks code that the compiler moved or merged. Accesses get a line in ``settle``; for others what came
        # before will do.
        self.moved = place[1] <= 0
        if not self.moved:
            self.location = self.parser.locations.at(place, inlined_at)

    def _registers(self) -> None:
        tokens = self.tokens
        tokens.next()
        kind = tokens.next()[1:]
        if kind not in SIZES:
            if f".{kind}" in REGISTER_WORDS:
                raise Unsupported(f".reg .{kind}", *self._place())
            raise PtxError(f"`.{kind}` is no type of a register{self._source()}", tokens.line)
        while True:
            name = tokens.next()
            if tokens.accept("<"):
                count = tokens.integer()
                tokens.expect(">")
                if count > 1 << 20:
                    raise PtxError("too many registers", tokens.line)
                for k in range(count):
                    self.function.registers[self._declare(f"{name}{k}")] = kind
            else:
                self.function.registers[self._declare(name)] = kind
            if not tokens.accept(","):
                break
        tokens.expect(";")

    def _declare(self, name: str) -> str:
        if not self.scope:
            return name
        unique = f"{name}@{self.scope[-1]}"
        self.renamed[-1][name] = unique
        return unique

    def _seen(self, name: str) -> str:
        name, dot, selector = name.partition(".")  # of a video instruction's operand, or %tid's axis
        for names in reversed(self.renamed):
            if name in names:
                return names[name] + dot + selector
        return name + dot + selector

    def _name(self, name: str) -> Name:
        """One object for a name and scope, since many operands are the same."""
        seen = self._seen(name) if self.renamed else name
        if (known := self.names.get(seen)) is None:
            known = self.names[seen] = Name(seen)
        return known

    def _instruction(self) -> None:
        tokens = self.tokens
        line = tokens.line
        guard, negated = None, False
        if tokens.accept("@"):
            negated = tokens.accept("!")
            guard = self._seen(tokens.next())
        opcode = tokens.next()
        if not opcode[0].isalpha():
            raise PtxError(f"an instruction expected, {opcode!r} found", line)
        root = opcode.partition(".")[0]
        self.coordinates, self.video = root in WITH_COORDINATES, root == "vmad"
        operands = []
        while not tokens.accept(";"):
            operands.append(self._operand())
            if not tokens.accept(","):
                tokens.expect(";")
                break
        if self.moved:
            self.placeless.add(len(self.function.body))
        self.function.body.append(
            Instruction(opcode, operands, guard, negated, self.location, line, self.scope)
        )

    def _operand(self) -> Operand:
        tokens = self.tokens
        token = tokens.text[tokens.at]
        if token[:1] == "%" and tokens.text[tokens.at + 1] in (",", ";"):  # most operands are a register
            tokens.at += 1
            return self._name(token)
        if tokens.accept("{"):
            return self._group("}")
        if tokens.accept("("):
            return self._group(")")
        if tokens.accept("["):
            inner = value(self.tokens)
            if tokens.accept("+"):
                inner = Sum(inner.name, tokens.integer()) if isinstance(inner, Name) else inner
            elif isinstance(inner, Name) and tokens.peek() == "-":
                inner = Sum(inner.name, tokens.integer())
            if not tokens.accept("]"):
                if self.coordinates:
                    raise Unsupported("address with coordinates", *self._place())
                raise PtxError(f"an address of a base and an offset expected{self._source()}", tokens.line)
            if isinstance(inner, Immediate):
                return Address(None, inner.value)
            return Address(self._seen(inner.name), inner.offset if isinstance(inner, Sum) else 0)
        if self.video and tokens.peek() == "-" and tokens.text[tokens.at + 1][:1] in "%_$":
            tokens.next()
            return Name(self._seen(tokens.next()), minus=True)
        if tokens.accept("!"):
            return Name(self._seen(tokens.next()), negated=True)
        found = value(self.tokens)
        if isinstance(found, Name):
            if tokens.accept("|"):
                return Pair(self._seen(found.name), self._seen(tokens.next()))
            return self._name(found.name)
        return Sum(self._seen(found.name), found.offset) if isinstance(found, Sum) else found

    def _group(self, close: str) -> Group:
        items = []
        while not self.tokens.accept(close):
            items.append(self._operand())
            self.tokens.accept(",")
        return Group(tuple(items))

    def _check_branches(self) -> None:
        for instruction in self.function.body:
            if instruction.opcode.split(".")[0] != "bra":
                continue
            target = instruction.operands[0] if instruction.operands else None
            if not isinstance(target, Name) or self.function.target(instruction.scope, target.name) is None:
                raise PtxError("a branch to a label that does not exist", instruction.ptx_line)
