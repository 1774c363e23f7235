"""Chapter 3: the headers as declarations, what is derived from them and what is cited, cards, traps, plans."""

from pathlib import Path

import pytest

from grader import course
from grader.exercises import check
from grader.exercises.ch03_interface_families import browser, families, pictures, traps
from grader.exercises.ch03_interface_families.browser import declarations, look_up, mentions, plain
from grader.exercises.ch03_interface_families.cards import CHOICES, cards, deck
from grader.exercises.ch03_interface_families.headers import index
from grader.exercises.runner import plan_of
from grader.toolchain.tensorrt import HEADERS, find_headers, numbers
from grader.verdict import State

ROOT = Path(__file__).parents[2]
SKELETONS, SOLUTIONS = (ROOT / tree / "03_interface_families" for tree in ("plugin_skeletons", "solutions"))
SLUGS = ("requirement-cards", "header-traps", "interface-tests")
FOUND, _ = find_headers()
needs_headers = pytest.mark.skipif(FOUND is None, reason="TensorRT's headers are not here: grader plugin-lane")
needs_our_headers = pytest.mark.skipif(
    FOUND is None or numbers(FOUND.version)[:2] != numbers(HEADERS)[:2], reason="these headers are not those of 10.14"
)


@pytest.fixture(scope="module")
def known():
    return index(FOUND.folder)


# Headers

TOY = """\
#define TRT_MAJOR_ENTERPRISE 10
#define TRT_MINOR_ENTERPRISE 14
#define TRT_PATCH_ENTERPRISE 1
namespace nvinfer1
{
class Forward;
//!
//! \\brief A thing. It does
//! two things, e.g. This.
//!
//! \\note One only.
//!
//! \\deprecated Deprecated in TensorRT 9.2. Take IOther.
//!
class TRT_DEPRECATED IThing : public IBase
{
public:
    //! \\brief Ask.
    virtual int32_t ask(int32_t const* a, float b = 1.0F) const noexcept = 0;
    virtual int32_t tell() noexcept
    {
        if (mValue) { return 1; }
        return 0;
    }
    IThing() = default;
    ~IThing() override = default;
    //! Its number.
    int64_t d[8];
    int32_t count{};
};
namespace v_2_0
{
class IOther : public v_1_0::IOther
{
public:
    InterfaceInfo getInterfaceInfo() const noexcept override
    {
        return InterfaceInfo{"OTHER", 2, 0};
    }
    virtual void more() noexcept {}
};
} // namespace v_2_0
//! \\brief The second.
using IOtherV2 = v_2_0::IOther;
enum class Colour : int32_t
{
    kRED TRT_DEPRECATED_ENUM = 0, //!< red
    //! Green.
    kGREEN = 1
};
} // namespace nvinfer1
"""


def test_a_header_is_read_as_declarations(tmp_path):
    (tmp_path / "NvInferToy.h").write_text(TOY)
    (tmp_path / "NvInferVersion.h").write_text(TOY.split("namespace")[0])
    found = index(tmp_path)
    thing = found["IThing"]
    assert (thing.kind, thing.line, thing.bases, thing.status) == ("class", 15, ("IBase",), "deprecated since 9.2")
    assert thing.sentences[:3] == ("A thing.", "It does two things, e.g. This.", "Note: One only.")
    ask, tell = found["IThing::ask"], found["IThing::tell"]
    assert (ask.line, ask.pure, ask.sentences, ask.since) == (19, True, ("Ask.",), "9.2")
    assert ask.text == "virtual int32_t ask(int32_t const* a, float b = 1.0F) const noexcept"
    assert (tell.line, tell.pure) == (20, False)
    assert (found["IThing::d"].text, found["IThing::d"].sentences) == ("int64_t d[8]", ("Its number.",))
    assert found["IThing::count"].kind == "member"
    assert {"IOtherV2", "IOtherV2::more"} <= set(found) and found["IOtherV2"].info == "OTHER 2.0"
    assert found["IOtherV2"].sentences == ("The second.",)
    assert found["Colour::kRED"].since == "?" and found["Colour::kGREEN"].since is None
    assert not {"Forward", "IThing::IThing", "IThing::~IThing", "IThing::if"} & set(found)


@needs_headers
def test_names_are_looked_up_as_one_writes_them(known):
    assert look_up("IPluginV3OneBuildV2::getOutputShapes", known).name == "IPluginV3OneBuild::getOutputShapes"
    assert look_up("Dims::d", known).text == "int64_t d[MAX_DIMS]"
    assert look_up("IPluginV3::enqueue", known) is None
    assert plain("nvinfer1::IExprBuilder::declareSizeTensor(int32_t, ...) #2") == "IExprBuilder::declareSizeTensor"
    assert "Near it: IPluginV2::enqueue" in declarations("IPluginV3::enqueue").sentence
    assert "declareSizeTensor" in declarations("declareSizeTenser").sentence
    assert [one.name for one in mentions("Aliased")] == [
        "PreviewFeature::kALIASED_PLUGIN_IO_10_03", "IPluginV3OneBuildV2::getAliasedInput"
    ]  # fmt: skip
    shown = declarations("getAliasedInput")._repr_html_()
    assert "NvInferRuntime.h" in shown and "A given plugin input can only be aliased to a single plugin output" in shown


