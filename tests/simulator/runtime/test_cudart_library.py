"""The stand-in runtime as a library: what it exports, how it is found, connections that end, forks, turns."""

import os
import re
import socket
import subprocess

import pytest
from cudart_process import Process, compiled, said

from grader.simulator import limits
from grader.simulator.runtime import protocol
from grader.simulator.runtime.build import build_cudart
from grader.simulator.runtime.protocol import DELIVERY, REPLY, Reply
from grader.toolchain.locate import cuda_include
from grader.toolchain.occupancy import MULTIPROCESSORS

NO_DEVICE, UNAVAILABLE, NOT_INITIALIZED, NOT_SUPPORTED = 100, 46, 3, 801


def test_every_function_is_there_and_one_that_is_not_simulated_says_so(device):
    names = [name for name in protocol.functions() if not name.startswith("__")]
    assert said(device, f"for name in {names}: getattr(library, name)\nsay(cuda.cudaMemPoolCreate(1, 2))") == [801]
    (record,) = device.log()
    assert (record.call, record.status) == ("cudaMemPoolCreate", NOT_SUPPORTED)
    assert record.arguments["note"] == "not_simulated"


def test_without_a_connection_there_is_no_device():
    script = """
count = c_int(9)
say([cuda.cudaGetDeviceCount(byref(count)), count.value, cuda.cudaMalloc(byref(c_uint64()), 4), cuda.cudaGetLastError()])
"""
    assert said(None, script) == [[NO_DEVICE, 0, NO_DEVICE, NO_DEVICE]]


def test_a_connection_can_be_given_by_a_call(device):
    script = "say([cuda.graderRuntimeConnect(1234), cuda.cudaFree(None)])"
    assert said(None, script) == [[NO_DEVICE, NO_DEVICE]]
    script = """
import os, sys
fd = int(sys.argv.pop().split("=")[1])
say([cuda.graderRuntimeConnect(os.dup(fd)), cuda.cudaFree(None), os.get_inheritable(fd)])
"""
    assert said(device, script) == [[0, 0, True]]


def test_when_the_device_process_ends_every_call_fails_and_nothing_hangs(tmp_path):
    from grader.simulator.runtime.client import RuntimeDevice

    library = compiled(tmp_path, "plain")
    script = """
a = made("cudaMalloc", 400)
plain.run(a, a, ctypes.c_double(1.0), 1, 0)
say("ready")
input()
say([cuda.cudaMalloc(byref(c_uint64()), 4), cuda.cudaDeviceSynchronize(), plain.run(a, a, ctypes.c_double(1.0), 1, 0)])
"""
    with RuntimeDevice.start() as device:
        process = Process(device, script, libraries=(library,))
        assert process.heard() == "ready"
    process.popen.stdin.write("\n")
    assert process.end() == [[UNAVAILABLE] * 3]


@pytest.mark.parametrize("answer", [
    b"", b"abc", REPLY.pack(0, 0, 1 << 60, 0, 0, 0, 0), REPLY.pack(0, 0, 1 << 33, 0, 0, 0, 0),
    REPLY.pack(0, Reply.DELIVERIES, 3, 0, 0, 0, 0) + b"abc",
    REPLY.pack(0, Reply.DELIVERIES, 20, 0, 0, 0, 0) + DELIVERY.pack(1, 1 << 50) + b"abcd",
])  # fmt: skip
def test_answers_that_make_no_sense_end_the_connection(answer):
    class Device:
        def __init__(self):
            self.ours, self.theirs = socket.socketpair()

        def connection(self):
            return self.theirs

    device = Device()
    device.ours.sendall(REPLY.pack(0, 0, 0, protocol.VERSION, 0, 0, 0) + answer)
    device.ours.shutdown(socket.SHUT_WR)
    script = "say([cuda.cudaMalloc(byref(c_uint64()), 4), cuda.cudaFree(None), cuda.cudaGetLastError()])"
    with device.ours:
        assert said(device, script) == [[UNAVAILABLE] * 3]


def test_a_forked_child_cannot_use_it_and_its_parent_still_can(device):
    script = """
import os
a = made("cudaMalloc", 4)
if (child := os.fork()) == 0:
    status = cuda.cudaFree(a)
    os._exit(status)
say([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), cuda.cudaFree(a)])
"""
    assert said(device, script) == [[NOT_INITIALIZED, 0]]


def test_a_started_program_does_not_keep_the_connection(device):
    script = """
import os, subprocess
ok.cudaFree(None)
say(subprocess.run("ls -l /proc/$$/fd | grep -c socket:", shell=True, close_fds=False, capture_output=True).stdout.strip() == b"0")
"""
    assert said(device, script) == [True]


def test_threads_have_numbers(device):
    script = """
import threading
def work(): ok.cudaMemset(a, 0, 4)
a = made("cudaMalloc", 4)
for _ in range(2):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
"""
    said(device, script)
    assert [record.thread for record in device.log()] == [1, 2, 3]


TURNS = """
import threading, time
trace = []
def seat(number, body):
    def work():
        assert library.graderRuntimeTakeTurn(number) == 0
        body(number)
        library.graderRuntimeTurnOver()
    return threading.Thread(target=work)
def run(body, count=2):
    library.graderRuntimeTurns(count)
    threads = [seat(number, body) for number in reversed(range(count))]
    for thread in threads: thread.start()
    for thread in threads: thread.join(10)
    library.graderRuntimeTurns(0)
    assert not any(thread.is_alive() for thread in threads)
"""


