"""The `grader` command: what it offers. Each imports what it needs when it runs, so that all start fast."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.guard import GuardedGroup, WrongUse

app = typer.Typer(
    cls=GuardedGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Learn to write TensorRT plugins: start chapters, check exercises, run a class.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        from grader import __version__

        typer.echo(f"grader {__version__}")
        raise typer.Exit


@app.callback()
def whole(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, metavar="", help="Show the version."),
    ] = False,
) -> None:
    """Learn to write TensorRT plugins: start chapters, check exercises, run a class."""


ExerciseName = Annotated[str, typer.Argument(metavar="EXERCISE", help="Its id, or a short name such as 10.forward.")]
Json = Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON document instead of text.")]


@app.command()
def doctor() -> None:
    """Try what this machine can do, and say what each part unlocks."""
    from grader.cli.doctor import report

    raise typer.Exit(report())


@app.command("list")
def list_() -> None:
    """Show chapters, exercises, their ids and points, and your progress."""
    from grader.cli.learn import show_list

    show_list()


@app.command()
def start(
    chapters: Annotated[list[str] | None, typer.Argument(metavar="[CHAPTER]...", help="Number or name.")] = None,
    everything: Annotated[bool, typer.Option("--all", metavar="", help="Every chapter there is.")] = False,
) -> None:
    """Bring chapters into your folder, my/. Files that are there already are left alone."""
    from grader.cli.learn import start_chapters

    start_chapters(chapters or [], everything)


@app.command()
def reset(name: Annotated[str, typer.Argument(metavar="CHAPTER|EXERCISE")]) -> None:
    """Bring a chapter, or one exercise, back to its first form. What you had is saved first."""
    from grader.cli.learn import reset_files

    reset_files(name)


@app.command()
def update() -> None:
    """Bring newer course files into your folder. Your work is kept."""
    from grader.cli.learn import update_chapters

    update_chapters()


@app.command()
def check(
    exercise: ExerciseName,
    directory: Annotated[
        Path | None,
        typer.Option("--dir", help="The folder with your files; by default the chapter's in my/."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Make the random cases of an earlier run again.")] = None,
    full: Annotated[
        bool, typer.Option("--full", metavar="", help="All evidence for every check, not for the first alone.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check your answer to an exercise. Exit status: 0 passed, 1 not passed, 2 wrong use, 3 grader fault."""
    from grader.cli.check import run

    raise typer.Exit(run(exercise, directory, seed, as_json, full))


@app.command()
def hint(
    exercise: ExerciseName,
    everything: Annotated[bool, typer.Option("--all", metavar="", help="All hints at once.")] = False,
) -> None:
    """Show the next hint of an exercise."""
    from grader.cli.learn import show_hint

    show_hint(exercise, everything)


@app.command()
def contract(exercise: ExerciseName) -> None:
    """Show what an exercise's answer must do, row by row."""
    from grader.cli.learn import show_contract

    show_contract(exercise)


@app.command("plugin-lane")
def plugin_lane(
    background: Annotated[
        bool, typer.Option("--background", metavar="", help="Start it and come back; it yields to other work.")
    ] = False,
    only_state: Annotated[bool, typer.Option("--state", metavar="", help="Say how far it is, no more.")] = False,
) -> None:
    """Install what plugins need beyond kernels: nvcc, TensorRT's headers and registry, ONNX tools."""
    from grader.cli.lane import run

    raise typer.Exit(run(background, only_state))


@app.command()
def prove(
    exercises: Annotated[list[str] | None, typer.Argument(metavar="[EXERCISE]...", help="All by default.")] = None,
    as_json: Json = False,
) -> None:
    """For authors: prove that the checks catch every wrong variant and pass every right one."""
    from grader.cli.prove import run

    raise typer.Exit(run(exercises or [], as_json))


@app.command()
def autograde(
    chapter: Annotated[
        str | None, typer.Argument(metavar="[CHAPTER]", help="Default: every assignment that was handed in.")
    ] = None,
    student: Annotated[str, typer.Option(metavar="PATTERN", help="One student, or a pattern such as 'a*'.")] = "*",
    sources: Annotated[
        list[Path] | None,
        typer.Option("--from", metavar="PATH", help="Take submissions from there first; may be given again."),
    ] = None,
    roster: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Who the students are; see the instructor's guide.")
    ] = None,
    replace: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Take this student's work from --from even where what is there is newer or was put there by hand; "
            "'*': everybody's.",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, help="How many to judge at a time; 0: one for each processor.")] = 0,
    resume: Annotated[
        bool, typer.Option("--resume", metavar="", help="Go on with the run that was interrupted.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", metavar="", help="Judge again what has not changed.")] = False,
    dask: Annotated[str, typer.Option(metavar="ADDRESS", help="Have the workers of a Dask scheduler judge.")] = "",
    confine: Annotated[
        str, typer.Option(metavar="KIND", help="auto, bubblewrap or landlock: what confines students' code.")
    ] = "",
    trust_submissions: Annotated[
        bool,
        typer.Option("--trust-submissions", metavar="", help="Do not confine it: it runs with your own rights."),
    ] = False,
    course: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The instructor's tree; default: the one this folder lies in."),
    ] = None,
) -> None:
    """For instructors: grade what a class handed in, in submitted/STUDENT/CHAPTER/. What has not changed is skipped.

    Exit status: 0 all graded, whatever the grades; 2 wrong use, or refused; 3 the grader failed on some, or stopped.
    """
    from grader.sandbox.confinement import KINDS

    try:
        from grader.cli.autograde import run
    except ImportError as error:
        raise WrongUse(
            f"`grader autograde` cannot start: {error}. Run `make course` again, or `grader doctor`"
        ) from None
    if confine not in ("", "auto", *KINDS):
        raise WrongUse(f"--confine {confine}: there are auto, {' and '.join(KINDS)}")
    asked = {
        "student": student, "sources": [str(path.absolute()) for path in sources or ()],
        "roster": str(roster.absolute()) if roster else "", "jobs": jobs, "force": force, "dask": dask,
        "confine": confine, "trust_submissions": trust_submissions, "replace": replace or [],
    }  # fmt: skip
    raise typer.Exit(run(chapter, course, resume, asked))


