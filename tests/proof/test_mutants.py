"""Mutants: each operator changes what it should and nothing that is no code."""

import ast

import pytest

from grader.proof.answer import gaps
from grader.proof.mutants import OPERATORS, mutants
from grader.proof.mutate_cpp import tokens

CMAKE = "add_library(p SHARED\n  a.cpp) # not (this)\nset(X 80)"


def changed(text, operator, file="toy.cu"):
    """The mutants of one operator, as the whole changed texts."""
    everywhere = range(1, text.count("\n") + 2)
    return {mutant.text for mutant in mutants(file, text, everywhere) if mutant.operator == operator}


@pytest.mark.parametrize(
    ("operator", "text", "results"),
    [
        ("relational", "a < b;", {"a <= b;"}),
        ("relational", "a >= b;", {"a > b;"}),
        ("relational", "a == b;", {"a != b;"}),
        ("relational", "static_cast<float>(a) > 0;", {"static_cast<float>(a) >= 0;"}),
        ("relational", "std::vector<int> v; max<3>(a);", set()),
        ("relational", "k<<<g, b>>>(x);", set()),
        ("arithmetic", "a + b;", {"a - b;"}),
        ("arithmetic", "a * b / c;", {"a / b / c;", "a * b * c;"}),
        ("arithmetic", "i += s; ++i;", {"i -= s; ++i;", "i += s; --i;"}),
        ("arithmetic", "a = -b;", {"a =  b;"}),
        ("arithmetic", "const float* x, int *p;", set()),
        ("logical", "a && !b;", {"a || !b;", "a &&  b;"}),
        ("logical", "void f(int& a, T&& b);", {"void f(int& a, T|| b);"}),
        ("constant", "a[3];", {"a[4];", "a[2];"}),
        ("constant", "x = 0u;", {"x = 1u;", "x = (-1u);"}),
        ("constant", "x = 0.5f;", {"x = (1.5f);", "x = (-0.5f);", "x = (0.505f);"}),
        ("constant", "x = 0x1F + a1;", set()),
        ("guard", "if (a < (b)) c();", {"if (true) c();", "if (false) c();"}),
        ("guard", "x = m ? a : b;", {"x = m || true ? a : b;", "x = m && false ? a : b;"}),
        (
            "barrier",
            "a(); __syncthreads(); __syncwarp(m);",
            {"a(); ; __syncwarp(m);", "a(); __syncthreads(); ;"},
        ),
        ("index", "threadIdx.x;", {"blockIdx.x;", "threadIdx.y;"}),
        ("index", "gridDim.y;", {"blockDim.y;", "gridDim.x;"}),
        ("narrowed", "long long i; size_t n;", {"int i; size_t n;", "long long i; int n;"}),
        ("narrowed", "half h; float x = 1;", {"half h; __half x = 1;"}),
        ("narrowed", "float x;", set()),
        ("status", "if (e != cudaSuccess) return e;", {"if (true) return e;", "if (false) return e;"}),
        ("status", "return launch(x, n);", {"{ (void)(launch(x, n)); return {}; }"}),
        ("status", "CHECK_CUDA(f(x));", {"(void)(f(x));"}),
        ("statement", "{ a = f(x); }", {"{ ; }"}),
        ("statement", "if (a) free(p);", {"if (a) ;"}),
        ("statement", "int a = f(x); Layer b(x); return c(x); a < b;", set()),
        ("statement", "for (i = 0; i < f(n); i += s) {}", set()),
        ("statement", "{ delete[] p; p->f = nullptr; }", {"{ ; p->f = nullptr; }", "{ delete[] p; ; }"}),
        (
            "specifier",
            "void f() const noexcept override;",
            {"void f() const  override;", "void f() const noexcept ;"},
        ),
        ("specifier", "noexcept(false);", set()),
    ],
)
def test_each_operator_of_cpp(operator, text, results):
    assert changed(text, operator) == results


