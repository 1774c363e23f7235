"""Memory: allocation, copies, page-locked memory, what pointers are, and what is refused."""

import pytest
from cudart_process import said

INVALID_VALUE, INVALID_DIRECTION, INVALID_PITCH, NOT_SUPPORTED = 1, 21, 12, 801
SETTING = """
a, b = made("cudaMalloc", 4096), made("cudaMalloc", 4096)
host = bytearray(range(256)) * 16
def at(buffer): return ctypes.addressof((ctypes.c_char * len(buffer)).from_buffer(buffer))
back = bytearray(4096)
"""


def ran(device, script):
    return said(device, SETTING + script)


def test_bytes_go_there_and_back(device):
    script = """
ok.cudaMemcpy(a, at(host), 4096, 1)
ok.cudaMemcpy(b + 16, a, 1000, 3)
ok.cudaMemset(b, 0x1ff, 16)
ok.cudaMemcpy(at(back), b, 1016, 4)
say([back[:16] == b"\\xff" * 16, back[16:1016] == host[:1000]])
"""
    assert ran(device, script) == [[True, True]]


def test_copies_within_the_host(device):
    script = """
stream = made("cudaStreamCreate")
ok.cudaMemcpy(at(back), at(host) + 7, 16, 0)
ok.cudaMemcpyAsync(at(back) + 16, at(host) + 9, 16, 4, stream)
ok.cudaStreamSynchronize(stream)
say(list(back[:32]))
"""
    assert ran(device, script) == [[*range(7, 23), *range(9, 25)]]


def test_planes(device):
    script = """
ok.cudaMemcpy2D(a, 64, at(host), 32, 24, 8, 1)
ok.cudaMemcpy2DAsync(b, 128, a, 64, 20, 8, 3, 0)
ok.cudaMemset2D(b, 128, 7, 4, 8)
ok.cudaMemcpy2D(at(back), 40, b, 128, 20, 8, 2)
rows = [bytes(back[40 * r : 40 * r + 20]) == b"\\7" * 4 + bytes(host[32 * r + 4 : 32 * r + 20]) for r in range(8)]
say([all(rows), back[20:40] == bytes(20)])
pitch, pointer = c_uint64(), c_uint64()
ok.cudaMallocPitch(byref(pointer), byref(pitch), 100, 3)
say([pitch.value, pointer.value % 512])
"""
    assert ran(device, script) == [[True, True], [512, 0]]


def test_a_copy_larger_than_a_request_goes_in_pieces(device):
    script = """
size = (128 << 20) + 5
c = made("cudaMalloc", size)
text = bytearray(size)
text[:3], text[-3:] = b"abc", b"xyz"
ok.cudaMemcpy(c, at(text), size, 1)
text[:3] = text[-3:] = b"---"
ok.cudaMemcpy(at(text), c, size, 2)
say([text[:3].decode(), text[-3:].decode()])
"""
    assert ran(device, script) == [["abc", "xyz"]]


