"""The contract of a kernel file, worded kindly: device code only, no standard headers, one kernel or more."""

from __future__ import annotations

import re
from collections.abc import Mapping

from grader.toolchain.lexer import Reading
from grader.toolchain.screen import STANDARD_HEADERS
from grader.verdict import Diagnostic

NO_KERNEL = (
    'There is no kernel in this file: write one, as in extern "C" __global__ void name(float* x) { ... }.'
)
EMPTY = "The file is empty: write your kernel in it."
ONLY_COMMENTS = "The file holds only comments and directives: write your kernel in it."

_MATH = {"cmath", "math.h"}
_INTEGERS = {"cstdint", "stdint.h", "cinttypes", "inttypes.h"}
_PRINT = {"cstdio", "stdio.h", "cassert", "assert.h"}


def check_contract(readings: Mapping[str, Reading], main: str) -> list[Diagnostic]:
    """What a compiler would say late or in a roundabout way. ``main`` must be in ``readings``."""
    problems = []
    for name, reading in readings.items():
        tokens = reading.tokens
        for index, token in enumerate(tokens):
            following = tokens[index + 1].text if index + 1 < len(tokens) else ""
            if token.text == "<<<":
                message = (
                    "A kernel file launches nothing: leave out <<<...>>>, the grader launches your kernel."
                )
                problems.append(Diagnostic(message=message, file=name, line=token.line))
            elif token.text == "main" and following == "(":
                message = "A kernel file has no main(): the grader launches your kernel."
                problems.append(Diagnostic(message=message, file=name, line=token.line))
    words = {token.text for reading in readings.values() for token in reading.tokens}
    in_macros = any("__global__" in d.text for reading in readings.values() for d in reading.directives)
    if not problems and "__global__" not in words and not in_macros:
        reading = readings[main]
        message = NO_KERNEL if reading.tokens else ONLY_COMMENTS
        problems.append(Diagnostic(message=message, file=main, line=1))
    return problems


def header_advice(header: str) -> str:
    """What to do about a header that NVRTC does not find."""
    if header not in STANDARD_HEADERS:
        return f"<{header}> is not there: it does not come with the kernel compiler."
    if header in _INTEGERS:
        return f'A kernel file has no <{header}>: write #include "kernel_types.cuh" for int64_t and its kin.'
    if header in _MATH:
        return f"A kernel file needs no <{header}>: expf, tanhf and the others are built in. Remove the line."
    if header in _PRINT:
        return f"A kernel file needs no <{header}>: printf and assert are built in. Remove the line."
    return f"A kernel file cannot use <{header}>: device code has no standard library. Remove the line."


def advise_kernel(message: str) -> str:
    """NVRTC's message, or a plainer one where it is known to puzzle."""
    for pattern, advice in _ADVICE:
        if found := pattern.search(message):
            return advice(found) if callable(advice) else advice
    return message


_ADVICE = (
    (re.compile(r'cannot open source file "([^"]+)"'), lambda found: header_advice(found[1])),
    (
        re.compile(r"^A function without execution space annotations"),
        "A kernel file is device code: mark this function __device__, or __global__ if it is a kernel.",
    ),
    (
        re.compile(r"^A namespace scope variable without memory space annotations"),
        "A kernel file is device code: mark this variable __device__, __constant__ or constexpr.",
    ),
    (
        re.compile(r'^identifier "(u?int(?:8|16|32|64)_t)" is undefined'),
        lambda found: f'{found[1]} is not known yet: write #include "kernel_types.cuh" at the top.',
    ),
    (
        re.compile(r'^identifier "((?:__)?(?:half2?|nv_bfloat162?))" is undefined'),
        lambda found: f"{found[1]} is not known yet: write #include <{_float_header(found[1])}> at the top.",
    ),
    (
        re.compile(r'^identifier "(INFINITY|HUGE_VALF?|NAN|M_[A-Z0-9_]+|(?:FLT|DBL)_[A-Z0-9_]+)" is undefined'),
        lambda found: f"{found[1]} is a macro of a standard header, and a kernel file has none. {_constant(found[1])}",
    ),
    (
        re.compile(r'^#include file "([^"]+)" includes itself'),
        lambda found: f"{found[1]} includes itself: remove that line, or write #pragma once at its top.",
    ),
)


def _constant(macro: str) -> str:
    """What to write in place of a standard header's macro."""
    if macro == "NAN":
        return "Ask isnan(x), or write __int_as_float(0x7fc00000)."
    if macro in ("INFINITY", "HUGE_VAL", "HUGE_VALF"):
        return "Ask isinf(x), or write __int_as_float(0x7f800000)."
    example = {"M_PI": ": 3.14159265f", "FLT_MAX": ": 3.40282347e+38f"}.get(macro, "")
    return f"Write the number itself{example}."


def _float_header(name: str) -> str:
    return "cuda_bf16.h" if "bfloat" in name else "cuda_fp16.h"
