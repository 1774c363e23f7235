"""The corpus: every faulty kernel is found where it is faulty, no right one is blamed or wrong in its results."""

from __future__ import annotations

import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from corpus.case import HERE, all_cases
from corpus.judge import compiled, judge

CASES = all_cases()
NOT_YET = tomllib.loads((HERE / "not_yet.toml").read_text())


@pytest.fixture(scope="session", autouse=True)
def compiled_at_once(request):
    """The compiler runs in its own process, so that two cores are kept busy where the cache is cold."""
    if sum("test_verdict" in item.name for item in request.session.items) > 20:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(compiled, CASES))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdict(case, session_device):
    verdict = judge(case, session_device)
    if case.name in NOT_YET:
        assert verdict.wrong, f"{case.name} is right now: take it out of not_yet.toml (matrix.py --shrink does)"
    else:
        assert not verdict.wrong, "\n".join([case.sentence, *verdict.wrong])


def test_what_is_not_yet_found_exists():
    assert NOT_YET.keys() <= {case.name for case in CASES}


def test_every_faulty_kernel_says_what_and_where():
    for case in CASES:
        faulty, mended = case.name.startswith("faulty/"), case.name.endswith(" mended")
        assert case.sentence and bool(case.kinds) == (faulty and not mended), case.name
        assert faulty or case.results, f"{case.name}: a right kernel's result is checked"
        assert case.lines or not case.kinds or "launch" in case.kinds, case.name


def test_texts_are_distinct():
    assert max(Counter(case.text for case in CASES).values()) == 1
