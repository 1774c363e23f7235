import pytest

from grader.sandbox import Limits, run
from grader.toolchain import Source, compile_host, host_compiler, locate, nvrtc_version
from grader.verdict import State

HARNESS = {
    "harness.cpp": b"""#include "answer.hpp"
#include "grader_channel.hpp"
int main(int argc, char** argv) {
  grader::Channel channel(argc, argv);
  std::string header;
  std::vector<unsigned char> payload;
  if (!channel.receive(header, payload)) return 3;
  channel.send("{\\"sum\\": " + std::to_string(add(2, 3)) + "}", payload.data(), payload.size());
}
"""
}
# Without the standard library a build takes a tenth of a second.
SMALL = {"harness.cpp": b'#include "answer.hpp"\nint main() { return add(2, 3); }\n'}
ADD = b"#pragma once\ninline int add(int a, int b) { return a + b; }\n"


def built(files, main="answer.hpp", harness=SMALL, **options):
    if not isinstance(files, dict):
        files = {"answer.hpp": files}
    return compile_host(Source(files, main), harness=harness, **options)


@pytest.fixture(scope="module", autouse=True)
def compiler():
    if locate.gxx() is None:
        pytest.skip("no g++ on this machine")


def test_a_program_is_built_once_and_answers():
    first, second = built(ADD, harness=HARNESS), built(ADD, harness=HARNESS)
    assert (first.state, first.cached, second.cached) == (State.PASS, False, True)
    assert first.path == second.path and first.diagnostics == ()
    outcome = run([str(first.path)], header={}, payload=b"abc", limits=Limits())
    assert (outcome.state, outcome.header, outcome.payload) == (State.PASS, {"sum": 5}, b"abc")


def test_a_changed_program_in_the_cache_is_put_right():
    path = built(ADD).path
    good = path.read_bytes()
    path.write_bytes(b"#!/bin/sh\necho hello\n")
    again = built(ADD)
    assert again.path == path and path.read_bytes() == good


def test_units_headers_and_flags():
    files = {
        "answer.hpp": b"#pragma once\nint add(int a, int b);\n",
        "answer.cpp": b'#include "answer.hpp"\nint add(int a, int b) { return a + b + OFFSET; }\n',
    }
    program = built(files, main="answer.cpp", flags=["-DOFFSET=10"])
    assert program.state is State.PASS
    assert run([str(program.path)]).exit_code == 15


def test_an_answer_that_the_harness_includes_is_no_unit_of_its_own():
    harness = {"harness.cpp": b'#include "answer.cpp"\nint main() { return f(); }\n'}
    program = built({"answer.cpp": b"int f() { return 0; }\n"}, main="answer.cpp", harness=harness)
    assert program.state is State.PASS and run([str(program.path)]).state is State.PASS


def test_warnings_do_not_fail():
    program = built(b"#pragma once\ninline int add(int a, int b) { int unused; return a + b; }\n")
    (warning,) = program.diagnostics
    assert program.state is State.PASS
    assert (warning.severity, warning.file, warning.line, warning.column) == ("warning", "answer.hpp", 2, 36)