@pytest.mark.parametrize("call,status", [
    ("cudaMemcpy(a, at(host), 16, 2)", INVALID_VALUE),
    ("cudaMemcpy(at(back), a, 16, 1)", INVALID_VALUE),
    ("cudaMemcpy(a, at(host), 16, 3)", INVALID_VALUE),
    ("cudaMemcpy(at(back), at(host), 16, 1)", INVALID_VALUE),
    ("cudaMemcpy(a, b, 16, 2)", 0),
    ("cudaMemcpy(a, b, 16, 1)", 0),
    ("cudaMemcpy(a, at(host), 16, 0)", 0),
    ("cudaMemcpy(a, at(host), 16, 5)", INVALID_DIRECTION),
    ("cudaMemcpy(a, None, 16, 1)", INVALID_VALUE),
    ("cudaMemcpy(a, None, 0, 1)", 0),
    ("cudaMemcpy(a, at(host), 4097, 1)", INVALID_VALUE),
    ("cudaMemcpy2D(a, 16, at(host), 32, 24, 2, 1)", INVALID_PITCH),
    ("cudaMemset(at(host), 0, 16)", INVALID_VALUE),
    ("cudaMemset(a, 0, 4097)", INVALID_VALUE),
    ("cudaMemset2D(a, 8, 0, 16, 2)", INVALID_VALUE),
    ("cudaMemset2D(a, 8, 0, 16, 1)", 0),
    ("cudaFuncSetCacheConfig(at(host), 0)", 400),
    ("cudaGetSymbolAddress(byref(c_uint64()), at(host))", 13),
    ("cudaHostRegister(None, 16, 0)", INVALID_VALUE),
    ("cudaHostRegister(at(host), 0, 0)", INVALID_VALUE),
    ("cudaHostGetFlags(byref(c_int()), at(host))", INVALID_VALUE),
    ("cudaStreamGetFlags(0, None)", INVALID_VALUE),
    ("cudaGetDevice(None)", INVALID_VALUE),
    ("cudaGetDeviceProperties(None, 0)", INVALID_VALUE),
    ("cudaDeviceSetLimit(99, 1)", INVALID_VALUE),
    ("cudaDeviceGetAttribute(None, 1, 0)", INVALID_VALUE),
    ("cudaEventElapsedTime(None, None, None)", INVALID_VALUE),
    ("cudaEventSynchronize(None)", 400),
    ("cudaGraphLaunch(None, 0)", INVALID_VALUE),
    ("cudaGraphDestroy(None)", INVALID_VALUE),
    ("cudaGraphInstantiate(byref(c_uint64()), None, 0)", INVALID_VALUE),
    ("cudaStreamIsCapturing(0, None)", INVALID_VALUE),
    ("cudaLaunchHostFunc(0, None, None)", INVALID_VALUE),
    ("cudaMemGetInfo(None, None)", 0),
    ("cudaMalloc(None, 16)", INVALID_VALUE),
    ("cudaMalloc(byref(c_uint64()), 1 << 50)", 2),
    ("cudaFree(None)", 0),
    ("cudaFree(a + 16)", INVALID_VALUE),
    ("cudaFree(at(host))", INVALID_VALUE),
    ("cudaMalloc(byref(c_uint64(7)), 0)", 0),
    ("cudaMallocAsync(byref(c_uint64(7)), 0, 0)", 0),
    ("cudaFreeAsync(None, 0)", 0),
    ("cudaMallocAsync(byref(c_uint64()), 16, 12345)", 400),
    ("cudaMemcpyToSymbol(at(host), at(host), 16, 0, 1)", 13),
    ("cudaMallocManaged(byref(c_uint64()), 16, 1)", NOT_SUPPORTED),
    ("cudaHostAlloc(byref(c_uint64()), 16, 2)", NOT_SUPPORTED),
    ("cudaHostAlloc(byref(c_uint64()), 16, 64)", INVALID_VALUE),
    ("cudaFreeHost(at(host))", INVALID_VALUE),
    ("cudaHostUnregister(at(host))", 713),
    ("cudaPointerGetAttributes(None, a)", INVALID_VALUE),
])  # fmt: skip
def test_statuses(device, call, status):
    assert ran(device, f"say([cuda.{call}, cuda.cudaPeekAtLastError()])") == [[status, status]]


def test_a_refused_argument_is_in_the_log(device):
    ran(device, "cuda.cudaMemset(None, 0, 16)")
    last = device.log()[-1]
    assert (last.call, last.status) == ("cudaMemset", INVALID_VALUE)


