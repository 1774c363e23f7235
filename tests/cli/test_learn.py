"""start, list, reset, update, hint, contract, doctor, class, prove."""

import sys
import types

import pytest

from grader.workspace import machine


def test_start_and_the_map(run, clone):
    result = run("start", "--all")
    assert result.exit_code == 0 and "2 files brought in" in result.stdout
    assert (clone / "my" / "index.ipynb").is_file()
    assert "already there" in run("start", "masked-gelu").stdout


def test_list_shows_ids_and_aliases(run, clone, squeeze):
    text = squeeze(run("list").stdout)
    assert "○ masked-gelu-forward 10.forward 10 points core Forward" in text
    assert "25 to 70 min" in text


def test_reset_says_where_the_work_is(run, started):
    (started / "masked_gelu.cu").write_text("mine\n")
    result = run("reset", "10.forward")
    assert result.exit_code == 0
    [saved] = (started.parent / ".grader" / "saved").rglob("masked_gelu.cu")
    assert str(saved) in result.stdout and saved.read_text() == "mine\n"
    assert "unchanged" in run("reset", "10").stdout


def test_update_tells_of_a_conflict(run, started, clone):
    (started / "masked_gelu.cu").write_text("mine\n")
    (clone / "plugin_skeletons" / "10_masked_gelu" / "masked_gelu.cu").write_text("theirs\n")
    result = run("update")
    assert result.exit_code == 0 and "masked_gelu.cu.new" in result.stdout
    assert (started / "masked_gelu.cu").read_text() == "mine\n"


def test_hints_climb_one_rung_at_a_time(run, clone):
    shown = [run("hint", "masked-gelu-forward").stdout for _ in range(5)]
    for text, rung in zip(shown, ("one", "two", "three", "four", "four"), strict=True):
        assert f"rung {rung}" in text and text.count("rung ") == 1
    assert "Hint 1 of 4" in shown[0] and "every hint" in shown[4]
    everything = run("hint", "10.forward", "--all").stdout
    assert all(f"rung {rung}" in everything for rung in ("one", "two", "three", "four"))


def test_a_contract_is_shown_row_by_row(run, clone, squeeze):
    shown = squeeze(run("contract", "10.forward").stdout)
    assert "Write it. special values NaN." in shown and "You hand in: masked_gelu.cu" in shown
    assert run("contract", "nothing").exit_code == 2


def ability(key, ok, needed):
    return machine._Probe(key, key.upper(), "things", "buy one", (lambda: "tried") if ok else missing, needed)


def missing():
    raise machine.Missing("looked, nothing there")


@pytest.mark.parametrize(
    "probes, status",
    [
        ([ability("a", True, True), ability("b", False, False)], 0),
        ([ability("a", False, True)], 1),
    ],
)
def test_doctor(run, monkeypatch, squeeze, probes, status):
    monkeypatch.setattr("grader.cli.doctor.PROBES", probes)
    monkeypatch.setattr("grader.workspace.machine.PROBES", probes)
    result = run("doctor")
    assert result.exit_code == status
    text = squeeze(result.stdout)
    assert ("missing A looked, nothing there" in text) == (status == 1)
    assert "to get it: buy one" in text


def test_a_probe_that_breaks_is_not_ok():
    def broken():
        raise OSError("no")

    probe = machine._Probe("x", "X", "y", "z", broken)
    assert probe.run() == machine.Ability(
        "x", "X", False, "tried, and it failed: OSError: no", "y", "z", False
    )


def test_a_device_that_computes_wrongly_is_not_ok(monkeypatch):
    class Liar:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        load = kernels = write = lambda self, *_: None
        alloc = lambda self, *_, **__: 512  # noqa: E731
        launch = lambda self, *_: types.SimpleNamespace(fault=None)  # noqa: E731
        read = lambda self, address, size: bytes(size)  # noqa: E731

    monkeypatch.setattr(machine, "_probe_ptx", lambda: "")
    with pytest.raises(machine.Missing, match="wrong values"):
        machine._run_probe(Liar())


def test_class_is_mounted_when_named(run, monkeypatch):
    import typer

    app = typer.Typer()

    @app.command()
    def init():
        typer.echo("made a class")

    @app.command()
    def other():
        pass

    monkeypatch.setitem(sys.modules, "grader.classroom.commands", types.SimpleNamespace(app=app))
    assert "made a class" in run("class", "init").stdout


def test_without_the_classroom_the_rest_works(run, clone, monkeypatch):
    monkeypatch.setitem(sys.modules, "grader.classroom.commands", None)
    result = run("class", "init", "DIR")
    assert result.exit_code == 2 and "cannot start" in result.stderr
    assert run("--help").exit_code == 0
    assert run("list").exit_code == 0


def test_version(run):
    result = run("--version")
    assert result.exit_code == 0 and result.stdout.startswith("grader 0.")


def test_prove_hands_over_slugs_and_status(run, clone, monkeypatch):
    asked = []

    def prove(slugs, *, as_json):
        asked.append((slugs, as_json))
        return 1

    monkeypatch.setitem(sys.modules, "grader.proof", types.SimpleNamespace(prove=prove))
    assert run("prove", "10.forward", "--json").exit_code == 1
    assert run("prove", "nope").exit_code == 2
    assert asked == [(["masked-gelu-forward"], True)]