plugin_app = typer.Typer(no_args_is_help=True, help="Check any TensorRT plugin library.")
app.add_typer(plugin_app, name="plugin")


@plugin_app.command()
def conform(
    library: Annotated[Path, typer.Argument(metavar="LIBRARY", help="A plugin library, such as libmine.so.")],
    spec: Annotated[
        Path | None, typer.Option(help="A TOML file with its inputs, attributes and reference (docs/plugin_spec.md).")
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(help="L0: run no kernels. L1: fail where they cannot be run. L2: run them on this machine's GPU."),
    ] = None,
    creator: Annotated[
        str | None, typer.Option(metavar="NAME[:VERSION]", help="This plugin of the library; without it, each in turn.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="RULE", help="This rule alone; may be repeated.")] = None,
    skip: Annotated[list[str] | None, typer.Option(metavar="RULE", help="Not this rule; may be repeated.")] = None,
    required: Annotated[
        bool, typer.Option("--required", metavar="", help="Only rules that a document demands, no recommended ones.")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="Draw other random cases.")] = None,
    trace: Annotated[Path | None, typer.Option(help="Write every call of the plugin there, as JSON.")] = None,
    full: Annotated[bool, typer.Option("--full", metavar="", help="Show the rules that passed too.")] = False,
    as_json: Json = False,
    junit: Annotated[bool, typer.Option("--junit", metavar="", help="Print JUnit XML.")] = False,
    sarif: Annotated[bool, typer.Option("--sarif", metavar="", help="Print SARIF 2.1.0.")] = False,
) -> None:
    """Drive a plugin library through its life as TensorRT would, and say what is wrong with it.

    Exit status: 0 all that could run passed, 1 not all, 2 wrong use, 3 grader fault.
    """
    from grader.cli.plugin import Options, run

    forms = [form for form, asked in (("json", as_json), ("junit", junit), ("sarif", sarif)) if asked]
    if len(forms) > 1:
        raise WrongUse(f"--{forms[0]} and --{forms[1]} write to the same place: ask for one at a time")
    form = forms[0] if forms else "text"
    options = Options(library, spec, creator, form, level, only or (), skip or (), seed, trace, full, required)
    raise typer.Exit(run(options))


@plugin_app.command()
def build(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILES...", help="C++ and CUDA files; headers beside them count.")
    ],
    output: Annotated[Path, typer.Option("-o", metavar="LIBRARY", help="The library to make, such as libmine.so.")],
    arch: Annotated[
        str, typer.Option(help="compute_80: PTX, as the simulated GPU takes; sm_80: machine code.")
    ] = "compute_80",
    headers: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="TensorRT's headers; without it, those that are found.")
    ] = None,
) -> None:
    """Build a plugin library with the nvcc and the headers of the plugin lane, as the grader builds answers.

    Exit status: 0 built, 1 the files are wrong, 2 wrong use, 3 grader fault.
    """
    from grader.cli.plugin_build import run

    raise typer.Exit(run(files, output, arch, headers))


@plugin_app.command()
def spec(
    library: Annotated[Path, typer.Argument(metavar="LIBRARY", help="A plugin library, such as libmine.so.")],
    creator: Annotated[
        str | None, typer.Option(metavar="NAME[:VERSION]", help="This plugin of the library; without it, its first.")
    ] = None,
    spec: Annotated[Path | None, typer.Option(help="Go on from this spec: take its attributes.")] = None,
) -> None:
    """Print a spec to begin with: advertised attributes, and the inputs that the plugin was found to take."""
    from grader.cli.plugin_spec import run

    raise typer.Exit(run(library, creator, spec))


@plugin_app.command()
def engine(
    library: Annotated[
        Path, typer.Argument(metavar="LIBRARY", help="A plugin library, or the .py file of a Python plugin.")
    ],
    spec: Annotated[Path, typer.Option(help="A TOML file with its inputs, attributes and reference.")],
    report: Annotated[Path | None, typer.Option(help="Write the report there (docs/engine_report.md).")] = None,
    as_json: Json = False,
) -> None:
    """Run a plugin on the real TensorRT, where it and a GPU are: plan, new process, results, call order.

    The report is JSON without paths or names of yours: evidence that can be shared.
    """
    from grader.cli.engine import run

    raise typer.Exit(run(library, spec, report, as_json))


if __name__ == "__main__":
    app()
