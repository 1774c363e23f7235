"""The panel in a real Jupyter kernel, with the course's own first exercise."""

import shutil

import nbclient
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from grader import course


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Runs the cells in the folder of a learner who changed nothing; the outputs of each cell."""
    folder = tmp_path_factory.mktemp("learner")
    exercise = course.find("thread-index")
    for name in exercise.files:
        shutil.copy(course.pristine().skeletons(course.chapter(exercise.number)) / name, folder)
    cells = [
        'from grader import exercise\nexercise("thread-index").check()',
        'exercise("thread-indx")',
        'from grader.gpu import cupy as cp\nx = cp.zeros(4, cp.float32)\n'
        'cp.RawKernel(\'extern "C" __global__ void f(float* x) { x[4] = 1; }\', "f")((1,), (1,), (x,))',
        "from grader.view import access_map\naccess_map(lambda t: t)",
    ]  # fmt: skip
    notebook = new_notebook(cells=[new_code_cell(source) for source in cells])
    client = nbclient.NotebookClient(
        notebook, timeout=120, allow_errors=True, resources={"metadata": {"path": str(folder)}}
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADER_DEVICE", "simulated")
        client.execute()
    return [cell.outputs for cell in notebook.cells]


def test_the_panel_and_one_line_below_it(outputs):
    panel, error = outputs[0]
    assert 'class="grader-panel grader-bad"' in panel.data["text/html"] and "Checking" not in panel.data["text/html"]
    assert panel.data["text/plain"].startswith("Which element is mine? (thread-index): Not there yet")
    assert error.ename == "NotPassed" and len(error.traceback) == 1 and "\n" not in error.traceback[0]


def test_a_wrong_name_is_one_line_with_the_nearest(outputs):
    (error,) = outputs[1]
    assert error.traceback == [line for line in error.traceback if "thread-index" in line] and len(error.traceback) == 1


def test_a_fault_is_two_lines(outputs):
    (error,) = outputs[2]
    assert len(error.traceback) == 2 and "kernel.cu:1: The kernel writes 4 bytes at byte 16" in error.traceback[0]


def test_a_picture_comes_with_its_sentence(outputs):
    (picture,) = outputs[3]
    assert "<svg" in picture.data["text/html"] and "4 sectors" in picture.data["text/plain"]