@pytest.mark.parametrize(
    "text, line, words",
    [
        (b"inline int add(int a, int b) { return a + }\n", 1, "expected"),
        (b"\ninline int add(int a, int b) { return c; }\n", 2, "not declared"),
        (
            b"inline int plus(int a, int b) { return a + b; }\n",
            None,
            "uses add, which your files do not declare",
        ),
        (b"inline int add(int a) { return a; }\n", None, "does not fit"),
        (b"int add(int a, int b);\n", None, "calls add(int, int), and your files do not define it"),
        (
            b"int f();\ninline int add(int, int) { return f(); }\n",
            2,
            "f() is declared and used here, but never",
        ),
        (b"inline int add(int, int) { return 1; }\nint main() {}\n", 2, "main()"),
        (
            b"#pragma once\nstruct S { virtual int f(); };\ninline int add(int, int) { return S().f(); }\n",
            None,
            "virtual function that is never defined",
        ),
        (b'#include "answer.hpp"\nint add(int, int);\n', 1, "includes itself"),
        (b"#pragma once\nint add(int a, int b)\n", None, "ends in the middle of a declaration"),
        (b'#error "not done"\n', 1, "not done"),
        (b"", 1, "empty"),
        (b"// nothing\n", 1, "empty"),
        (b"int x;\0", 1, "binary"),
        (b"#include <unistd.h>\n", 1, "cannot be included"),
        (b'#include "/etc/passwd"\n', 1, "path on the machine"),
        (b'inline int add(int, int) { asm(""); return 1; }\n', 1, "assembly"),
        (b"int big[100000000] = {1};\ninline int add(int, int) { return 1; }\n", None, "too large"),
        (
            b"#include <vector>\n#include <algorithm>\nstruct S {};\n"
            b"inline int add(int, int) {\n std::vector<S> v; std::sort(v.begin(), v.end()); return 1; }\n",
            5,
            "sets off",
        ),
    ],
)
def test_mistakes_are_told(text, line, words):
    program = built(text)
    errors = [diagnostic for diagnostic in program.diagnostics if diagnostic.severity == "error"]
    assert program.state is State.FAIL and program.path is None
    assert errors and all(error.file == "answer.hpp" for error in errors)
    assert any(error.line == line and words in error.message for error in errors)
    assert program.message.startswith("answer.hpp") and "/tmp" not in program.message + program.log


def test_a_missing_file():
    program = built({})
    assert program.state is State.FAIL and "missing" in program.message


def test_a_template_that_grows_is_stopped():
    text = b"""template <int N, int M> struct F { F<N - 1, 2 * M> a; F<N - 1, 2 * M + 1> b; };
template <int M> struct F<0, M> { int x; };
inline int add(int, int) { return sizeof(F<26, 0>); }
"""
    slow = built(text, limits=Limits(wall_seconds=1.0))
    assert slow.state is State.TIMEOUT and "template" in slow.message
    large = built(text, limits=Limits(wall_seconds=30.0, memory_bytes=120 << 20))
    assert large.state is State.OUT_OF_MEMORY and "template" in large.message


def test_a_harness_that_does_not_build_is_no_fault_of_the_answer():
    program = built(ADD, flags=["-lno_such_library"])
    assert program.state is State.GRADER_FAULT and "no_such_library" in program.message


def test_folders_given_by_flags_may_be_included(tmp_path):
    (tmp_path / "extra.h").write_text("#define EXTRA 4\n")
    text = b"#include <extra.h>\ninline int add(int, int) { return EXTRA; }\n"
    assert built(text, flags=["-isystem", str(tmp_path)]).state is State.PASS
    assert built(text).state is State.FAIL


def test_no_compiler_here(monkeypatch):
    monkeypatch.setattr(locate, "gxx", lambda: None)
    program = built(ADD + b"// nowhere\n")
    assert program.state is State.UNSUPPORTED_HERE and "install g++" in program.message


def test_probes():
    assert host_compiler().version[0].isdigit() and host_compiler().path.is_file()
    facts = nvrtc_version()
    assert facts.name == "NVRTC" and facts.version.startswith("13.") and (facts.include / "cuda_fp16.h").is_file()


def test_a_header_that_defines_without_inline_in_two_units():
    harness = {**SMALL, "other.cpp": b'#include "answer.hpp"\n'}
    program = built(b"#pragma once\nint add(int a, int b) { return a + b; }\n", harness=harness)
    assert program.state is State.FAIL and "mark it inline" in program.message


def test_consequences_in_the_harness_are_left_out():
    program = built(b"#pragma once\nint add(int a, int b { return a; }\n")
    assert all(diagnostic.line == 2 for diagnostic in program.diagnostics)


@pytest.fixture
def unscreened(monkeypatch):
    """Without the look at names, which refuses such answers earlier: what comes after it must hold by itself."""
    monkeypatch.setattr("grader.toolchain.aloof.check_names", lambda *_: ())