@needs_headers
def test_each_declaration_stands_where_it_is_said_to(known):
    for one in known.values():
        text = (FOUND.folder / one.file).read_text(errors="replace").splitlines()
        last = one.name.rpartition("::")[2]
        near = " ".join(text[one.line - 1 : one.line + 12])
        assert last in near or one.name.partition("::")[0] in ("IPluginV3OneBuildV2",), one


# What is derived, and what is cited


@needs_our_headers
@pytest.mark.parametrize("family", families.FAMILIES, ids=lambda family: family.name)
def test_what_is_cited_of_10_14_is_what_its_headers_say(family, known):
    one = known[family.name]
    assert (one.since, one.info or "") == (family.since, family.info)


@needs_our_headers
def test_the_methods_that_are_cited_are_those_of_the_headers(known):
    assert families.methods(known) == families.METHODS


def test_without_headers_everything_is_cited_and_says_so(monkeypatch):
    for module in (families, browser):
        monkeypatch.setattr(module, "find_headers", lambda: (None, ()))
    monkeypatch.setattr(traps, "tensorrt_include", lambda: None)
    table = families.status_table()
    assert "there are no headers" in table.note and "deprecated since 10.0" in repr(table)
    assert "as in TensorRT 10.14" in pictures.capabilities().svg() or pictures.capabilities().alt
    assert "plugin-lane" in repr(declarations("clone")) and "plugin-lane" in mentions("clone").sentence
    assert "plugin-lane" in repr(traps.gxx("#pragma once\n"))
    assert "plugin-lane" in traps.trap_table().note


@needs_our_headers
def test_the_status_table_shows_what_the_headers_say():
    rows = {row[0]: row for row in families.status_table().rows}
    assert rows["IPluginV2DynamicExt"][4] == "deprecated since 10.0"
    assert rows["IPluginV3OneBuildV2"][5].endswith("“PLUGIN_V3ONE_BUILD 2.0”")
    assert rows["IPluginV2DynamicExt"][6].startswith("there")


def test_the_pictures_say_in_words_what_they_show():
    assert "another function" in pictures.overview().alt
    assert "getWorkspaceSize (the base class has an answer)" in pictures.capabilities().alt
    assert "IPluginV2DynamicExt from 6.0, deprecated since 10.0;" in pictures.timeline().alt
    assert "IPluginExt from before 5.0, deprecated since 6.0, removed in 8.0" in pictures.timeline().alt


# What the compiler says


@needs_headers
def test_what_the_chapter_says_of_the_traps():
    table = traps.trap_table()
    said = {row[0].partition("\n")[0]: dict(zip(table.head[1:], row[1:], strict=True)) for row in table.rows}
    usual, system, included, casts, override = table.head[1:]
    for trap in ("the parameters of V2", "a const too many"):
        quiet = [said[trap].pop(column) for column in (usual, system, casts)]
        assert quiet == ["silent"] * 3 and said[trap] == {included: "warned of", override: "refused"}
    letter = said["a letter in another case"]
    assert letter.pop(override) == "refused" and set(letter.values()) == {"silent"}
    for trap in ("no noexcept", "a pure method, misspelt"):
        assert set(said[trap].values()) == {"refused"}
    assert said["int const* from Dims::d"][usual] == "refused"
    assert [said["the same with a cast"][c] for c in (usual, casts)] == ["silent", "warned of"]
    assert [said["an extent kept in an int"][c] for c in (usual, casts)] == ["silent", "warned of"]


HIDDEN = "struct A : nvinfer1::IPluginV3OneBuildV2 { int32_t getAliasedInput(int64_t) noexcept { return 0; } };"
BARE_THIS = """using namespace nvinfer1;
struct A : IPluginV3, IPluginV3OneCore, IPluginV3OneBuild
{
    IPluginCapability* getCapabilityInterface(PluginCapabilityType) noexcept override { return this; }
};"""
SIZE_IN_V2 = """struct A : nvinfer1::IPluginV2DynamicExt
{
    nvinfer1::DimsExprs getOutputDimensions(
        int32_t, nvinfer1::DimsExprs const* in, int32_t, nvinfer1::IExprBuilder& build) noexcept override
    {
        nvinfer1::DimsExprs out = in[0];
        out.d[0] = build.declareSizeTensor(1, *in[0].d[0], *in[0].d[0]);
        return out;
    }
};"""
CAST = "inline int a(nvinfer1::Dims const& dims) { return reinterpret_cast<int const*>(dims.d)[0]; }"


