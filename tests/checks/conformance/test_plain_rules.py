"""Rules that need no kernels: each finds what it is about, and is the only one that does.

One defect of a kind here; ``make prove`` tries them all.
"""

import subprocess
from pathlib import Path

import building
import conforming
import pytest

from grader.checks.conformance.bench import Bench
from grader.checks.conformance.run import run_rules
from grader.plugin.guess import guess_attributes
from grader.plugin.session import Session
from grader.plugin.spec import load_spec
from grader.plugin.spec_records import Spec
from grader.toolchain import locate, tensorrt
from grader.verdict import State

DOUBLE = Path(building.__file__).parent / "libraries" / "double" / "double.cpp"
PLAIN = (
    "loads", "exports", "creators", "identity", "registry", "capabilities", "fields-advertised", "fields-null",
    "fields-unknown", "fields-type", "fields-length", "fields-lifetime", "fields-per-object", "serialize-complete",
    "serialize-stable", "serialize-lifetime", "serialize-fresh-process", "blob-size", "blob-round-trip", "blob-refuses",
    "clone-equal", "clone-independent", "attach", "exceptions", "timing-cache", "metadata",
)  # fmt: skip


@pytest.mark.parametrize("name", [
    "library_registers_itself_too", "identity_name_of_a_temporary", "fields_kept_as_they_came",
    "serialize_list_from_constructor", "blob_count_trusted", "clone_shares_what_it_owns",
])  # fmt: skip
def test_a_defect_fails_its_owner_alone(name):
    plugin, owner = conforming.header(name)["plugin"], conforming.header(name)["owner"]
    level = "L1" if plugin.endswith("_v2") else "L0"  # initialize() wants a device
    found = conforming.results(conforming.defective(name), building.spec(plugin), PLAIN, level=level)
    assert set(conforming.failures(found)) == {owner}


def shared(text: str, folder: Path) -> Path:
    """A library that the linker was not asked to check, as many builds make them."""
    source, made = folder / "double.cpp", folder / "double.so"
    source.write_text(text)
    headers = [f"-I{path}" for path in (tensorrt.tensorrt_include(), locate.cuda_include())]
    command = [str(locate.gxx()), "-shared", "-fPIC", "-std=c++17", "-w", *headers, str(source), "-o", str(made)]
    subprocess.run(command, check=True)
    return made


@pytest.mark.parametrize(("declared", "used", "told"), [
    ("namespace kernels { int launchDouble(float); }", "kernels::launchDouble(scale_)", "kernels::launchDouble"),
    ("struct Named { virtual ~Named() = default; virtual void name(); };", "Named(), 0", "virtual table of Named"),
    ('extern "C" int cublasDouble(float);', "cublasDouble(scale_)", "cuBLAS"),
])  # fmt: skip
def test_a_missing_symbol_is_named_with_what_it_belongs_to(tmp_path, declared, used, told):
    text = DOUBLE.read_text().replace("namespace {", f"{declared}\nnamespace {{", 1)
    text = text.replace("return 0;\n  }\n  IPluginV3* attach", f"return {used};\n  }}\n  IPluginV3* attach")
    library = shared(text, tmp_path)
    with Bench(library, Spec(path=library)) as bench:
        first, *others = run_rules(bench, level="L0", only=("loads", "identity", "exceptions"))
    assert first.check == "loads" and first.state is State.FAIL and told in first.message
    assert {each.blocked_by for each in others} == {"loads"}


def test_attributes_are_guessed_from_what_is_advertised():
    library = building.built("scale_shift")
    spec = guess_attributes(lambda: Session(library), Spec(path=library)).spec
    assert [(each.name, each.type, each.value) for each in spec.attributes] == [
        ("scale", "float32", 1), ("shift", "float32", 1),
    ]  # fmt: skip
    assert "guessed" in spec.notes[0]


def test_a_plugin_without_attributes_has_none_to_guess():
    library = building.built("relu")
    assert guess_attributes(lambda: Session(library), Spec(path=library)).spec.attributes == ()


def test_a_library_that_ends_the_process_is_a_verdict(tmp_path):
    library = shared(DOUBLE.read_text().replace("Creator() {", "Creator() {\n    std::exit(3);"), tmp_path)
    with Bench(library, Spec(path=library)) as bench:
        bench.guess()
        first, *others = run_rules(bench, level="L0", only=("loads", "clone-equal"))
    assert first.check == "loads" and "exit code 3" in first.message
    assert {each.blocked_by for each in others} == {"loads"}


def test_an_attribute_may_name_the_types_that_a_plugin_takes(tmp_path):
    source = building.PLUGINS.parent / "libraries" / "typed" / "typed.cpp"
    library = building.compiled({source.name: source.read_bytes()}, source.name, strict=False)
    (tmp_path / "typed.toml").write_text(
        '[[attribute]]\nname = "type_id"\ntype = "int32"\nvalue = 0\nother = 1\n'
        '[[input]]\nname = "x"\nshape = ["N"]\n[[output]]\nname = "y"\n'
    )
    found = conforming.results(library, load_spec(tmp_path / "typed.toml"), ["serialize-complete", "clone-equal"])
    assert conforming.failures(found) == {} and found["serialize-complete"].state is State.PASS
