"""Memory, modules, launches and their statuses, as a plugin process asks for them."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from plugin_process import ASYNC, D2D, PINNED, add_args, fat_binary, floats

from grader.simulator.runtime.protocol import Call


def numbers(data: bytes) -> list[float]:
    return np.frombuffer(data, np.float32).tolist()


def test_a_kernel_on_memory_of_the_process(process, kernels):
    x, y = process.malloc(400), process.malloc(400)
    assert process.to_device(x, np.arange(100, dtype=np.float32).tobytes()) == 0
    assert process.launch(kernels["add"], 1, 128, add_args(x, y, 100, 2.0)) == 0
    assert process.to_host(0x5000, y, 400) == 0
    assert numbers(process.host[0x5000]) == [i + 2.0 for i in range(100)]
    assert process.call(Call.FREE, x).status == 0
    assert process.call(Call.FREE, x).status == 1
    assert process.call(Call.FREE, 0).status == 0


def test_variables_are_copied_to_by_name(process, image, kernels):
    module = process.ok_module(image)
    address, nbytes = process.ok(Call.VARIABLE, module, payload=b"factors")[:2]
    assert nbytes == 16
    assert process.to_device(address, floats(2, 0, 0, 0)) == 0
    x, y = process.malloc(16), process.malloc(16)
    process.to_device(x, floats(1, 2, 3, 4))
    assert process.launch(process.kernel(module, "biased"), 1, 4, struct.pack("<QQ", x, y)) == 0
    process.to_host(1, y, 16)
    assert numbers(process.host[1]) == [12, 14, 16, 18]
    assert process.call(Call.VARIABLE, module, payload=b"none").status == 13
    assert process.call(Call.KERNEL, module, payload=b"none").status == 98


def test_copies_between_rows_and_on_the_device(process):
    a, b = process.malloc(64), process.malloc(64)
    process.to_device(a, bytes(range(64)))
    process.ok(Call.COPY, D2D, b, a, 64, 0, 0)
    process.ok(Call.SET, b + 8, 7, 8, 0, 0)
    process.to_host(1, b, 24)
    assert process.host[1] == bytes(range(8)) + b"\7" * 8 + bytes(range(16, 24))
    process.ok(Call.COPY_2D, 2, 0x100, 10, a, 16, 4, 3, 0)  # three rows of 4 bytes
    assert process.host[0x100] == bytes(range(4)) and process.host[0x100 + 20] == bytes(range(32, 36))
    process.ok(Call.COPY_2D, 1, b, 16, 0x100, 10, 4, 3, 0, payload=bytes(range(12)))
    process.to_host(1, b, 36)
    assert process.host[1][16:20] == bytes(range(4, 8)) and process.host[1][32:] == bytes(range(8, 12))
    process.ok(Call.SET_2D, a, 16, 9, 2, 2, 0, 0)
    process.to_host(1, a, 20)
    assert process.host[1][:2] == b"\t\t" and process.host[1][16:18] == b"\t\t" and process.host[1][2] == 2


def test_what_is_out_of_a_buffer_is_an_invalid_value(process):
    a = process.malloc(64)
    assert process.to_device(a + 60, bytes(8)) == 1
    assert process.to_host(1, a, 65) == 1
    assert process.call(Call.SET, a, 0, 65, 0, 0).status == 1
    assert process.call(Call.COPY, D2D, a, 0x1234, 8, 0, 0).status == 1
    assert process.call(Call.POINTER, a + 5).values[:3] == (1, a, 64)
    assert process.call(Call.POINTER, a + 64).values[0] == 0


def test_memory_ends(process):
    free, total = process.ok(Call.MEMORY_INFO)[:2]
    assert process.call(Call.MALLOC, free + 1).status == 2
    a = process.malloc(1 << 20)
    assert process.ok(Call.MEMORY_INFO)[0] == free - (1 << 20) and free <= total
    process.ok(Call.FREE, a)
    assert process.ok(Call.MEMORY_INFO)[0] == free


def test_launches_that_cannot_begin(process, kernels):
    y = process.malloc(4096).to_bytes(8, "little")
    assert process.launch(kernels["bounded"], 0, 32, y) == 1
    assert process.launch(kernels["bounded"], 1, 1025, y) == 1
    assert process.launch(kernels["trap"], 1, 0, y) == 1
    assert process.launch(kernels["shared"], 1, 32, y, shared=49 << 10) == 1
    assert process.launch(kernels["shared"], 1, 32, y, shared=49 << 10 | 64 << 42) == 0
    assert process.launch(999, 1, 32, y) == 98
    assert process.synchronize() == 0


def test_a_fault_shows_at_the_next_call_and_stays(device, process, kernels):
    y = process.malloc(64)
    assert process.launch(kernels["wild"], 1, 32, y.to_bytes(8, "little")) == 0
    assert process.synchronize() == 700
    assert process.call(Call.MALLOC, 16).status == 700
    fault = device.fault()
    assert fault.kind == "out_of_bounds" and fault.thread == (0, 0, 0) and fault.buffer == "1 of cudaMalloc"
    assert [r.fault.kind for r in device.log() if r.fault] == ["out_of_bounds"]
    assert device.synchronize() == 700
    assert process.call(Call.FREE, y).status == 700 and device.live()["allocations"] == 0


def test_a_race_is_kept_and_silent(device, process, kernels):
    y = process.malloc(64).to_bytes(8, "little")
    process.launch(kernels["race"], 1, 32, y)
    assert process.synchronize() == 0 and device.fault(forget=True).kind == "race"
    device.races(False)
    process.launch(kernels["race"], 1, 32, y)
    assert process.synchronize() == 0 and device.fault() is None


def test_images_that_hold_no_ptx(device, process):
    assert process.call(Call.MODULE, payload=b"nothing").status == 209
    assert process.call(Call.MODULE, payload=fat_binary(".version 7.0\n.target sm_80\nnonsense")).status == 218
    assert all(r.arguments["problem"] for r in device.log())


def test_the_parent_sees_the_bytes_that_were_not_written(device, process, kernels):
    y = device.alloc(400, name="y", fill=0)
    x = device.alloc(400, name="x", fill=0)
    device.forget(y, 400)
    process.launch(kernels["add"], 1, 128, add_args(x, y, 90, 1.0))
    assert device.unwritten(y, 400) == (40, [(360, 40)])
    process.ok(Call.SET, y + 380, 0, 4, 0, 0)
    assert device.unwritten(y, 400) == (36, [(360, 20), (384, 16)])
    process.ok(Call.COPY, D2D, y + 384, x, 16, 0, 0)
    assert device.unwritten(y + 380, 20) == (0, [])
    device.forget(y, 400)
    assert device.unwritten(y, 400) == (400, [(0, 400)])
    process.ok(Call.COPY, D2D, x, y, 16, 0, 0)  # what is unwritten stays so in a copy
    assert device.unwritten(x, 400) == (16, [(0, 16)])
    launch = device.log()[0]
    assert launch.call == "module" and device.log()[-1].arguments["to"] == "x"


def test_pinned_copies_come_when_their_turn_does(device, process):
    device.order("late")
    a, s = process.malloc(4), process.stream()
    assert process.to_device(a, b"abcd", s, ASYNC | PINNED) == 0
    assert process.to_host(7, a, 4, s, ASYNC | PINNED) == 0
    assert process.host == {}
    assert process.synchronize(s) == 0
    assert process.host == {7: b"abcd"}
    assert process.to_host(8, a, 4, s, ASYNC) == 0 and process.host[8] == b"abcd"  # pageable: done when it returns


def test_a_second_process_finds_fresh_variables(join, image):
    """Of a module that is loaded already: it is not decoded again, and remembers nothing."""
    seen = []
    for _ in range(2):
        process = join()
        module = process.ok_module(image)
        factors, bias = (process.ok(Call.VARIABLE, module, payload=name)[0] for name in (b"factors", b"bias"))
        x, y = process.malloc(4), process.malloc(4)
        process.to_device(x, floats(3))
        process.launch(process.kernel(module, "biased"), 1, 1, struct.pack("<QQ", x, y))
        process.to_host(1, y, 4)
        seen.append((factors, numbers(process.host[1])))
        process.to_device(factors, floats(1, 1, 1, 1))
        process.to_device(bias, floats(5))
        process.ok(Call.MODULE_FREE, module)
    assert seen[0] == seen[1] and seen[0][1] == [10]


def test_copies_that_nobody_fetches_end_the_connection(device, process):
    device.order("late")
    a, s = process.malloc(64 << 20), process.stream(1)
    for _ in range(10):
        assert process.to_host(1, a, 64 << 20, s, ASYNC | PINNED) == 0
    assert device.synchronize() == 0
    with pytest.raises(EOFError):
        process.ok(Call.MEMORY_INFO)


def test_freed_buffers_are_forgotten_in_time(device, process, kernels):
    """Each costs time at every launch; the youngest are kept, so that a use of them is named."""
    gone = [device.alloc(16, name=f"b{number}", fill=0) for number in range(1200)]
    for address in gone:
        device.free(address)
    assert process.launch(kernels["add"], 1, 1, add_args(gone[-1], gone[-1], 1, 1.0)) == 0
    assert process.synchronize() == 700 and device.fault().buffer == "b1199"
    other = device.alloc(16, name="last", fill=0)
    device.write(other, bytes(16))
    assert device.read(other, 16) == bytes(16)