def test_threads_take_turns_call_by_call(device):
    script = """
def body(number):
    for step in range(3):
        trace.append(f"{number}{step}")
        ok.cudaFree(None)
for _ in range(5):
    trace.clear()
    run(body)
    say(" ".join(trace))
trace.clear()
run(lambda number: [(trace.append(f"{number}{step}"), ok.cudaFree(None)) for step in range(number + 1)], 3)
say(" ".join(trace))
"""
    *five, three = said(device, TURNS + script)
    assert five == ["00 10 01 11 02 12"] * 5
    assert three == "00 10 20 11 21 22"


def test_turns_do_not_hang_where_a_lock_is_held_over_calls(device):
    script = """
lock = threading.Lock()
def body(number):
    for step in range(2):
        with lock:
            ok.cudaFree(None)
            trace.append(number)
            ok.cudaFree(None)
            trace.append(number)
run(body)
say([trace[i] == trace[i + 1] for i in range(0, 8, 2)])
"""
    assert said(device, TURNS + script) == [[True] * 4]


def test_a_thread_that_computes_keeps_its_turn(device):
    script = """
def body(number):
    for step in range(2):
        end = time.perf_counter() + 0.4
        while number == 0 and time.perf_counter() < end: pass
        trace.append(f"{number}{step}")
        ok.cudaFree(None)
run(body)
say(" ".join(trace))
"""
    assert said(device, TURNS + script) == ["00 10 01 11"]


def test_errors_have_cudas_names_and_our_words():
    text = re.sub(r"/\*.*?\*/", "", (cuda_include() / "driver_types.h").read_text(), flags=re.S)
    enum = re.search(r"enum __device_builtin__ cudaError\n\{(.*?)\n\};", text, re.S)
    values = {int(value): name for name, value in re.findall(r"(cuda\w+)\s*=\s*(\d{1,3})\b", enum[1])}
    assert len(values) > 130
    script = f"for value in {list(values)}: say([text('cudaGetErrorName', value), text('cudaGetErrorString', value)])"
    told = said(None, script)
    assert [name for name, _ in told] == list(values.values())
    assert all(words and not words.startswith("cudaError") for _, words in told)
    assert ["cudaErrorECCUncorrectable", "ecc uncorrectable"] in told
    assert said(None, "say(text('cudaGetErrorName', 12345))") == ["unrecognized error code"]


def test_the_device_says_of_itself_what_the_simulator_and_the_occupancy_take_it_for(device):
    names = {
        1: limits.MAX_THREADS, 2: limits.MAX_BLOCK[0], 3: limits.MAX_BLOCK[1], 4: limits.MAX_BLOCK[2],
        5: limits.MAX_GRID[0], 6: limits.MAX_GRID[1], 7: limits.MAX_GRID[2], 8: limits.MAX_SHARED,
        97: limits.MAX_ASKED["sm_80"], 39: MULTIPROCESSORS["8.0"].warps * 32, 106: MULTIPROCESSORS["8.0"].blocks,
        81: MULTIPROCESSORS["8.0"].shared, 111: MULTIPROCESSORS["8.0"].reserved, 75: 8, 76: 0, 10: 32,
    }  # fmt: skip
    script = f"""
value = c_int()
for name in {list(names)}:
    ok.cudaDeviceGetAttribute(byref(value), name, 0)
    say(value.value)
say([cuda.cudaDeviceGetAttribute(byref(value), 1, 1), cuda.cudaDeviceGetAttribute(byref(value), 0, 0)])
say([cuda.cudaSetDevice(0), cuda.cudaSetDevice(1)])
"""
    assert said(device, script) == [*names.values(), [101, 1], [0, 101]]


PROGRAM = """
#include <cuda_runtime.h>
#include <cstdio>
extern "C" int factor(float);
extern "C" int run(float*, const float*, double, int, cudaStream_t);
int main()
{
    float *x, y = 0;
    cudaDeviceProp all;
    if (cudaGetDeviceProperties(&all, 0) || cudaMalloc(&x, 4) || cudaMemset(x, 0, 4) || factor(1) || run(x, x, 2, 1, 0)
        || cudaMemcpy(&y, x, 4, cudaMemcpyDefault))
        return 1;
    printf("%g %d.%d %zu %d %d\\n", y, all.major, all.minor, all.sharedMemPerBlockOptin, all.maxThreadsPerBlock,
           all.multiProcessorCount);
    return cudaFree(x);
}
"""


def test_a_program_finds_it_by_the_library_path_alone(device, tmp_path):
    library = compiled(tmp_path, "plain")
    program = compiled(tmp_path, "program", source=PROGRAM).with_suffix(".o")
    real = cuda_include().parent / "lib" / "libcudart.so.13"
    command = ["g++", str(program), str(library), str(real), "-o", str(tmp_path / "program")]
    subprocess.run(command, check=True)
    with device.connection() as connection:
        done = subprocess.run(
            [str(tmp_path / "program"), f"--device={connection.fileno()}"], capture_output=True, text=True,
            pass_fds=[connection.fileno()], env={"LD_LIBRARY_PATH": f"{build_cudart().parent}:{tmp_path}"}, timeout=20,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "10 8.0 166912 1024 108\n"), done.stderr


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="needs /proc")
def test_the_device_range_is_reserved_without_access(device):
    script = "say([line.split()[:2] for line in open('/proc/self/maps') if line.startswith('7000')])"
    base, end = protocol.DEVICE_BASE, protocol.DEVICE_BASE + protocol.DEVICE_BYTES
    assert said(device, script) == [[[f"{base:x}-{end:x}", "---p"]]]
