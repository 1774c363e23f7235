"""Chapter 1: the cards are what they are said to be, and what the chapter says of its kernels and models is so."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from grader.authoring.leaks import find_leaks
from grader.exercises import check
from grader.exercises.ch01_why_plugins.cards import causes, log_cards
from grader.exercises.ch01_why_plugins.decide import ASKED
from grader.exercises.ch01_why_plugins.log_cards import BELIEFS, GROUPS, PLAN
from grader.exercises.ch01_why_plugins.operators import DECISIONS, FILE, hidden, operators, visible
from grader.exercises.ch01_why_plugins.pictures import decision_tree, moved, traffic
from grader.gpu import cupy as cp
from grader.gpu import profile
from grader.notebook.cards import Causes, LogCards, OperatorCards, operator
from grader.plugin.onnx_parser import parse, parse_all, unavailable
from grader.toolchain.tensorrt import HEADERS, headers_version, tensorrt_include
from grader.verdict import State

sys.path.append(str(Path(__file__).parent))
import why_operators  # noqa: E402
from why_models import MODELS, card_text  # noqa: E402

ROOT = Path(__file__).parents[2]
SOLUTIONS, SKELETONS = ROOT / "solutions/01_why_plugins", ROOT / "plugin_skeletons/01_why_plugins"
needs_parser = pytest.mark.skipif(bool(unavailable()), reason=unavailable())


def solved(name):
    space = {}
    exec((SOLUTIONS / f"{name}.py").read_text(), space)
    return space


# The log cards


@needs_parser
@pytest.mark.parametrize("name", sorted(MODELS))
def test_a_card_is_what_nvidias_parser_and_builder_say(name):
    assert "\n".join(log_cards()[name].lines) == card_text(name)


def test_a_card_is_made_or_a_short_quotation():
    for card in log_cards().values():
        if card.id in MODELS:
            assert card.made == "TensorRT-RTX"
        else:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", card.made) and len(card.lines) <= 2
    assert len(log_cards()) == 12 and set(BELIEFS) == set(log_cards())
    assert sorted(id for ids in GROUPS.values() for id in ids) == sorted(log_cards())


@needs_parser
def test_the_registry_is_as_the_card_says():
    listed = "import tensorrt_rtx_bindings as t; print([(c.name, c.plugin_version, c.plugin_namespace)" \
        " for c in t.get_plugin_registry().all_creators])"  # fmt: skip
    out = subprocess.run([sys.executable, "-I", "-c", listed], capture_output=True, text=True, check=True).stdout
    found = {name: (version, namespace) for name, version, namespace in eval(out)}
    assert found == {"MyelinWeightsTransformPlugin": ("1", ""), "ROIAlign_TRT": ("2", "")}
    for name, (version, _) in found.items():
        assert f"{name}, version {version}" in log_cards()["roi"].situation


@needs_parser
def test_what_the_cards_say_of_round_and_unique():
    import onnx

    assert parse(why_operators.one("Round", {"x": [4]})).accepted
    every = onnx.defs.get_all_schemas_with_history()
    assert {min(each.since_version for each in every if each.name == name) for name in ("Round", "Unique")} == {11}
    assert not onnx.defs.has("VoxelFeatureEncoder") and not onnx.defs.has("SkipLayerNormalization")


@needs_parser
def test_outputs_of_a_normalization_are_refused_in_any_mode_so_that_their_line_proves_none():
    """Lines 13 and 19 of card training: with training_mode = 0 they stand there, too."""
    usual = MODELS["training"]()
    del usual.graph.node[0].attribute[:]
    said = "\n".join(parse(usual).lines("ERROR"))
    lines = log_cards()["training"].lines
    assert lines[12] in said and lines[18] in said and lines[6] not in said


def test_the_solution_fits_the_seals_and_the_notes_fit_the_cards():
    answer = solved("log_cards")["causes"]()
    for card in log_cards().values():
        cause, line = answer[card.id]
        assert card.has_cause(cause) and card.has_line(line)
        assert [each for each in causes() if card.has_cause(each)] == [cause]
        assert set(card.cause_notes) <= set(causes()) - {cause} and len(card.cause_notes) >= 3
        assert not [n for n in card.line_notes if card.has_line(n) or not 1 <= n <= len(card.lines)]


EMPTY = {"log-cards": "def causes():\n    return {'voxel': ('', 0)}"}


def verdict_of(body):
    verdict = check("log-cards", ROOT, cells={"log-cards": f"def causes():\n    return {body}"})
    return {each.check: each for each in verdict.checks}


def test_a_wrong_cause_hears_why_it_does_not_fit_and_a_wrong_line_what_it_says():
    found = verdict_of('{"training": ("option-not-supported", 13), "branch": ("no-implementation", 6)}')
    assert "statistics" in found["cause-training"].message
    lines = found["lines-refused"].message
    assert "Card training: line 13" in lines and "Which line names the mode?" in lines
    assert "Card branch: the cause is right. Line 6" in lines and "No line yet for antialias, weights." in lines


def test_a_card_without_an_answer_hears_no_belief_since_that_would_answer_it():
    beliefs = {each.check: each.misconception for each in check("log-cards", ROOT, cells=EMPTY).checks}
    assert set(beliefs.values()) == {None}
    found = verdict_of('{"training": ("option-not-supported", 13)}')
    assert found["cause-training"].misconception == "refusal-is-a-gap"
    assert found["lines-refused"].misconception == "where-for-why"
    assert found["cause-branch"].misconception is None and found["lines-elsewhere"].misconception is None


def test_a_belief_is_told_to_who_answers_as_if_they_had_it_and_to_nobody_else():
    other = verdict_of('{"voxel": ("other-runtimes-operator", 10), "fresh": ("wrong-architecture", 0)}')
    assert {other[id].misconception for id in ("cause-voxel", "cause-fresh", "lines-not-found")} == {None}
    same = verdict_of('{"voxel": ("older-than-operator", 12), "branch": ("", 6), "reshape": ("", 3)}')
    lines = [same[id].misconception for id in ("lines-not-found", "lines-refused", "lines-elsewhere")]
    assert same["cause-voxel"].misconception == "onnx-is-onnx"
    assert lines == ["last-line", "where-for-why", "first-error"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("[]", "dictionary"),
        ('{"voxels": ("no-profile", 1)}', "Did you mean 'voxel'?"),
        ('{"voxel": "no-profile"}', "a pair"),
        ('{"voxel": ("no-profle", 1)}', "Did you mean 'no-profile'?"),
        ('{"voxel": ("no-profile", 14)}', "lines 1 to 13"),
        ('{"voxel": ("no-profile", True)}', "whole number"),
    ],
)
def test_an_answer_of_another_form_is_told_which(body, words):
    found = verdict_of(body)
    assert words in found["well-formed"].message and found["cause-voxel"].blocked_by == "well-formed"


def test_every_cause_of_a_check_is_a_misconception_of_the_chapter():
    assert len({each.misconception for each in PLAN.all_checks() if each.misconception}) == 15


def test_cards_show_as_text_and_as_html():
    assert "   7  [E] ModelImporter.cpp:140" in repr(LogCards("voxel"))
    html = LogCards("round")._repr_html_()
    assert "onnx/onnx-tensorrt#800" in html and "&amp;&amp;&amp;&amp; FAILED" in html
    assert "no-profile" in repr(Causes()) and "no-profile" in Causes()._repr_html_()


# The operator cards


@needs_parser
def test_the_parser_says_what_the_operator_cards_say():
    facts = operators()
    said = parse_all(why_operators.MODELS[each["model"]]() for each in facts.values())
    found = {name: "takes" if one.accepted else "refuses" for name, one in zip(facts, said, strict=True)}
    assert found == {name: each["parser"] for name, each in facts.items()}
    assert len(facts) == len(why_operators.MODELS)


@needs_parser
def test_every_rewrite_is_taken():
    rewritten = {name for name, each in operators().items() if each.get("rewrite")}
    assert rewritten == set(why_operators.REWRITES)
    said = parse_all(make() for make in why_operators.REWRITES.values())
    assert [str(one.sentence) for one in said if not one.accepted] == []


@needs_parser
def test_what_merges_with_its_neighbour_becomes_one_layer():
    cards = [*visible().values(), *hidden().values()]
    assert {(card.op["name"], other) for card in cards for other in card.op["merges_with"]} == set(why_operators.MERGED)
    for make in why_operators.MERGED.values():
        layers = re.findall(r"^Layer\(.*", "\n".join(parse(make(), build=True).lines("VERBOSE")), re.M)
        assert len(layers) == 1 and "ForeignNode" in layers[0]


def test_layers_are_in_the_headers_of_the_course_or_not_as_the_cards_say():
    include = tensorrt_include()
    if include is None or headers_version(include) != HEADERS.rpartition(".")[0]:
        pytest.skip("the headers of 10.14.1 are not here")
    text = (include / "NvInfer.h").read_text()
    for each in operators().values():
        if each.get("layer") and "plugin" not in each["layer"]:
            name = each.get("symbol") or each["layer"].split(",")[0]
            there = re.search(rf"\b{name}\b", text) is not None
            assert there == (each["layer_since"] in ("8.6", "10.0")), name


def test_the_solution_decides_every_card_and_every_check_has_cards_of_both_kinds():
    decide = solved("decide")["decide"]
    for cards in (visible(), hidden()):
        assert {card.check for card in cards.values()} == set(ASKED)
        assert [card.id for card in cards.values() if not card.fits(decide(card.op))] == []
        assert {decide(card.op) for card in cards.values()} == set(DECISIONS)
        assert not any(decide(card.op) in card.notes or set(card.notes) - set(DECISIONS) for card in cards.values())
    assert len(visible()) == 17 and len(hidden()) >= 24
    assert [sum(card.check == each for card in hidden().values()) >= 2 for each in ASKED] == [True] * len(ASKED)


def decided(**of):
    body = (SOLUTIONS / "decide.py").read_text()
    for old, new in of.values():
        assert body.count(old) == 1
        body = body.replace(old, new)
    verdict = check("decide", ROOT, cells={"decide": body})
    return verdict, {each.check: each for each in verdict.checks}


def test_a_table_of_names_earns_nothing_and_a_decision_is_spelt_as_the_contract_has_it():
    table = 'if op["name"] == "Swish":\n        return "plugin"\n    if whole and takes'
    verdict, found = decided(name=("if whole and takes", table))
    assert verdict.earned == 0 and found["names"].state is State.FAIL and found["fusion"].blocked_by == "names"
    _, found = decided(word=('"graph rewrite"', '"Graph Rewrite"'))
    assert "Did you mean 'graph rewrite'?" in found["well-formed"].message


def test_a_class_without_the_bank_is_asked_nothing_hidden(monkeypatch):
    from grader.exercises.ch01_why_plugins import decide
    from grader.exercises.ch01_why_plugins import operators as module

    monkeypatch.setattr(module, "hidden_bank", lambda *_: None)
    monkeypatch.setattr(decide, "hidden", module.hidden.__wrapped__)
    body = (SOLUTIONS / "decide.py").read_text()
    assert check("decide", ROOT, cells={"decide": body}, hidden=True, seed=1).state is State.PASS


def test_no_line_of_the_bank_or_a_solution_stands_in_the_package():
    """A class release is searched for them, and would not be written."""
    assert find_leaks(FILE.parent, clone=ROOT) == []


def test_operator_cards_show_as_text_and_as_html():
    assert "combination: kSIGMOID, kPROD; all elementwise; moves 20.0 MiB, least 8.0 MiB" in repr(OperatorCards())
    assert "rewrite: Gelu; combination: kPOW, " in repr(OperatorCards())
    assert "stays at 8.6" in OperatorCards()._repr_html_()
    assert "IParametricReLULayer, in 8.6 or earlier" in repr(OperatorCards())
    assert "IRotaryEmbeddingLayer, found in 10.15" in repr(OperatorCards())
    assert "moves 32.0 MiB, least 8.0 KiB" in repr(OperatorCards())
    assert operator("swish")["bytes"] == 5 * 2**22
    with pytest.raises(KeyError, match="leaky-relu"):
        operator("Swish")


# What the chapter says of models and kernels


def windows(size, to):
    """AdaptiveAvgPool as PyTorch defines it: the first element of each window and the one behind its last."""
    return [(i * size // to, -(-(i + 1) * size // to)) for i in range(to)]


def test_when_an_adaptive_pooling_is_an_ordinary_one():
    assert windows(12, 4) == [(0, 3), (3, 6), (6, 9), (9, 12)]
    assert windows(11, 4) == [(0, 3), (2, 6), (5, 9), (8, 11)]  # three or four wide, and they overlap


@needs_parser
def test_what_tensorrt_rtx_cannot_do_is_as_the_chapter_says():
    refused = parse(why_operators.one("NonZero", {"x": [4, 5]}))
    assert "NonZero plugin creator version 1 was not found" in refused.sentence
    inputs = {"x": [1, 4, 16, 16], "boxes": [3, 4], "of": ([3], why_operators.INT64)}
    align = parse(why_operators.one("RoiAlign", inputs, output_height=2, output_width=2))
    assert align.accepted or "Cuda Error in ROIAlignV3" in "\n".join(align.lines("VERBOSE"))  # a GPU may make it
    nms = parse(why_operators.MODELS["nms"](), build=True)
    assert nms.accepted and nms.engine is None and "has no runners that implement it" in nms.sentence


@needs_parser
def test_the_three_layers_of_a_position_bias_are_one_region_here():
    bias = why_operators.MODELS["position_bias"]()
    shapes = {"scores": [(1, 4, n, n) for n in (8, 16, 16)], "index": [(n, n) for n in (8, 16, 16)]}
    built = "\n".join(parse(bias, build=True, profile=shapes).lines("VERBOSE"))
    assert len(re.findall(r"^Layer\(.*ForeignNode", built, re.M)) == 1


def test_the_fused_kernel_gives_the_same_and_moves_half():
    code = (SKELETONS / "leaky_relu.cu").read_text()
    n, size, slope = np.int64(8 * 1000), np.int64(1000), np.float32(0.1)
    x = np.random.default_rng(3).standard_normal(int(n)).astype(np.float32)
    bias = np.linspace(-1, 1, 8, dtype=np.float32)
    between, two, one = (cp.empty(int(n), np.float32) for _ in range(3))
    module = cp.RawModule(code=code)
    with profile() as p:
        given = cp.asarray(x), cp.asarray(bias)
        module.get_function("add_bias")((8,), (256,), (*given, between, size, n))
        module.get_function("leaky_relu")((8,), (256,), (between, two, slope, n))
        module.get_function("bias_leaky_relu")((8,), (256,), (*given, one, slope, size, n))
    total = x + np.repeat(bias, 1000)
    np.testing.assert_array_equal(cp.asnumpy(one), np.where(total >= 0, total, slope * total))
    np.testing.assert_array_equal(cp.asnumpy(one), cp.asnumpy(two))
    bytes_of = {name: sum(moved(counters)) for name, counters in p.counters.items()}
    assert 0.45 < bytes_of["bias_leaky_relu"] / (bytes_of["add_bias"] + bytes_of["leaky_relu"]) < 0.6


def test_pictures_have_words():
    assert "newer TensorRT" in decision_tree().alt
    assert "reads 1.00 and writes 0.25 MiB" in traffic({"one": {"k": (1 << 20, 1 << 18)}}, "t").alt
    assert decision_tree().svg().startswith("<svg")
