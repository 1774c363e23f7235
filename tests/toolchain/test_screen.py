import pytest

from grader.toolchain import Source, compile_kernel
from grader.toolchain.screen import MAX_FILE, check_includes, read_files


@pytest.fixture
def refusals(tmp_path):
    """What is said of a file ``a.cpp`` beside ``b.h``, with a compiler folder that holds ``cuda_fp16.h``."""
    (tmp_path / "include" / "crt").mkdir(parents=True)
    for name in ("include/cuda_fp16.h", "include/crt/host.h", "secret.h"):
        (tmp_path / name).write_text("")

    def check(text: str, *, assembly: bool = False):
        readings, problems = read_files({"a.cpp": text.encode()})
        return problems + check_includes(readings, {"a.cpp", "b.h"}, [tmp_path / "include"], assembly=assembly)

    return check


@pytest.mark.parametrize(
    "text",
    [
        '#include "b.h"',
        '#include "./b.h"',
        "#include <b.h>  // mine",
        "#include <vector>\n#include <stdint.h>",
        "#include <cuda_fp16.h>\n#include <crt/host.h>",
        "#ifndef __CUDACC_RTC__\n#include <cstdint>\n#endif",
        "#if defined(__has_include) && __has_include(<optional>)\n#include <optional>\n#endif",
        "#ifdef __has_include\n#endif",
        "#if __has_include(<cuda_fp16.h>) || defined __has_include\n#endif",
        "#define A (4 * B)\n#define B 3\n#if A > 8 && !defined(C) && __CUDA_ARCH__ >= 8 && D\n#endif",
        "#if defined A || defined(B)\n#elif __cplusplus >= 201703L\n#endif",
        "#if __has_cpp_attribute(nodiscard) && __has_builtin(__builtin_expect)\n#endif",
        "#define KERNEL(T) void scale_##T(T* x)\n#ifdef KERNEL\n#endif",
        "#pragma once\n#pragma unroll 4\n#pragma GCC diagnostic push\n#\n",
        '#define MESSAGE "/etc/passwd"\nconst char* path = "/etc/../passwd";',
        '_Pragma("unroll") for (;;) {}',
        '#define UNROLL _Pragma("unroll")',
        '[[deprecated("use \\"g\\" instead")]] int f(); __attribute__((section(".my_data"))) int x;',
        '__attribute__((target("avx2,arch=haswell"), optimize("O3"))) void f();',
        '[[nodiscard("it is new")]] int f(); int a[] = {1}; const char* b = "a\\n";',
        '#pragma message("say \\"hi\\"")\n#pragma GCC diagnostic ignored "-Wunused"\n#pragma GCC optimize("O2")',
        '_Pragma("GCC diagnostic ignored \\"-Wunused\\"")',
        "// #include </etc/passwd>\n/* #include </etc/passwd> */",
    ],
)
def test_harmless_files_pass(refusals, text):
    assert refusals(text) == []