@needs_headers
def test_what_the_chapter_says_of_gxx_beside_the_table():
    def said(code, *flags, **how):
        return traps.gxx(f"#include <NvInferRuntime.h>\n{code}\n", *flags, **how)

    assert not said(HIDDEN, "-Woverloaded-virtual").messages
    told = repr(said(HIDDEN, "-Woverloaded-virtual", headers="-I"))
    assert all(flag in told for flag in traps.QUIETER) and "g++ puts it at NvInferRuntime.h:" in told
    bare = said(BARE_THIS)
    assert bare.refused and "ambiguous" in repr(bare)
    assert not said(SIZE_IN_V2).refused
    assert not said(CAST, "-Wold-style-cast", "-Wconversion").messages


@needs_headers
def test_headers_of_another_version_can_be_read_and_compiled_with(tmp_path):
    """As a reader does who has those of 8.6 or 11: a folder of their own stands for them here."""
    for path in FOUND.folder.glob("NvInfer*.h"):
        text = path.read_text(errors="replace").replace("TRT_MAJOR_ENTERPRISE 10", "TRT_MAJOR_ENTERPRISE 11")
        (tmp_path / path.name).write_text(text.replace("getAliasedInput", "getSharedInput"))
    table = families.status_table(tmp_path)
    assert "in 11." in table.head[4] and "TensorRT 11." in table.note
    assert len(declarations("getSharedInput", tmp_path)) == 1 and not declarations("getAliasedInput", tmp_path)
    code = "#include <NvInferRuntime.h>\nstruct A : nvinfer1::IPluginV3OneBuildV2 { %s };\n"
    method = "int32_t getSharedInput(int32_t) noexcept override { return 0; }"
    assert not traps.gxx(code % method, folder=tmp_path).refused
    assert traps.gxx(code % method).refused
    assert "plugin-lane" in repr(declarations("clone", tmp_path / "nowhere"))


# The cards


@needs_headers
@pytest.mark.parametrize("card", cards(), ids=lambda card: card.id)
def test_a_word_of_the_last_hint_leads_to_the_evidence(card):
    hints = course.find("requirement-cards", course.Tree(ROOT)).hints
    words = hints[3].text.rpartition(": ")[2].rstrip(".").split(", ")
    shown = {one.name for word in words for one in mentions(word).declarations[: browser.MOST]}
    assert shown & set(card.evidence)


@needs_headers
def test_what_the_third_hint_says_of_its_example():
    assert [one.name.rpartition("::")[2] for one in mentions("creation state")] == [
        "getTimingCacheID", "getMetadataString"
    ]  # fmt: skip


@needs_headers
@pytest.mark.parametrize("card", cards(), ids=lambda card: card.id)
def test_all_evidence_of_a_card_is_declared(card, known):
    assert card.choice in CHOICES and set(card.instead) <= set(CHOICES) - {card.choice}
    assert card.evidence and all(look_up(name, known).name == name for name in card.evidence)


def test_the_deck_shows_every_card_and_choice_and_no_evidence():
    shown = deck()._repr_html_()
    assert all(card.id in shown for card in cards()) and all(name in shown for name in CHOICES)
    assert not [name for card in cards() for name in card.evidence if "::" in name and name in shown]


@needs_headers
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("return []", "must return a dict"),
        ("return {'point': ('build', '')}", "no card 'point'"),
        ("return {'points': 'build'}", "a pair of texts"),
        ("return {'points': ('v3', '')}", "'v3' is no choice"),
        ("return {'points': ('', '')}", "No card has a choice yet"),
    ],
)
def test_an_answer_of_another_form_is_told_kindly(answer, told):
    verdict = check("requirement-cards", ROOT, cells={"requirement-cards": f"def choose():\n    {answer}\n"})
    found = {c.check: c for c in verdict.checks}["well-formed"]
    assert (found.state, verdict.earned) == (State.FAIL, 0)
    assert told in found.message


@needs_headers
def test_a_wrong_choice_and_a_wrong_evidence_are_told_apart():
    source = (SOLUTIONS / "requirement_cards.py").read_text()
    old, new = '("build", "IPluginV3OneBuild::getWorkspaceSize")', '("runtime", "IPluginV3OneRuntime::enqueue")'
    wrong = source.replace(old, new)
    verdict = check("requirement-cards", ROOT, cells={"requirement-cards": wrong})
    assert [c.check for c in verdict.checks if c.state is not State.PASS] == ["scratch"]
    wrong = source.replace("PluginTensorDesc::type", "IPluginV3OneBuild::supportsFormatCombination")
    verdict = check("requirement-cards", ROOT, cells={"requirement-cards": wrong})
    failed = [c for c in verdict.checks if c.state is not State.PASS]
    assert [c.check for c in failed] == ["evidence-decides"] and "NvInferRuntime.h, line" in failed[0].message


