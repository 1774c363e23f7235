"""The house keeps its own rules: rooms import downwards only, packages are listed, files stay small."""

import ast
import re
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "grader"


def rooms() -> list[str]:
    """The rooms from the top floor to the ground, as docs/architecture.md lists them."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    table = text.split("## Rooms of the package")[1].split("## ")[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.M)


def imports(path: Path) -> set[str]:
    """The rooms that a module imports, late imports too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != "grader" else [f"grader.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("grader.")}
    return found


def test_the_architecture_names_every_room():
    folders = {p.name for p in PACKAGE.iterdir() if (p / "__init__.py").exists()}
    assert folders == set(rooms())


@pytest.mark.parametrize("room", rooms())
def test_imports_run_downwards_only(room):
    order = rooms()
    above = set(order[: order.index(room)])
    wrong = {f"{p.relative_to(ROOT)} imports {up}" for p in (PACKAGE / room).rglob("*.py") for up in imports(p) & above}
    assert not wrong


def test_every_package_and_data_file_is_in_the_wheel():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    packages = {".".join(p.parent.relative_to(ROOT).parts) for p in PACKAGE.rglob("*.py")}
    assert packages == set(project["packages"])
    data = {p for name, patterns in project["package-data"].items() for pattern in patterns
            for p in ROOT.joinpath(*name.split(".")).glob(pattern) if p.is_file()}  # fmt: skip
    files = (p for p in PACKAGE.rglob("*") if p.is_file() and "_course" not in p.parts)
    present = {p for p in files if p.suffix not in (".py", ".pyc")}
    assert present == data


def test_every_part_of_the_simulated_gpu_is_on_its_map():
    tests = ROOT / "tests" / "simulator"
    named = set(re.findall(r"test_\w+\.py", (tests / "README.md").read_text()))
    assert named == {path.name for path in tests.glob("test_*.py")}
    page = (ROOT / "docs" / "simulator.md").read_text()
    engine = {path.name for path in (PACKAGE / "simulator" / "engine").glob("*.cpp")}
    assert not {name for name in engine if name not in page}


def test_every_file_of_the_plugin_host_is_on_its_map():
    """In docs/plugin_host.md, in the table of its own room: the same names come again in others."""
    page = (ROOT / "docs" / "plugin_host.md").read_text().split("## Reading order")[1].split("\n## ")[0]
    _, *tables = re.split(r"^\*\*(.+)\*\*$", page, flags=re.M)
    cells = dict(zip(tables[::2], tables[1::2], strict=True))
    named = {title: set(re.findall(r"(\w+\.(?:py|cpp))`", text)) for title, text in cells.items()}

    def of(word):
        return set().union(*(names for title, names in named.items() if word in title))

    def present(folder, suffix):
        return {path.name for path in (PACKAGE / folder).rglob(f"*.{suffix}")} - {"__init__.py"}

    assert of("driving") | of("what is known") | of("Other ways") >= present("plugin", "py")
    assert of("in the plugin process") == present("plugin/host", "cpp")
    assert of("Other ways") >= present("plugin/tracer", "cpp") | present("plugin/registry11", "cpp")
    assert of("judging") == present("checks/conformance", "py")
    assert of("the device process") == present("simulator/runtime", "py")
    assert of("libraries") <= present("toolchain", "py")
    mapped = set().union(*named.values())
    assert mapped <= present(".", "py") | present(".", "cpp")


def test_the_pictures_of_the_pages_are_those_that_their_scripts_draw():
    for script in (ROOT / "docs" / "pictures").glob("*.py"):
        drawn = runpy.run_path(str(script))["picture"]()
        assert script.with_suffix(".svg").read_text() == drawn, f"python {script.relative_to(ROOT)}"


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_every_link_of_a_page_leads_somewhere(page):
    lost = []
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text()):
        file, _, anchor = target.partition("#")
        there = page.parent / file if file else page
        if not there.exists() or anchor and anchor not in anchors(there):
            lost.append(target)
    assert not lost


def anchors(page: Path) -> set[str]:
    """Those that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("suffix", ["py", "cpp", "h", "inc", "cu", "cuh"])
def test_no_file_needs_an_afternoon(suffix):
    files = [p for top in ("grader", "tests", "benchmarks", "solutions") for p in (ROOT / top).rglob(f"*.{suffix}")]
    long = {str(p.relative_to(ROOT)): n for p in files if (n := p.read_text().count("\n")) > 450}
    assert not long


def test_modules_that_tests_import_by_name_have_names_of_their_own():
    """Folders of tests stand on sys.path together, so the first of two modules of one name would hide the other."""
    data = ("plugins", "libraries", "python", "corpus", "replay", "variants")
    modules = [p for p in (ROOT / "tests").rglob("*.py") if not set(data) & set(p.relative_to(ROOT / "tests").parts)]
    names = [p.name for p in modules if not p.name.startswith(("test_", "conftest", "__init__"))]
    assert sorted(names) == sorted(set(names))
