"""Mutated PTX: every refusal is typed, every launch ends, nothing crashes."""

from __future__ import annotations

import random
import re
import struct

import pytest
from conftest import HERE, compile_text

from grader.simulator import DeviceError
from grader.verdict.records import State

NUMBERS = (0, 1, 2, 4, 7, 31, 32, 64, 255, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 - 1, -1, -4)
ROUNDS = 60


def mutate(text: str, chance: random.Random) -> str:
    for _ in range(chance.choice((1, 1, 2, 4))):
        lines = text.split("\n")
        kind = chance.randrange(5)
        one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        if kind == 0:
            del lines[one]
            text = "\n".join(lines)
        elif kind == 1:
            lines[one], lines[other] = lines[other], lines[one]
            text = "\n".join(lines)
        else:
            pattern = (r"%?[\w$.]+", r"\d+", r"\.[a-z]\w*")[kind - 2]
            found = list(re.finditer(pattern, text))
            where, what = chance.choice(found), chance.choice(found).group()
            if kind == 3:
                what = str(chance.choice(NUMBERS))
            text = text[: where.start()] + what + text[where.end() :]
    return text


@pytest.mark.parametrize("file", ["elementwise.cu", "shared_memory.cu", "matmul.cu"])
def test_mutated_modules_never_end_in_a_defect(bench, file):
    original = compile_text((HERE / "kernels" / file).read_text(), file)
    chance = random.Random(file)
    states, launched = set(), 0
    for _ in range(ROUNDS):
        bench.device.reset()
        try:
            module = bench.device.load(mutate(original, chance))
            kernels = bench.device.kernels(module)
        except DeviceError as problem:
            assert problem.state in (State.ERROR, State.UNSUPPORTED_HERE, State.OUT_OF_MEMORY), problem.sentence
            states.add(problem.state)
            continue
        buffers = [bench.device.alloc(4096, fill=0) for _ in range(6)]
        for kernel in kernels:
            launch = bench.device.launch(
                module, kernel, (2,), (32, 2), struct.pack("<6Q", *buffers), instruction_budget=20_000
            )
            assert launch.fault is None or launch.fault.sentence
            launched += 1
    assert states and launched > ROUNDS // 4
