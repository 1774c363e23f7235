"""printf: its text is kept with the launch, and counted."""

from __future__ import annotations

import numpy as np
from small_kernels import KERNEL

from grader.simulator.backend import OUTPUT_BYTES


def test_printf_is_kept_with_the_launch(bench):
    text = (
        KERNEL
        + """(int* y)
{
    if (threadIdx.x % 16 == 1)
        printf("thread %d: %5.2f %s %c %u%% %lld %x\\n", threadIdx.x, 1.5, "text", 'z', 40u, 1ll << 40, 255);
}"""
    )
    y = bench.device.alloc(4)
    launch = bench.launch(bench.load(text), "k", (1,), (32,), y)
    assert launch.fault is None
    assert launch.output == "".join(f"thread {t}:  1.50 text z 40% 1099511627776 ff\n" for t in (1, 17))


def test_printf_has_the_sizes_and_stars_of_c_and_counts_its_arguments(bench):
    text = (
        KERNEL
        + r"""(int* y)
{
    y[0] = printf("%zu|%hd|%hhu|%5c|%-*d|%.*f|%*d|\n", (size_t)77 << 33, (short)-5, 65535, 'x', 4, 42, 2, 3.14159, -3, 7);
    y[1] = printf("100%%\n");
}"""
    )
    y = bench.device.alloc(8)
    launch = bench.launch(bench.load(text), "k", (1,), (1,), y)
    assert launch.fault is None and bench.fetch(y, 2, np.int32).tolist() == [10, 0]
    assert launch.output == f"{77 << 33}|-5|255|    x|42  |3.14|7  |\n100%\n"


def test_printing_without_an_end_is_cut(bench):
    text = KERNEL + '(int* y) { for (int i = 0; i < 100000; i++) printf("again and again\\n"); y[0] = 1; }'
    y = bench.device.alloc(4)
    launch = bench.launch(bench.load(text), "k", (1,), (1,), y)
    assert launch.fault is None and bench.fetch(y, 1, np.int32)[0] == 1
    assert OUTPUT_BYTES < len(launch.output) < OUTPUT_BYTES + 200 and "left out" in launch.output


def test_an_endless_width_is_cut_like_any_long_text(bench):
    text = (
        KERNEL
        + r"""(int* y)
{
    for (int i = 0; i < 20; i++) printf("%1000000000d%*d%.1000000000f%00005d|\n", 1, 1000000000, 2, 0.5, 3);
    y[0] = 1;
}"""
    )
    y = bench.device.alloc(4)
    launch = bench.launch(bench.load(text), "k", (1,), (1,), y)
    assert launch.fault is None and bench.fetch(y, 1, np.int32)[0] == 1
    line = " " * 1023 + " " * 1023 + "0.5" + "0" * 1020 + "00003|\n"
    assert launch.output.startswith(line * 2)
