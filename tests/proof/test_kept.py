"""The kept proofs of the course, held against the files as they are."""

import pytest

from grader.proof import keys, verify


def test_every_exercise_has_a_proof_that_stands(capsys):
    """Fails where a proof is missing or outdated: run `grader prove`. What is stale is told aloud."""
    with capsys.disabled():
        print()
        assert verify(sample=1) == 0


@pytest.mark.parametrize(
    ("file", "changed"),
    [("plugin/life.py", [True]), ("checks/conformance/run.py", [True]), ("verdict/records.py", [False, True])],
)
def test_what_judges_an_exercise_depends_on_what_it_needs(tmp_path, file, changed):
    path = tmp_path / "grader" / file
    path.parent.mkdir(parents=True)
    path.write_text("one")
    before = {plugins: keys.surroundings(tmp_path, plugins=plugins) for plugins in (False, True)}
    path.write_text("another")
    assert [each for each in before if keys.surroundings(tmp_path, plugins=each) != before[each]] == changed
