"""Attacks that never end, as those of ``attacks.py``: what the supervisor stops."""

import mmap
import os
import threading
import time


def fills_its_home(given):
    block = b"x" * (1 << 20)
    for number in range(10_000):
        with open(str(number), "wb") as file:
            for _ in range(8):
                file.write(block)


def fills_with_removed_files(given):
    hold = []
    for _ in range(500):
        hold.append(open("x", "wb"))
        os.unlink("x")
        hold[-1].write(b"x" * (8 << 20))
        hold[-1].flush()
    time.sleep(60)


def fills_with_mapped_files(given):
    hold = []
    for _ in range(10_000):
        with open("x", "w+b") as file:
            os.unlink("x")
            file.write(b"x" * (8 << 20))
            hold.append(mmap.mmap(file.fileno(), 4096))


def makes_a_million_files(given):
    for number in range(1_000_000):
        os.mkdir(f"{number}")


def digs(given):
    for _ in range(1_000_000):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)


def hides_files(given):
    os.mkdir("shut", 0o300)
    os.chdir("shut")
    makes_a_million_files(given)


def makes_page_tables(given):
    for _ in range(64):
        memory = mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)
        given.setdefault("hold", []).append(memory)
        for at in range(0, 1 << 40, 2 << 20):
            memory[at]


def forks_without_end(given):
    while True:
        try:
            os.fork()
        except OSError:
            pass


def starts_threads_without_end(given):
    while True:
        try:
            threading.Thread(target=time.sleep, args=(60,)).start()
        except RuntimeError:
            time.sleep(0.01)
