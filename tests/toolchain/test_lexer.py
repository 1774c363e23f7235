import pytest

from grader.toolchain.lexer import read


def names(text):
    return [(directive.name, directive.text, directive.line) for directive in read(text, "a.cpp").directives]


def texts(text):
    return [token.text for token in read(text, "a.cpp").tokens]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("#include <a>\n", [("include", "<a>", 1)]),
        ("  #  include <a>", [("include", "<a>", 1)]),
        ("\ufeff#include <a>", [("include", "<a>", 1)]),
        ("\n\v\f#include <a>", [("include", "<a>", 2)]),
        ("%:include <a>", [("include", "<a>", 1)]),
        ("/* c */ # /* d */ include /* e */ <a> // f", [("include", "<a>", 1)]),
        ("/* two\nlines */ #include <a>", [("include", "<a>", 2)]),
        ("int x; /* two\nlines */ #include <a>", [("include", "<a>", 2)]),
        ("#inc\\\nlude \\\n<a>\nx\n#if 1", [("include", "<a>", 1), ("if", "1", 5)]),
        ("#\\\r\ninclude <a>", [("include", "<a>", 1)]),
        ("int x = 1'000; '\n#include <a>", [("include", "<a>", 2)]),
        ('f("a\\"b /*");\n#include <a>', [("include", "<a>", 2)]),
        ("don't\n#include <a>", [("include", "<a>", 2)]),
        ("#", [("", "", 1)]),
        ("#define F(x) #x\n", [("define", "F(x) #x", 1)]),
    ],
)
def test_directives_that_a_compiler_sees(text, expected):
    assert names(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "// #include <a>",
        "/*\n#include <a>\n*/",
        "int x; #include <a>",
        "// c \\\n#include <a>",
        'f("\\\n#include <a>");',
    ],
)
def test_what_is_no_directive(text):
    assert names(text) == []


@pytest.mark.parametrize(
    "text, line",
    [
        ("\n??=include <a>", 2),
        ("// x ??/\n#include <a>", 1),
        ("x\ny \\ \n#include <a>", 2),
        ("x\r#include <a>", 1),
        ('int x;\nauto s = R"(\n)";', 2),
        ('auto s = u8R"x()x";', 1),
        ("#include <a /*\n*/ b>", 1),
        ("#if __has_include(</*>)\n#include <a>\n*/", 1),
        ("f(' /* );", 1),
        ("/* never closed", 1),
    ],
)
def test_what_compilers_may_read_differently_is_a_problem(text, line):
    problems = read(text, "a.cpp").problems
    assert problems and problems[0].line == line and problems[0].file == "a.cpp"


def test_tokens():
    assert texts("k<<<1, 2>>>(x); // k<<<") == ["k", "<<<", "1", ",", "2", ">>>", "(", "x", ")", ";"]
    assert texts("f('\"', \"a'b\", 1'0, .5e+3f, fooR\"x\")") == [
        "f", "(", "'\"'", ",", "\"a'b\"", ",", "1'0", ",", ".5e+3f", ",", "fooR", '"x"', ")",
    ]  # fmt: skip


def test_ordinary_files_have_no_problem():
    text = "// don't\n#pragma once\n#if 0\nisn't it?\n#endif\n#error don't\n#define A \\\n  1\nchar c = '\\'';\n"
    assert read(text, "a.cpp").problems == []


def test_a_large_file_is_read_in_linear_time():
    """Would take hours if any pattern went back over what it had read."""
    for text in ('"' * 200_000, "'\\" * 100_000, "1'" * 100_000, "/*" * 100_000, "#\\\n" * 50_000,
                 "#define a " + "/*\n*/" * 100_000, "#" + "/*\n*/" * 100_000):  # fmt: skip
        read(text, "a.cpp")