def test_page_locked_memory(device):
    script = """
p = made("cudaMallocHost", 100)
ctypes.memset(p, 1, 100)
ok.cudaMemcpyAsync(a, p, 100, 1, 0)
say(cuda.cudaMemcpyAsync(a, p + 50, 51, 1, 0))
ok.cudaHostRegister(at(host), 4096, 0)
say([cuda.cudaHostRegister(at(host) + 16, 16, 0), cuda.cudaFreeHost(at(host))])
ok.cudaMemcpyAsync(a, at(host) + 96, 4000, 1, 0)
ok.cudaHostUnregister(at(host))
ok.cudaMemcpyAsync(a, at(host), 16, 1, 0)
flags = c_int(9)
ok.cudaHostGetFlags(byref(flags), p)
ok.cudaFreeHost(p)
say([flags.value, cuda.cudaFreeHost(p)])
"""
    assert ran(device, script) == [INVALID_VALUE, [712, INVALID_VALUE], [0, INVALID_VALUE]]
    assert [r.arguments["pinned"] for r in device.log() if "pinned" in r.arguments] == [True, True, False]


def test_a_copy_to_page_locked_memory_comes_later_and_not_after_it_is_freed(device):
    script = """
stream = made("cudaStreamCreate")
ok.cudaMemsetAsync(a, 5, 100, stream)
p, q = made("cudaMallocHost", 100), made("cudaMallocHost", 100)
ctypes.memset(p, 0, 100)
ok.cudaMemcpyAsync(p, a, 100, 2, stream)
ok.cudaMemcpyAsync(q, a, 100, 2, stream)
say(ctypes.string_at(p, 1)[0])
ok.cudaFreeHost(q)
ok.cudaStreamSynchronize(stream)
say(ctypes.string_at(p, 1)[0])
"""
    device.order("late")
    assert ran(device, script) == [0, 5]


def test_what_a_pointer_is(device):
    script = """
class Attributes(ctypes.Structure):
    _fields_ = [("type", c_int), ("device", c_int), ("onDevice", c_uint64), ("onHost", c_uint64), ("more", c_uint64 * 8)]
def kind(pointer):
    found = Attributes()
    ok.cudaPointerGetAttributes(byref(found), pointer)
    return [found.type, found.onDevice == pointer, found.onHost == pointer]
p = made("cudaMallocHost", 100)
say([kind(a), kind(a + 100), kind(a + (1 << 30)), kind(p + 99), kind(at(host))])
"""
    device_, host, unknown = [2, True, False], [1, True, True], [0, False, True]
    assert ran(device, script) == [[device_, device_, unknown, host, unknown]]


def test_memory_in_stream_order(device):
    script = """
stream = made("cudaStreamCreate")
c = c_uint64()
ok.cudaMallocAsync(byref(c), 100, stream)
ok.cudaMemsetAsync(c.value, 3, 100, stream)
ok.cudaMemcpyAsync(at(back), c.value, 100, 2, stream)
ok.cudaFreeAsync(c.value, stream)
ok.cudaStreamSynchronize(stream)
free, total = c_uint64(), c_uint64()
ok.cudaMemGetInfo(byref(free), byref(total))
say([back[0], back[99], total.value - free.value >= 8192, total.value > free.value])
"""
    assert ran(device, script) == [[3, 3, True, True]]


def test_the_devices_own_pool(device):
    script = """
pool = c_uint64()
ok.cudaDeviceGetDefaultMemPool(byref(pool), 0)
threshold, reuse = c_uint64(1 << 40), c_int(9)
ok.cudaMemPoolSetAttribute(pool.value, 4, byref(threshold))
threshold.value = 0
ok.cudaMemPoolGetAttribute(pool.value, 4, byref(threshold))
ok.cudaMemPoolGetAttribute(pool.value, 1, byref(reuse))
c = c_uint64()
ok.cudaMallocFromPoolAsync(byref(c), 64, pool.value, 0)
ok.cudaFreeAsync(c.value, 0)
say([threshold.value == 1 << 40, reuse.value, cuda.cudaMallocFromPoolAsync(byref(c), 64, 1234, 0),
     cuda.cudaMemPoolGetAttribute(pool.value, 7, byref(threshold))])
"""
    assert ran(device, script) == [[True, 1, INVALID_VALUE, NOT_SUPPORTED]]


def test_the_host_cannot_touch_device_memory(device):
    from cudart_process import Process

    process = Process(device, SETTING + "ctypes.string_at(a, 1)")
    assert process.popen.wait(20) == -11
    process.popen.communicate()
