"""The example notebooks are what their Markdown says, and run from top to bottom."""

import nbformat
import pytest
from nbclient import NotebookClient

from grader.authoring.clone import HERE, AuthoringError
from grader.authoring.examples import examples

EXAMPLES = examples(HERE)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_notebook_is_built_from_its_markdown(path):
    assert path.read_bytes() == EXAMPLES[path], "python -m grader.authoring build"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_it_runs_from_top_to_bottom(path, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADER_DEVICE", "simulated")
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert shown and not any(output.output_type == "error" for output in shown)
    assert not any("Traceback" in str(output) for output in shown)


def test_an_example_has_no_exercises(tmp_path):
    folder = tmp_path / "docs" / "examples"
    folder.mkdir(parents=True)
    (folder / "one.md").write_text("# One\n\n```{code-cell}\n:check: slug\n\n1\n```\n")
    with pytest.raises(AuthoringError, match="one.md:"):
        examples(tmp_path)
