"""Random and damaged requests against a device process: ``python tests/simulator/runtime/hostile.py --count 100000``.

Whatever comes, only its connection ends: the process goes on, serves the parent and another process as ever, and
reports no defect of its own. Nothing it says takes memory before the bytes are there.
"""

from __future__ import annotations

import argparse
import random
import socket
import struct
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from plugin_process import PluginProcess

from grader.simulator.runtime.client import RuntimeDevice
from grader.simulator.runtime.protocol import REQUEST, VERSION, Call
from grader.simulator.runtime.streams import ORDERS

EDGES = (0, 1, 2, 3, 4, 7, 8, 16, 255, 256, 511, 4096, 65535, 65536, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1,
         1 << 32, 1 << 33, 0x7000_0000_0000, 1 << 62, 1 << 63, (1 << 64) - 1)  # fmt: skip
LARGE = {Call.MALLOC, Call.MALLOC_ASYNC}


class Attacker:
    """Random requests, some of which make sense. It remembers what the process gave it."""

    def __init__(self, device: RuntimeDevice, seed: int, image: bytes):
        self.device, self.random, self.image = device, random.Random(seed), image
        self.parents = [device.stream(flags=flags) for flags in (0, 1)]
        self.ended = 0
        self._join()

    def _join(self) -> None:
        self.process = PluginProcess(self.device.connection())
        self.known = [*self.parents]

    def step(self) -> None:
        """One request, or one piece of damage."""
        try:
            if self.random.random() < 0.02:
                self._damage()
            else:
                self._request()
        except (EOFError, OSError):
            self.ended += 1
            self.process.close()
            self._join()

    def _number(self) -> int:
        choice = self.random.random()
        if choice < 0.55 and self.known:
            return self.random.choice(self.known)
        if choice < 0.65 and self.known:
            return (self.random.choice(self.known) + self.random.choice((-1, 1, 4, 60, 512))) & (1 << 64) - 1
        if choice < 0.95:
            return self.random.choice(EDGES[:12])
        return self.random.choice(EDGES)

    def _request(self) -> None:
        call = self.random.choice([c for c in Call if c is not Call.HELLO])
        arguments = [self._number() for _ in range(8)]
        payload = b""
        if call in LARGE:
            arguments[0] %= 1 << 16
        if call is Call.MODULE and self.random.random() < 0.7:
            payload = self._mutated(self.image)
        elif call in (Call.KERNEL, Call.VARIABLE):
            payload = self.random.choice((b"add", b"wild", b"race", b"bias", b"factors", b"\xff\xfe", b""))
        elif call is Call.COPY and self.random.random() < 0.8:
            arguments[0], arguments[3], arguments[5] = self.random.choice((1, 2, 3)), self._small(), self._small() % 4
            payload = bytes(arguments[3]) if arguments[0] == 1 else b""
        elif call is Call.COPY_2D and self.random.random() < 0.8:
            arguments[0] = self.random.choice((1, 2, 3)) | self._small() % 4 << 32
            arguments[5], arguments[6] = self._small(), self._small() % 8 + 1
            payload = bytes(arguments[5] * arguments[6]) if arguments[0] & 3 == 1 else b""
        elif call is Call.LAUNCH and self.random.random() < 0.8:
            arguments[1:5] = 1 | 1 << 32, 1 | 32 << 32, 1 | 1 << 32, self._small()
            payload = struct.pack("<4Q", *(self._number() for _ in range(4)))
        elif self.random.random() < 0.1:
            payload = self.random.randbytes(self._small())
        if call in (Call.NOTE, Call.CAPTURE_MODE, Call.STREAM_CREATE):
            arguments[0] %= 3
        if call is Call.HOST_FUNCTION_DONE and self.random.random() < 0.9:
            return
        got = self.process.once(
            call, *arguments, payload=payload, thread=self.random.randrange(3), number=self.random.randrange(500)
        )
        if got.host_function is not None and got.values[1] == 0:
            self.process.once(Call.HOST_FUNCTION_DONE, got.host_function)
        elif 700 <= got.status < 800 and self.random.random() < 0.2:
            self.process.close()  # nothing runs any more: a fresh process
            self._join()
        elif got.status == 0:
            self.known += [v for v in got.values if v]
            self.known = self.known[-200:]

    def _small(self) -> int:
        return self.random.choice((1, 2, 3, 4, 8, 16, 60, 64, 256))

    def _mutated(self, data: bytes) -> bytes:
        if self.random.random() < 0.5:
            return data
        data = bytearray(data)
        for _ in range(self.random.choice((1, 1, 3, 20))):
            at = self.random.randrange(len(data))
            if self.random.random() < 0.3:
                del data[at : at + self.random.randrange(1, 50)]
            else:
                data[at] = self.random.randrange(256)
        return bytes(data)

    def _damage(self) -> None:
        raw = self.process.socket
        kind = self.random.randrange(6)
        if kind == 0:  # noise
            raw.sendall(self.random.randbytes(self.random.randrange(1, 300)))
        elif kind == 1:  # a length that nobody means
            nbytes = self.random.choice(((1 << 28) + 1, 1 << 40, (1 << 64) - 1))
            raw.sendall(REQUEST.pack(self.random.choice(list(Call)), 0, 0, nbytes, *[0] * 8))
        elif kind == 2:  # a request in pieces, and its end never
            raw.sendall(REQUEST.pack(Call.MODULE, 0, 0, 1000, *[0] * 8)[: self.random.randrange(1, REQUEST.size)])
        elif kind == 3:  # a second greeting
            raw.sendall(REQUEST.pack(Call.HELLO, 0, 0, 0, VERSION, *[0] * 7))
        elif kind == 4:  # many requests, and no answer is read
            raw.settimeout(0.01)
            for _ in range(2000):
                raw.sendall(REQUEST.pack(Call.MEMORY_INFO, 0, 0, 0, *[0] * 8))
        else:  # a stranger that does not greet
            with self.device.connection() as stranger:
                stranger.sendall(REQUEST.pack(Call.MALLOC, 0, 0, 0, 16, *[0] * 7))
                stranger.settimeout(20)
                assert stranger.recv(1) == b""
            return
        raw.shutdown(socket.SHUT_WR)
        while raw.recv(1 << 16):  # until it is ended
            pass
        raise EOFError


def attack(device: RuntimeDevice, image: bytes, count: int, seed: int) -> int:
    """``count`` requests; how many connections they ended. ``AssertionError`` where the device process suffers."""
    device.budget(2000)
    witness = PluginProcess(device.connection())
    mine = witness.malloc(4096)
    attacker = Attacker(device, seed, image)
    for number in range(count):
        attacker.step()
        if number % 500 == 0:
            device.order(attacker.random.choice(ORDERS))
            assert device.synchronize() in range(1000)
            device.clear_log()
    attacker.process.close()
    assert device.defects() == []
    device.write(mine, bytes(range(256)) * 16)  # the processes of a run share one address space
    assert witness.to_host(1, mine, 4096) == 0 and witness.host[1] == bytes(range(256)) * 16
    witness.close()
    return attacker.ended


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--count", type=int, default=100_000)
    words.add_argument("--seed", type=int, default=0)
    chosen = words.parse_args()
    from plugin_kernels import image

    began = time.monotonic()
    with RuntimeDevice.start() as device:
        ended = attack(device, image(), chosen.count, chosen.seed)
    print(f"{chosen.count} requests, {ended} connections ended, {time.monotonic() - began:.1f} s: no harm")


if __name__ == "__main__":
    main()
