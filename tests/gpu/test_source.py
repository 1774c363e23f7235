import dataclasses

import pytest

from grader import gpu
from grader.gpu.mirror import source
from grader.gpu.mirror.errors import CompileException, CUDARuntimeError
from grader.toolchain import Compilation
from grader.verdict import Diagnostic, State

PASSED = Compilation(state=State.PASS, ptx="PTX", diagnostics=(), log="", message="", cached=False)


@pytest.fixture
def compiler(monkeypatch):
    """Records what reaches the toolchain; its ``answer`` is what comes back."""

    class Compiler:
        answer = PASSED

        def __call__(self, source, *, options=(), **rest):
            self.source, self.options = source, options
            return self.answer

    compiler = Compiler()
    monkeypatch.setattr(source, "compile_kernel", compiler)
    return compiler


def test_the_file_with_this_text_gives_its_name(compiler, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gelu.cu").write_text("code")
    (tmp_path / "else.cu").write_text("edoc")
    assert source.compile("code") == "PTX"
    assert compiler.source.main == "gelu.cu" and compiler.source.files == {"gelu.cu": b"code"}
    source.compile("other")
    assert compiler.source.main == "kernel.cu"


def test_include_folders_are_handed_over_by_content(compiler, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.h").write_text(f'{folder}\n # include "y.cuh"')
        (tmp_path / folder / "unused.h").write_text("#include <vector>")
    (tmp_path / "b" / "y.cuh").write_text('#include "x.h"')
    code = '#include "x.h"\n#include <missing.h>'
    source.compile(code, ("-I", "a", "-Ib", "-DN=4", "--include-path=c"))
    assert compiler.options == ("-DN=4", "-ftz=true")
    assert sorted(compiler.source.files) == ["kernel.cu", "x.h", "y.cuh"]
    assert compiler.source.files["x.h"].startswith(b"a")  # the first folder wins, as for a compiler


def test_the_graders_own_options_and_odd_names_do_no_harm(compiler, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my kernel.cu").write_text("code")
    source.compile("code", (*gpu.kernel_options(), "-Ithere"))
    assert compiler.options == ("-ftz=true",) and compiler.source.main == "kernel.cu"


def test_a_source_error_shows_the_line_and_the_column(compiler):
    error = Diagnostic(message='expected a ";"', file="kernel.cu", line=2, column=3)
    compiler.answer = dataclasses.replace(
        PASSED, state=State.FAIL, ptx=None, diagnostics=(error,), message="1 error."
    )  # fmt: skip
    with pytest.raises(CompileException) as caught:
        source.compile("one\n\ttwo\nthree")
    assert str(caught.value) == 'kernel.cu(2): error: expected a ";"\n    2 |     two\n' + " " * 13 + "^"
    assert caught.value.get_message() == str(caught.value) and caught.value.diagnostics == (error,)
    assert "expected" in caught.value._render_traceback_()[0]


def test_no_compiler_is_no_mistake_of_the_source(compiler):
    compiler.answer = dataclasses.replace(
        PASSED, state=State.UNSUPPORTED_HERE, ptx=None, message="NVRTC is not installed."
    )  # fmt: skip
    with pytest.raises(CUDARuntimeError, match="NVRTC is not installed"):
        source.compile("code")
