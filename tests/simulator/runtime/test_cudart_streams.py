"""Streams, events, host functions, capture and graphs."""

from cudart_process import said

SETTING = """
a = made("cudaMalloc", 400)
stream = made("cudaStreamCreateWithFlags", 1)
back = bytearray(400)
target = ctypes.addressof((ctypes.c_char * 400).from_buffer(back))
def read():
    ok.cudaMemcpy(target, a, 400, 2)
    return [back[0], back[399]]
"""


def ran(device, script):
    return said(device, SETTING + script)


def test_streams(device):
    script = """
other = c_uint64()
ok.cudaStreamCreateWithPriority(byref(other), 1, -5)
least, greatest = c_int(), c_int()
ok.cudaDeviceGetStreamPriorityRange(byref(least), byref(greatest))
flags, priority, id, device = c_int(), c_int(), c_uint64(), c_int(9)
ok.cudaStreamGetFlags(other.value, byref(flags))
ok.cudaStreamGetPriority(other.value, byref(priority))
ok.cudaStreamGetId(other.value, byref(id))
ok.cudaStreamGetDevice(other.value, byref(device))
say([least.value, greatest.value, flags.value, priority.value, id.value == other.value, device.value])
say([cuda.cudaStreamQuery(other.value), cuda.cudaStreamDestroy(other.value), cuda.cudaStreamQuery(other.value)])
say([cuda.cudaStreamDestroy(0), cuda.cudaStreamCreateWithFlags(byref(other), 2), cuda.cudaStreamCreate(None)])
"""
    assert ran(device, script) == [[0, -5, 1, -5, True, 0], [0, 0, 400], [400, 1, 1]]


def test_work_waits_in_its_stream(device):
    script = """
ok.cudaMemset(a, 1, 400)
ok.cudaMemsetAsync(a, 2, 400, stream)
say([cuda.cudaStreamQuery(stream), read()])
ok.cudaStreamSynchronize(stream)
say([cuda.cudaStreamQuery(stream), read()])
"""
    device.order("late")
    assert ran(device, script) == [[600, [1, 1]], [0, [2, 2]]]


def test_events(device):
    script = """
first, last = made("cudaEventCreate"), made("cudaEventCreate")
plain = made("cudaEventCreateWithFlags", 2)
ok.cudaEventRecord(first, stream)
ok.cudaMemsetAsync(a, 2, 400, stream)
ok.cudaEventRecordWithFlags(last, stream, 0)
ok.cudaStreamWaitEvent(0, last, 0)
say(cuda.cudaEventQuery(last))
ok.cudaEventSynchronize(last)
time = c_float(-1)
ok.cudaEventElapsedTime(byref(time), first, last)
ok.cudaEventElapsedTime_v2(byref(time), first, last)
say([cuda.cudaEventQuery(last), time.value >= 0, cuda.cudaEventElapsedTime(byref(time), first, plain)])
say([cuda.cudaEventRecord(None, 0), cuda.cudaEventCreateWithFlags(byref(c_uint64()), 64),
     cuda.cudaEventDestroy(plain), cuda.cudaEventQuery(plain), cuda.cudaEventRecord(first, 1234)])
"""
    device.order("late")
    assert ran(device, script) == [600, [0, True, 400], [400, 1, 0, 400, 400]]


HOST = """
ran = []
@ctypes.CFUNCTYPE(None, c_uint64)
def function(data): ran.append([data, cuda.cudaStreamQuery(0)])
@ctypes.CFUNCTYPE(None, c_uint64, c_int, c_uint64)
def callback(of, status, data): ran.append([of == stream, status, data])
"""


def test_host_functions_run_in_their_turn_and_may_not_call_cuda(device):
    script = """
ok.cudaLaunchHostFunc(stream, function, 7)
ok.cudaStreamAddCallback(stream, callback, 8, 0)
ok.cudaMemsetAsync(a, 1, 400, stream)
ok.cudaStreamSynchronize(stream)
say([ran, read(), cuda.cudaGetLastError(), cuda.cudaStreamAddCallback(stream, None, 0, 0)])
"""
    assert ran(device, HOST + script) == [[[[7, 800], [True, 0, 8]], [1, 1], 0, 1]]


def test_a_graph_runs_its_host_functions_each_time(device):
    script = """
status, id = c_int(9), c_uint64()
ok.cudaStreamBeginCapture(stream, 0)
ok.cudaMemsetAsync(a, 1, 400, stream)
ok.cudaLaunchHostFunc(stream, function, 7)
ok.cudaStreamGetCaptureInfo_v2(stream, byref(status), byref(id), None, None, None)
graph = c_uint64()
ok.cudaStreamEndCapture(stream, byref(graph))
nodes = c_uint64()
ok.cudaGraphGetNodes(graph.value, None, byref(nodes))
executable = made("cudaGraphInstantiate", graph.value, 0)
ok.cudaGraphDestroy(graph.value)
for _ in range(2): ok.cudaGraphLaunch(executable, stream)
ok.cudaStreamSynchronize(stream)
say([status.value, id.value > 0, nodes.value, len(ran), read()])
ok.cudaGraphExecDestroy(executable)
ok.cudaStreamIsCapturing(stream, byref(status))
say([status.value, cuda.cudaGraphLaunch(executable, stream), cuda.cudaGraphLaunch(None, stream)])
"""
    first, second = ran(device, HOST + script)
    assert first == [1, True, 2, 2, [1, 1]]
    assert second[0] == 0 and second[1] in (1, 400) and second[2] == 1


def test_what_a_capture_refuses(device):
    for call in (
        "cudaMalloc(byref(c_uint64()), 16)", "cudaFree(None)", "cudaMallocHost(byref(c_uint64()), 16)",
        "cudaStreamSynchronize(stream)",
        "cudaDeviceSynchronize()", "cudaStreamQuery(stream)",
        "cudaStreamAddCallback(stream, callback, 8, 0)",
    ):  # fmt: skip
        script = f"""
ok.cudaStreamBeginCapture(stream, 0)
refused = cuda.{call}
graph = c_uint64()
say([refused >= 900, cuda.cudaStreamEndCapture(stream, byref(graph)) >= 900])
"""
        assert ran(device, HOST + script) == [[True, True]], call


def test_a_relaxed_thread_may_do_more(device):
    script = """
mode = c_int(2)
ok.cudaThreadExchangeStreamCaptureMode(byref(mode))
say(mode.value)
ok.cudaStreamBeginCapture(stream, 2)
ok.cudaMalloc(byref(c_uint64()), 16)
ok.cudaStreamEndCapture(stream, byref(c_uint64()))
mode = c_int(3)
say(cuda.cudaThreadExchangeStreamCaptureMode(byref(mode)))
"""
    assert ran(device, script) == [0, 1]
