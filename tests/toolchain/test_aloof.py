"""What a host C++ answer must leave alone, so that it cannot report on itself."""

from __future__ import annotations

import pytest

from grader.toolchain import Source, compile_host
from grader.verdict import State

HARNESS = {
    "supplied.h": b"#pragma once\nstruct Shape { int n; };\nint value(Shape);\n",
    "harness.cpp": b"""
#include "answer.h"
#include "grader_channel.hpp"
namespace { struct Books { int kept = 0; }; Books gBooks; }
int main(int count, char** words)
{
    grader::Channel channel(count, words);
    channel.send("{}");
    return value({1}) + gBooks.kept;
}
""",
}
HEAD = '#pragma once\n#include "supplied.h"\n'
RIGHT = "inline int value(Shape s) { return s.n - 1; }\n"


def compiled(text: str):
    return compile_host(Source({"answer.h": (HEAD + text).encode()}, "answer.h"), harness=HARNESS)


USUAL = """
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>
inline void all(double d)
{
    int n = 0;
    std::printf("%zu %f", std::strlen("x"), std::pow(d, 2.5));
    std::sscanf("1", "%d", &n);
    std::thread([] {}).join();
    throw std::vector<std::string>{"a"};
}
"""
NEAR = """
#pragma GCC diagnostic ignored "-Wunused"
struct Books2 {};
[[nodiscard]] inline int section(int alias) { return alias; }
"""


@pytest.mark.parametrize("text", ["", USUAL, NEAR, "#define CHECK(x) do { if (!(x)) return 1; } while (0)\n"])
def test_what_honest_answers_say_is_accepted(text):
    program = compiled(text + RIGHT)
    assert program.state is State.PASS, program.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("#define kept kept + 1\n", "A macro cannot be called kept"),
        ("#define send(x) send(x)\n", "A macro cannot be called send"),
        ("#define private public\n", "A macro cannot be called private"),
        ("#define JOIN(a, b) a##b\n", "put together by ##"),
        ("#define JOIN(a, b) a%:%:b\n", "put together by ##"),
        ("namespace grader { class Channel; }\n", "grader is the grader's own name"),
        ("namespace { struct Books; }\n", "Books is the grader's own name"),
        ("#define MINE gBooks\n", "gBooks is the grader's own name"),
        ('extern "C" long send(int, const void*, unsigned long, int);\n', 'leave out extern "C"'),
        ('static long mine(int) __attribute__((weakref("send")));\n', "attribute weakref"),
        ("__attribute__((__constructor__)) static void first() {}\n", "attribute __constructor__"),
        ("[[gnu::constructor]] static void first() {}\n", "attribute constructor"),
        ("#pragma redefine_extname send recv\n", "#pragma is not accepted"),
        ("#pragma weak mine = send\n", "#pragma is not accepted"),
    ],
)
def test_what_would_reach_the_harness_is_refused(text, words):
    program = compiled(text + RIGHT)
    assert program.state is State.FAIL and words in program.message


@pytest.mark.parametrize("call", ['std::system("true")', 'fdopen(4, "r+") ? 1 : 0', 'popen("true", "r") ? 1 : 0'])
def test_functions_of_the_system_are_refused(call):
    program = compiled(f"#include <cstdio>\n#include <cstdlib>\ninline int value(Shape) {{ return {call}; }}\n")
    assert program.state is State.FAIL and "which C++ does not have" in program.message
    assert compiled(f"#include <cstdio>\n#include <cstdlib>\ninline int value(Shape) {{ return {call}; }}\n") == program


def test_a_supplied_headers_names_are_the_answers_too():
    assert compiled("using Mine = Shape;\n" + RIGHT).state is State.PASS
