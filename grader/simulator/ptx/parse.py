"""The parser of PTX text."""

from __future__ import annotations

import re

from grader.simulator.ptx.body import SPACES, Body
from grader.simulator.ptx.errors import PtxError, Unsupported
from grader.simulator.ptx.indirect import expand_calls
from grader.simulator.ptx.isa import FUNCTION_DIRECTIVES, VARIABLE_WORDS, known_or
from grader.simulator.ptx.lexer import Tokens
from grader.simulator.ptx.locations import Locations
from grader.simulator.ptx.model import SIZES, Function, Immediate, Module, Name, Sum, Variable
from grader.simulator.ptx.operands import value
from grader.simulator.ptx.simplify import simplify

_LINKAGE = {".visible", ".extern", ".weak", ".common"}
_FILE = re.compile(r'^[ \t]*\.file\s+(\d+)\s+"([^"]*)"', re.M)
_MOST_BYTES = 1 << 32  # of one variable


def parse(text: str) -> Module:
    """Parse a PTX module. ``PtxError`` where it is malformed, ``Unsupported`` where not modelled."""
    module = Parser(text).module()
    for function in module.functions.values():
        simplify(function)
    expand_calls(module)
    return module


class Parser:
    def __init__(self, text: str):
        self.tokens = Tokens(text)
        files = {int(number): name for number, name in _FILE.findall(text)}
        self.locations = Locations(files)
        self.result = Module()

    # ---- module scope ----

    def module(self) -> Module:
        tokens = self.tokens
        external = False
        while token := tokens.peek():
            if token in _LINKAGE:
                external = tokens.next() == ".extern"
                continue
            external, here = False, external
            if token in (".version", ".address_size"):
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
            elif token in SPACES:
                self._variables(here)
            elif token in (".pragma", ".alias"):
                self.skip_statement()
            else:
                raise PtxError(f"unexpected {token!r}", tokens.line)
        return self.result

    def _skip_file(self) -> None:
        tokens = self.tokens
        tokens.next(), tokens.next(), tokens.next()
        while tokens.accept(","):
            tokens.next()

    def skip_statement(self) -> None:
        while self.tokens.next() != ";":
            pass

    # ---- variables ----

    def _variables(self, external: bool) -> None:
        """A definition, or with ``external`` a promise that one stands elsewhere."""
        for variable in self.variables_here():
            if not external or variable.space == "shared":  # dynamic shared memory is external, too
                self.result.external.discard(variable.name)
            elif variable.name in self.result.variables:
                continue
            else:
                self.result.external.add(variable.name)
            self.result.variables[variable.name] = variable

    def variables_here(self) -> list[Variable]:
        """``.global .align 4 .b8 name[16] = {...}, other;`` with the space as the current token."""
        tokens = self.tokens
        space = SPACES[tokens.next()]
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
            else:
                raise known_or(word, VARIABLE_WORDS, "type", tokens.line)
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
            operand = value(tokens)
            if isinstance(operand, Immediate):
                data.extend((operand.value & ((1 << 8 * size) - 1)).to_bytes(size, "little"))
                return
            if operand == Name("generic") and tokens.accept("("):
                operand = value(tokens)
                tokens.expect(")")
                if isinstance(operand, Name) and tokens.accept("+"):
                    operand = Sum(operand.name, tokens.integer())
            if not isinstance(operand, Name | Sum):
                raise PtxError("a variable's address expected", tokens.line)
            name = operand.name
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
        results = self.parameters() if tokens.peek() == "(" else []
        function = Function(tokens.next(), kernel, results=results)
        if tokens.peek() == "(":
            function.parameters = self.parameters()
        while tokens.peek().startswith("."):
            self._performance_directive(function)
        if tokens.accept(";"):
            self.result.declared.add(function.name)
            return
        Body(self, function).parse()
        self.result.functions[function.name] = function

    def parameters(self) -> list[Variable]:
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
            raise known_or(word, FUNCTION_DIRECTIVES, "directive", tokens.line)