@pytest.mark.parametrize(
    "text",
    [
        "// a < b + 1",
        "/* if (a) \n b < 2 */",
        '"a < 1 && b"',
        "'<'",
        'R"x(a < 1 " )" )x"',
        "#define A 1 + \\\n 2",
        "#if A < 3",
    ],
)
def test_what_is_no_code_is_left_alone(text):
    assert mutants("toy.cu", text, range(1, 9)) == []


def test_tokens_lose_nothing():
    text = 'int a = 1\'000; // x\n#include <a>\nauto s = "\\"" ">>=" R"(y)"; a <<= 2; b->c; x = 1.5e-3f;'
    found = [token.text for token in tokens(text)]
    assert found[:5] == ["int", "a", "=", "1'000", ";"]
    assert {"<<=", "->", "1.5e-3f", 'R"(y)"', '">>="'} <= set(found) and "include" not in found
    assert all(text[token.start : token.end] == token.text for token in tokens(text))


@pytest.mark.parametrize(
    ("operator", "text", "results"),
    [
        ("relational", "a < b", {"a <= b"}),
        ("arithmetic", "a // b", {"a * b"}),
        ("arithmetic", "f(*a, **b)", set()),
        ("arithmetic", "return_ = -a", {"return_ =  a"}),
        ("logical", "a and not b", {"a or not b", "a and   b"}),
        ("logical", "a is not b", set()),
        ("constant", "a[3]", {"a[4]", "a[2]"}),
        ("guard", "if é > a:\n    b", {"if True:\n    b", "if False:\n    b"}),
        ("guard", "a if b else c", {"a if True else c", "a if False else c"}),
        ("index", "a[i, j + 1]", {"a[j + 1, i]"}),
        ("narrowed", "np.float64(a)", {"np.float32(a)"}),
        ("statement", "if a:\n    f(b)\n    'words'", {"if a:\n    pass\n    'words'"}),
        ("statement", "a += 1", {"pass"}),
        ("constant", "f'{a + 1}' + f'{2 if b else c:>{3}}'", set()),
        ("guard", "f'{a if b else c}'", set()),
        ("arithmetic", "f'{a + 1}' + b", {"f'{a + 1}' - b"}),
        ("constant", '"3 < 4"  # 3 < 4', set()),
    ],
)
def test_each_operator_of_python(operator, text, results):
    assert changed(text, operator, "toy.py") == results
    for result in results:
        ast.parse(result)


def test_only_the_lines_that_a_learner_writes():
    skeleton = {"toy.cu": b"int f(int a) {\n    // YOUR CODE\n    return a + 1;\n}\n"}
    solution = {"toy.cu": b"int f(int a) {\n    a = a < 2;\n    return a + 1;\n}\n", "new.h": b"int x = 1;\n"}
    regions = gaps(skeleton, solution)
    assert regions == {"toy.cu": {2}, "new.h": {1}}
    text = solution["toy.cu"].decode()
    found = mutants("toy.cu", text, regions["toy.cu"])
    assert {mutant.line for mutant in found} == {2}
    assert {mutant.operator for mutant in found} == {"relational", "constant", "statement"} <= set(OPERATORS)


def test_ids_are_unique_and_hold_when_other_lines_change():
    text = "x = a + a + 1;\nx = a + a + 1;\n"
    found = mutants("toy.cu", text, {1, 2})
    ids = [mutant.id for mutant in found]
    assert len(set(ids)) == len(ids) == 10
    assert "toy.cu: arithmetic: + -> - in: x = a + a + 1; #4" in ids
    moved = mutants("toy.cu", "int x;\n  " + text, {2, 3})
    assert [mutant.id for mutant in moved] == ids


def test_a_cmake_file_loses_commands_and_arguments():
    assert changed(CMAKE, "statement", "CMakeLists.txt") == {
        " # not (this)\nset(X 80)", "add_library(p SHARED\n  a.cpp) # not (this)\n",
    }  # fmt: skip
    assert len(changed(CMAKE, "argument", "CMakeLists.txt")) == 5
    assert CMAKE.replace("a.cpp", "") in changed(CMAKE, "argument", "CMakeLists.txt")
    assert changed(CMAKE, "constant", "CMakeLists.txt") == {CMAKE.replace("80", "81"), CMAKE.replace("80", "79")}
