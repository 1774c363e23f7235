"""The numbers of the system calls are the kernel's own, where its headers are here."""

import re
from pathlib import Path

import pytest

from grader.sandbox import seccomp, syscalls

TABLES = [
    syscalls.REFUSED, syscalls.ABSENT, syscalls.PRETENDED, syscalls.METADATA, syscalls.SIGNALS, syscalls.CLONE,
    syscalls.SOCKET, syscalls.WAITING, syscalls.PRCTL, syscalls.PROCESSES, syscalls.OF_ITSELF,
    syscalls.FCNTL, syscalls.IOCTL,
]  # fmt: skip
HEADERS = {"x86_64": ["asm/unistd_64.h"], "aarch64": ["asm-generic/unistd.h"]}
FOLDERS = [Path("/usr/include"), *Path("/usr/include").glob("*-linux-gnu")]


@pytest.mark.parametrize("machine", HEADERS)
def test_numbers_are_those_of_the_kernels_headers(machine):
    header = next((folder / name for folder in FOLDERS for name in HEADERS[machine] if (folder / name).is_file()), None)
    if header is None:
        pytest.skip(f"the kernel's headers for {machine} are not installed: apt install linux-libc-dev")
    known = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text()))
    calls = [call.split() for table in TABLES for call in table.replace("\n", ",").split(",") if call.strip()]
    compared = 0
    for name, *numbers in calls:
        number = numbers[0 if machine == "x86_64" else 1]
        if name in known:  # newer calls are in no older header
            assert number == known[name], name
            compared += 1
        elif number != "None":
            assert int(number) >= 440, f"{name} is in no header"
    assert compared > 80


def test_the_filter_is_whole():
    """Every jump of the program ends within it, on both machines and with every choice."""
    for machine in HEADERS:
        for choice in range(16):
            code = seccomp.program(
                machine, 4711, processes=bool(choice & 1), metadata=bool(choice & 2), signals=bool(choice & 4),
                local_socket=bool(choice & 8),
            )  # fmt: skip
            steps = [code[at : at + 8] for at in range(0, len(code), 8)]
            assert len(steps) < 4096  # BPF_MAXINSNS
            for at, step in enumerate(steps):
                if step[:2] != b"\x06\x00":
                    assert at + 1 + max(step[2], step[3]) < len(steps)