def failures(source):
    checks = check("requirement-cards", ROOT, cells={"requirement-cards": source}).checks
    return {c.check: c for c in checks if c.state is not State.PASS}


@needs_headers
def test_a_card_that_nobody_answered_shows_no_belief():
    source = 'def choose():\n    return {"points": ("v2", ""), "scratch": ("build", "")}\n'
    found = failures(source)
    assert found["points"].misconception == "v2-data-dependent"
    assert {c.misconception for name, c in found.items() if name != "points"} == {None}
    assert "1 card is rightly chosen" in found["evidence-exists"].message


@needs_our_headers
def test_evidence_may_go_without_its_class_where_only_one_has_the_name():
    source = (SOLUTIONS / "requirement_cards.py").read_text()
    bare = source.replace("IExprBuilder::declareSizeTensor", "declareSizeTensor")
    assert bare != source and not failures(bare)
    found = failures(source.replace("IPluginV3OneBuild::getWorkspaceSize", "getWorkspaceSize"))
    assert set(found) == {"evidence-exists"} and found["evidence-exists"].misconception is None
    assert "4 declarations are called getWorkspaceSize" in found["evidence-exists"].message


@needs_headers
def test_what_is_said_beside_evidence_that_comes_near_is_about_declarations(known):
    for card in cards():
        assert all(look_up(name, known).name == name for name in card.beside), card.id
        assert not set(card.beside) & set(card.evidence)
    said = look_up("IPluginV3OneBuild::supportsFormatCombination", known).sentences
    assert not [sentence for sentence in said if "BOOL" in sentence]  # as the card bool-mask says
    for name in ("IPluginV3OneBuild::getOutputDataTypes", "IPluginV2Ext::getOutputDataType"):
        assert any("BOOL" in sentence for sentence in look_up(name, known).sentences)


@needs_headers
@pytest.mark.parametrize(
    ("old", "new", "at", "told"),
    [
        ("getTimingCacheID() noexcept", "getTimingCacheID() const noexcept", "compiles", "override does its work"),
        ("inputs[0].max", "inputs[0].opt", "workspace-covers", "enough for opt"),
        ("inputs[0].max", "inputs[0].desc.dims", "workspace-covers", "desc.dims has -1"),
        ("size_t bytes = 4;", "uint32_t bytes = 4;", "workspace-covers", "64 bits wide"),
    ],
)
def test_what_is_said_of_scratch_build_fits_the_mistake(tmp_path, old, new, at, told):
    for path in SOLUTIONS.glob("*.h"):
        (tmp_path / path.name).write_text(path.read_text())
    text = (tmp_path / "scratch_build.h").read_text()
    assert old in text
    (tmp_path / "scratch_build.h").write_text(text.replace(old, new))
    found = {c.check: c for c in check("header-traps", tmp_path).checks}[at]
    assert found.state is State.FAIL and told in found.message
    assert (found.misconception is None) is (at == "compiles" or "64 bits" in told)


# The plans


@pytest.mark.parametrize("slug", SLUGS)
def test_checks_and_chapter_name_the_same_misconceptions_groups_and_rows(slug):
    exercise = course.find(slug, course.Tree(ROOT))
    checks = plan_of(exercise).all_checks()
    assert {c.misconception for c in checks} - {None} == {m.id for m in exercise.misconceptions}
    assert {c.group for c in checks} == {g.id for g in exercise.groups}
    cited = {row for c in checks if c.source.startswith("contract: ") for row in c.source[10:].split(", ")}
    assert cited <= {row.row for row in exercise.contract}


@needs_headers
def test_the_solutions_pass():
    cells = {"requirement-cards": (SOLUTIONS / "requirement_cards.py").read_text()}
    for slug, points in (("requirement-cards", 10), ("header-traps", 8)):
        verdict = check(slug, SOLUTIONS, cells=cells)
        failed = [c.message for c in verdict.checks if c.state is not State.PASS]
        assert verdict.earned == verdict.possible == points, failed


@needs_headers
def test_the_skeletons_are_told_what_tensorrt_would_see():
    found = {c.check: c for c in check("header-traps", SKELETONS).checks}
    assert found["compiles"].state is State.PASS  # the costliest trap of the three is silent
    assert "gets 0, the base class's answer" in found["workspace-reached"].message
    assert "gets nullptr" in found["cache-id-reached"].message
    assert "tuned_runtime.h, line" in found["tuned-compiles"].message and "noexcept" in found["tuned-compiles"].message
    assert "6 rows of 0 columns" in found["extents"].message