@pytest.mark.parametrize(
    "text, line",
    [
        ('int x;\n#include "/etc/passwd"', 2),
        ("#include </etc/passwd>", 1),
        ('#include "../secret.h"', 1),
        ('#include "crt/../../secret.h"', 1),
        ('#include "..\\secret.h"', 1),
        ('#include "~/x.h"', 1),
        ('#include "C:/x.h"', 1),
        ('#include "unknown.h"', 1),
        ("#include <sys/stat.h>", 1),
        ("#include <crt>", 1),
        ('#include ""', 1),
        ("#include", 1),
        ('#define P "/etc/passwd"\n#include P', 2),
        ("#include /**/ P", 1),
        ('#inc\\\nlude "/etc/pass\\\nwd"', 1),
        ('%:include "/etc/passwd"', 1),
        ('#/* c */include "/etc/passwd"', 1),
        ('/* a\n*/ #include "/etc/passwd"', 2),
        ('#include_next "/etc/passwd"', 1),
        ('#import "/etc/passwd"', 1),
        ('#embed "/etc/passwd"', 1),
        ('#line 1 "/etc/passwd"', 1),
        ('# 1 "/etc/passwd"', 1),
        ('#ident "x"', 1),
        ('#if __has_include("/etc/passwd")\n#endif', 1),
        ("#if 0\n#elif __has_include(</etc/passwd>)\n#endif", 2),
        ("#if __has_include(P)\n#endif", 1),
        ('#if __has_include_next("b.h")\n#endif', 1),
        ('#if __has_embed("b.h")\n#endif', 1),
        ('#if F("/etc/passwd")\n#endif', 1),
        ("#define J(a, b) a##b\n#if J(__has_, include)(</etc/passwd>)\n#endif", 2),
        ('#define J(a, b) a##b\n#define P "/etc/passwd"\n#if J(__has_, include)(P)\n#endif', 3),
        ('#define J(a, b) a##b\n#define P "/etc/passwd"\n#define Q J(__has_, include)(P)\n#if Q\n#endif', 4),
        ('#define P "/etc/passwd"\n#if __CONCAT(__has_, include)(P)\n#endif', 2),
        ('#define P "/etc/passwd"\n#define C __CONCAT\n#if C(__has_, include)(P)\n#endif', 3),
        ('#define P "/etc/passwd"\n#define Q(f) f(P)\n#if Q(x)\n#endif', 3),
        ('#define P "/etc/passwd"\n#if P\n#endif', 2),
        ("#define L (\n#if __CONCAT L 1\n#endif", 2),
        ("#define M (__has_, include)\n#if __CONCAT M\n#endif", 2),
        ("#define A 1\n#undef A\n#define A F(1)\n#if A\n#endif", 4),
        ("#define nodiscard F(1)\n#if __has_cpp_attribute(nodiscard)\n#endif", 2),
        ("#define __has_include F", 1),
        ("#define HAS __has_include", 1),
        ("int x = __has_include(<vector>);", 1),
        ('#pragma GCC dependency "/etc/passwd"', 1),
        ('#pragma GCC pch_preprocess "x"', 1),
        ('_Pragma("GCC dependency \\"/etc/passwd\\"")', 1),
        ("#define D(x) _Pragma(#x)", 1),
        ("_Pragma(P)", 1),
        ('asm(".incbin \\"/etc/passwd\\"");', 1),
        ('\n__asm__ volatile ("");', 2),
        ('#define A asm(".include \\"/etc/passwd\\"")', 1),
        ('int y;\n[[gnu::section(".text\\n.incbin \\"/etc/passwd\\"\\n#")]] int q = 1;', 2),
        ('__attribute__((section(".x,\\"a\\""))) int q;', 1),
        ('__attribute__((deprecated("fine"), alias("a b"))) int q;', 1),
        ('[[using gnu: ifunc("f" "g\\n")]] int q();', 1),
        ('__attribute__((__symver__("f@V\\n"))) void f();', 1),
        ('__attribute__((target("avx2\\n"))) void f();', 1),
        ('__declspec(allocate("a\\n")) int q;', 1),
        ('#define PUT __attribute__((section("a\\n")))', 1),
        ('#pragma GCC target("avx2\\n.incbin")', 1),
        ('#pragma GCC section "a;b"', 1),
        ('_Pragma("GCC target(\\"a b\\")")', 1),
        ('extern int q asm("foo\\n.incbin");', 1),
        ('#if __has_include(</*>)\n#endif\n#include "/etc/passwd"\n// */', 1),
    ],
)
def test_hostile_files_are_refused_at_the_line(refusals, text, line):
    problems = refusals(text)
    assert problems and all(problem.file == "a.cpp" and problem.severity == "error" for problem in problems)
    assert line in [problem.line for problem in problems]
    assert not any("root:" in problem.message for problem in problems)


def test_assembly_is_allowed_where_it_reads_no_files(refusals):
    assert refusals('asm("mov.u32 %0, %laneid;" : "=r"(x));', assembly=True) == []


@pytest.mark.parametrize("text", ['int x asm("y");', 'int x[2] asm("y");', "[[gnu::section('a', \"b;\")]] int x;"])
def test_a_kernel_file_may_not_name_things_by_strings(refusals, text):
    assert refusals(text, assembly=True)


@pytest.mark.parametrize("text", ['{ asm("x"); }', 'if (a) asm("x"); else asm("y");', 'asm volatile("x" : "=r"(a));'])
def test_assembly_statements_of_a_kernel_pass(refusals, text):
    assert refusals(text, assembly=True) == []


@pytest.mark.parametrize(
    "data, line, words",
    [
        (b"int x;\n\0", 2, "binary"),
        (b"// \xff", 1, "UTF-8"),
        (b"\xff\xfei\0n\0t\0", 1, "binary"),
        (b" " * (MAX_FILE + 1), None, "1 MB"),
    ],
)
def test_what_is_no_text(data, line, words):
    readings, problems = read_files({"a.cpp": data})
    assert readings == {} and words in problems[0].message and problems[0].line == line


def test_conditions_are_checked_in_linear_time(refusals):
    """Each would take hours, or more calls than Python has, if a name or a macro were looked at again and again."""
    assert not refusals("#if " + "a" * 500_000 + "\n#endif\n")
    chain = "".join(f"#define A{i} A{i + 1}+A{i + 1}\n" for i in range(5000))
    asked = "".join(f"#if A0 > {i}\n#endif\n" for i in range(5000))
    assert not refusals(f"{chain}{asked}")
    assert len(refusals(f"{chain}#define A5000 f(1)\n{asked}")) == 5000
    assert refusals(f"{chain}#define A5000(x) 1\n#if A0\n#endif")


def test_what_is_told_is_bounded():
    """A file of a megabyte holds a hundred thousand mistakes, or one name of a megabyte."""
    for text in ("#include <a>\n" * 50_000, f"#include <{'a' * 900_000}>\n"):
        compilation = compile_kernel(Source({"a.cu": text.encode()}, "a.cu"))
        assert len(compilation.diagnostics) <= 50 and len(compilation.message) < 3000
