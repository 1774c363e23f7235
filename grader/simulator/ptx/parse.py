"""The parser of PTX text."""

from __future__ import annotations

import re
import struct

from grader.simulator.ptx.errors import PtxError, Unsupported
from grader.simulator.ptx.lexer import Tokens, parse_integer
from grader.simulator.ptx.locations import Locations, Place
from grader.simulator.ptx.model import (
    SIZES,
    Address,
    Function,
    Group,
    Immediate,
    Instruction,
    Location,
    Module,
    Name,
    Operand,
    Pair,
    Sum,
    Variable,
)

_LINKAGE = {".visible", ".extern", ".weak", ".common"}
_SPACES = {".global": "global", ".const": "const", ".shared": "shared", ".local": "local", ".param": "param"}
_WORD = re.compile(r"[%_$A-Za-z][\w$%]*")
_MOST_BYTES = 1 << 32


def parse(text: str) -> Module:
    """Parse a PTX module. Raises ``PtxError`` where it is malformed and ``Unsupported`` for what is not modelled."""
    return _Parser(text).module()


class _Parser:
    def __init__(self, text: str):
        self.tokens = Tokens(text)
        files = {int(number): name for number, name in re.findall(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', text, re.M)}
        self.locations = Locations(files)
        self.result = Module()

    # ---- module scope ----

    def module(self) -> Module:
        tokens = self.tokens
        while token := tokens.peek():
            if token in _LINKAGE:
                tokens.next()
            elif token in (".version", ".address_size"):
                tokens.next(), tokens.next()
                if tokens.accept("."):
                    tokens.next()
            elif token == ".target":
                tokens.next()
                self.result.target = tokens.next()
                while tokens.accept(","):
                    tokens.next()
            elif token == ".file":
                self._skip_file()
            elif token == ".section":
                tokens.next(), tokens.next()
                tokens.skip_group()
            elif token in (".entry", ".func"):
                self._function(token == ".entry")
            elif token in _SPACES:
                for variable in self._variables():
                    self.result.variables[variable.name] = variable
            elif token in (".pragma", ".alias"):
                self._skip_statement()
            else:
                raise PtxError(f"unexpected {token!r}", tokens.line)
        return self.result

    def _skip_file(self) -> None:
        tokens = self.tokens
        tokens.next(), tokens.next(), tokens.next()
        while tokens.accept(","):
            tokens.next()

    def _skip_statement(self) -> None:
        while self.tokens.next() != ";":
            pass

    # ---- variables ----

    def _variables(self) -> list[Variable]:
        """``.global .align 4 .b8 name[16] = {...}, other;`` with the space as the current token."""
        tokens = self.tokens
        space = _SPACES[tokens.next()]
        align, kind = self._type_of_variable()
        found = [self._declarator(space, align, kind)]
        while tokens.accept(","):
            found.append(self._declarator(space, align, kind))
        tokens.expect(";")
        return found

    def _type_of_variable(self) -> tuple[int, str]:
        tokens, align, kind = self.tokens, 0, ""
        while tokens.peek().startswith("."):
            word = tokens.next()
            if word == ".align":
                align = tokens.integer()
            elif word[1:] in SIZES and word != ".pred":
                kind = word[1:]
            elif word in (".ptr", ".global", ".const", ".shared", ".local", ".param"):
                continue  # attributes of a pointer parameter
            elif word in (".v2", ".v4"):
                raise Unsupported(f"variable of vector type {word}")
            else:
                raise Unsupported(word)
        if not kind:
            raise PtxError("a type expected", tokens.line)
        if align < 0 or align & (align - 1):
            raise PtxError("an alignment must be a power of two", tokens.line)
        return align, kind

    def _declarator(self, space: str, align: int, kind: str) -> Variable:
        tokens = self.tokens
        name = tokens.next()
        count, array = 1, False
        while tokens.accept("["):
            array = True
            count *= 0 if tokens.peek() == "]" else tokens.integer()
            tokens.expect("]")
        size = SIZES[kind]
        if not 0 <= count * size <= _MOST_BYTES:
            raise PtxError(f"{name} is too large", tokens.line)
        variable = Variable(name, space, kind, count * size if array else size, align or size)
        if tokens.accept("="):
            self._initialiser(variable, size)
        return variable

    def _initialiser(self, variable: Variable, size: int) -> None:
        tokens = self.tokens
        data = bytearray()

        def one() -> None:
            if tokens.accept("{"):
                while not tokens.accept("}"):
                    one()
                    tokens.accept(",")
                return
            operand = self._value()
            if isinstance(operand, Immediate):
                data.extend((operand.value & ((1 << 8 * size) - 1)).to_bytes(size, "little"))
                return
            name = operand.name
            if name == "generic" and tokens.accept("("):
                operand = self._value()
                name = operand.name
                tokens.expect(")")
            offset = operand.offset if isinstance(operand, Sum) else 0
            if size != 8:
                raise Unsupported(f"address of {name} in {variable.type} data")
            variable.references.append((len(data), name, offset))
            data.extend(bytes(8))

        one()
        if len(data) > variable.bytes:
            raise PtxError(f"the initial value of {variable.name} is too long", tokens.line)
        variable.initial = bytes(data)

    # ---- functions ----

    def _function(self, kernel: bool) -> None:
        tokens = self.tokens
        tokens.next()
        results = self._parameters() if tokens.peek() == "(" else []
        function = Function(tokens.next(), kernel, results=results)
        if tokens.peek() == "(":
            function.parameters = self._parameters()
        while tokens.peek().startswith("."):
            self._performance_directive(function)
        if tokens.accept(";"):
            self.result.declared.add(function.name)
            return
        _Body(self, function).parse()
        self.result.functions[function.name] = function

    def _parameters(self) -> list[Variable]:
        tokens = self.tokens
        tokens.expect("(")
        found = []
        while not tokens.accept(")"):
            if tokens.peek() == ".reg":
                raise Unsupported("parameter in a register")
            tokens.expect(".param")
            align, kind = self._type_of_variable()
            found.append(self._declarator("param", align, kind))
            tokens.accept(",")
        return found

    def _performance_directive(self, function: Function) -> None:
        tokens = self.tokens
        word = tokens.next()
        if word in (".maxntid", ".reqntid"):
            threads = tokens.integer()
            while tokens.accept(","):
                threads *= tokens.integer()
            function.max_threads = threads
        elif word in (".minnctapersm", ".maxnreg", ".maxnctapersm"):
            tokens.integer()
        elif word != ".noreturn":
            raise Unsupported(word)

    # ---- operands ----

    def _value(self) -> Operand:
        """A name, a name plus an offset, or a constant."""
        tokens = self.tokens
        if tokens.accept("-"):
            value = parse_integer(tokens.peek())
            if value is None:
                raise PtxError(f"a number expected, {tokens.peek()!r} found", tokens.line)
            tokens.next()
            return Immediate("int", -value)
        token = tokens.next()
        if token[:2] in ("0f", "0F"):
            return Immediate("f32", int(token[2:], 16))
        if token[:2] in ("0d", "0D"):
            return Immediate("f64", int(token[2:], 16))
        value = parse_integer(token)
        if value is not None:
            return Immediate("int", value)
        if not _WORD.match(token):
            raise PtxError(f"an operand expected, {token!r} found", tokens.line)
        if tokens.accept("+"):
            return Sum(token, tokens.integer())
        return Name(token)


class _Body:
    """The statements of one function. Names declared in a nested ``{ }`` hide outer ones: they get a suffix."""

    def __init__(self, parser: _Parser, function: Function):
        self.parser, self.tokens, self.function = parser, parser.tokens, function
        self.scope: tuple[int, ...] = ()
        self.renamed: list[dict[str, str]] = []
        self.scopes = 0
        self.location: Location | None = None

    def parse(self) -> None:
        tokens = self.tokens
        tokens.expect("{")
        while True:
            token = tokens.peek()
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
        self._check_branches()

    def _statement(self, token: str) -> None:
        tokens = self.tokens
        if token == ".loc":
            self._loc()
        elif token == ".reg":
            self._registers()
        elif token in _SPACES:
            for variable in self.parser._variables():
                variable.name = self._declare(variable.name)
                self.function.variables[variable.name] = variable
        elif token == ".pragma":
            self.parser._skip_statement()
        elif token == ";":
            tokens.next()
        elif token.startswith("."):
            raise Unsupported(token, *self._place())
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
        if directive != ".branchtargets":
            raise Unsupported(directive, *self._place())
        labels = [tokens.next()]
        while tokens.accept(","):
            labels.append(tokens.next())
        tokens.expect(";")
        self.function.branch_targets[name] = tuple(labels)

    def _place(self) -> tuple[str | None, int | None]:
        return (self.location.file, self.location.line) if self.location else (None, None)

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
        # Line 0 marks code without a line of its own: it belongs to what came before.
        if place[1] > 0:
            self.location = self.parser.locations.at(place, inlined_at)

    def _registers(self) -> None:
        tokens = self.tokens
        tokens.next()
        kind = tokens.next()[1:]
        if kind not in SIZES or kind in ("b8", "u8", "s8"):
            raise Unsupported(f".reg .{kind}", *self._place())
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
        for names in reversed(self.renamed):
            if name in names:
                return names[name]
        return name

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
        operands = []
        while not tokens.accept(";"):
            operands.append(self._operand())
            if not tokens.accept(","):
                tokens.expect(";")
                break
        self.function.body.append(
            Instruction(opcode, operands, guard, negated, self.location, line, self.scope)
        )

    def _operand(self) -> Operand:
        tokens = self.tokens
        if tokens.accept("{"):
            return self._group("}")
        if tokens.accept("("):
            return self._group(")")
        if tokens.accept("["):
            inner = self.parser._value()
            if tokens.accept("+"):
                inner = Sum(inner.name, tokens.integer()) if isinstance(inner, Name) else inner
            elif isinstance(inner, Name) and tokens.peek() == "-":
                inner = Sum(inner.name, tokens.integer())
            if not tokens.accept("]"):
                raise Unsupported("address with more than a base and an offset", *self._place())
            if isinstance(inner, Immediate):
                return Address(None, inner.value)
            return Address(self._seen(inner.name), inner.offset if isinstance(inner, Sum) else 0)
        if tokens.accept("!"):
            return Name(self._seen(tokens.next()), negated=True)
        value = self.parser._value()
        if isinstance(value, Name):
            if tokens.accept("|"):
                return Pair(self._seen(value.name), self._seen(tokens.next()))
            return Name(self._seen(value.name))
        return Sum(self._seen(value.name), value.offset) if isinstance(value, Sum) else value

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


def float_bits(value: float, kind: str) -> int:
    """The bits of a number as "f32" or "f64"."""
    return int.from_bytes(struct.pack("<f" if kind == "f32" else "<d", value), "little")