@pytest.mark.usefixtures("unscreened")
def test_what_only_the_assembler_refuses_is_a_fault_of_the_answer():
    text = b"""#define PUT(name) __attribute__((section(name)))
PUT("no, \\"such") int x = 1;
inline int add(int, int) { return x; }
"""
    program = built(text)
    assert program.state is State.FAIL and "assembler" in program.message


@pytest.mark.parametrize(
    "text",
    [
        rb"""#define PUT(name) __attribute__((section(name)))
PUT(".x,\"a\",@progbits\n.incbin \"SECRET\"\n#") int x = 1;
inline int add(int, int) { return x; }
""",
        rb"""#define JOIN(a, b) a##b
JOIN(as, m)(".pushsection .rodata\n.InCbIn \"SECRET\"\n.popsection");
inline int add(int, int) { return 1; }
""",
        rb"""#define JOIN(a, b) a##b
JOIN(as, m)(".macro m a\n.\\a \"SECRET\"\n.endm\nm incbin");
inline int add(int, int) { return 1; }
""",
        rb"""#define JOIN(a, b) a##b
JOIN(as, m)("/* \" */ .incbin \"SECRET\" /* \" */");
inline int add(int, int) { return 1; }
""",
        rb"""#define JOIN(a, b) a##b
JOIN(as, m)(".pushsection .data\n.byte \'\"\n.ascii \"x\"\n .incbin \"SECRET\"\n.byte \'\"\n.popsection");
inline int add(int, int) { return 1; }
""",
    ],
)
@pytest.mark.usefixtures("unscreened")
def test_orders_to_the_assembler_that_macros_hide(text, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("very private")
    program = built(text.replace(b"SECRET", str(secret).encode()))
    assert program.state is State.FAIL and program.path is None
    assert "orders to the assembler" in program.message and "very private" not in program.log


def test_words_of_the_assembler_in_strings_and_names_are_harmless():
    text = rb"""#include <string>
struct S { int include = 1, macro = 2; };
inline const char* text() { return "it\'s .include \"x\" /* .incbin */ \\ .macro\n.rept 3 \t .irp"; }
inline int add(int, int) { S s; return s.include + s.macro + std::string(text()).size(); }
"""
    program = built(text)
    size = len('it\'s .include "x" /* .incbin */ \\ .macro\n.rept 3 \t .irp')
    assert program.state is State.PASS and run([str(program.path)]).exit_code == 3 + size


HEADER = {"supplied.h": b"#pragma once\ninline int two() { return 2; }\n"}
REPORT = {"report.h": b'#pragma once\n#include "grader_channel.hpp"\n'}


def test_a_supplied_header_may_be_included():
    text = b'#pragma once\n#include "supplied.h"\ninline int add(int, int) { return two(); }\n'
    program = built(text, harness={**SMALL, **HEADER, **REPORT})
    assert program.state is State.PASS and run([str(program.path)]).exit_code == 2


@pytest.mark.parametrize("name", ["harness.cpp", "report.h", "more.h", "grader_channel.hpp", "./harness.cpp"])
@pytest.mark.parametrize("form", ['#include "{}"', "#include <{}>", "#if __has_include(<{}>)\n#endif"])
def test_the_harness_itself_may_not_be_included(name, form):
    more = {"more.h": b'#include "report.h"\n'}
    text = f"#pragma once\n{form.format(name)}\ninline int add(int, int) {{ return 1; }}\n"
    program = built(text.encode(), harness={**SMALL, **HEADER, **REPORT, **more})
    (diagnostic,) = program.diagnostics
    assert program.state is State.FAIL and (diagnostic.file, diagnostic.line) == ("answer.hpp", 2)
    assert "belongs to the grader" in diagnostic.message


def test_an_answer_named_like_a_file_of_the_harness():
    files = {"answer.hpp": b'#include "harness.cpp"\n', "harness.cpp": ADD}
    program = built(files)
    assert program.state is State.PASS and run([str(program.path)]).exit_code == 5


def test_a_byte_order_mark_is_no_mistake():
    assert built(b"\xef\xbb\xbf" + ADD).state is State.PASS
