import gc

import numpy as np
import pytest

from grader.gpu import mirror as cp


@pytest.fixture(autouse=True)
def _use(device):
    pass


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (3, 4), (2, 0, 3)])
def test_there_and_back(dtype, shape):
    host = np.arange(np.prod(shape), dtype=np.int64).astype(dtype).reshape(shape)
    there = cp.asarray(host)
    assert (there.shape, there.dtype, there.size, there.nbytes) == (host.shape, host.dtype, host.size, host.nbytes)
    assert there.strides == host.strides or host.size == 0
    back = cp.asnumpy(there)
    assert back.dtype == host.dtype and np.array_equal(back, host)
    back[...] = 0  # a copy of one's own
    assert np.array_equal(there.get(), host)


def test_lists_numbers_and_strided_arrays_arrive_as_numpy_sees_them():
    assert cp.array([1.0, 2.0]).dtype == np.float64
    assert cp.array([1, 2], dtype=cp.float16).get().tolist() == [1, 2]
    assert cp.asarray(np.arange(10)[::2]).get().tolist() == [0, 2, 4, 6, 8]
    assert cp.asarray(np.arange(6).reshape(2, 3).T).get().tolist() == [[0, 3], [1, 4], [2, 5]]
    assert cp.asarray(np.arange(3, dtype=">i4")).get().tolist() == [0, 1, 2]


def test_asarray_copies_only_what_has_to_move():
    x = cp.zeros(4, cp.float32)
    assert cp.asarray(x) is x
    assert cp.asarray(x, cp.float16) is not x
    assert cp.array(x) is not x


def test_constructors():
    assert cp.zeros((2, 2)).get().tolist() == [[0, 0], [0, 0]]
    assert cp.ones(3, cp.int8).get().tolist() == [1, 1, 1]
    assert cp.full((2,), 1.5, cp.float16).get().tolist() == [1.5, 1.5]
    assert cp.full(2, 3).dtype == np.int64
    assert cp.arange(3).get().tolist() == [0, 1, 2]
    assert cp.arange(1, 7, 2, dtype=cp.float32).get().tolist() == [1, 3, 5]
    assert cp.empty_like(cp.zeros((3, 2), cp.float16)).shape == (3, 2)
    assert cp.zeros_like(np.ones(2)).get().tolist() == [0, 0]


def test_empty_is_poisoned_so_that_an_unwritten_element_shows():
    assert cp.empty(4, cp.uint8).get().tolist() == [0xCD] * 4


def test_views_share_memory():
    x = cp.zeros((4, 6), cp.float32)
    x[1, 2:4].fill(5)
    x[3] = np.arange(6)
    x[-4, ...][0] = 9
    expected = np.zeros((4, 6), np.float32)
    expected[1, 2:4], expected[3], expected[0, 0] = 5, np.arange(6), 9
    assert np.array_equal(x.get(), expected)
    assert x[1:3].data.ptr == x.data.ptr + 6 * 4
    assert np.array_equal(x.reshape(2, -1).get(), expected.reshape(2, -1))
    assert x.ravel().shape == (24,) and x.view(cp.uint16).shape == (4, 12)
    assert len(list(x)) == 4


def test_memory_is_freed_when_the_last_view_goes(device):
    x = cp.zeros(4, cp.float32)
    address, view = x.data.ptr, x[1:]
    del x
    gc.collect()
    assert device.freed == []
    del view
    gc.collect()
    assert device.freed == [address]


def test_an_empty_array_has_no_memory(device):
    assert cp.empty(0).data.ptr == 0 and not device.memory


@pytest.mark.parametrize(
    "act, exception, word",
    [
        (lambda x: np.asarray(x), TypeError, "Implicit conversion"),
        (lambda x: x + 1, NotImplementedError, r"asnumpy\(x\) \+"),
        (lambda x: x == x, AttributeError, "=="),
        (lambda x: x.sum(), AttributeError, "asnumpy"),
        (lambda x: x[::2], AttributeError, "one|single"),
        (lambda x: x[[0, 1]], AttributeError, "single stretch"),
        (lambda x: x[9], IndexError, "out of bounds"),
        (lambda x: x.reshape(3), ValueError, "cannot reshape"),
        (lambda x: x.set(np.zeros(4)), TypeError, "float64"),
        (lambda x: x.set(np.zeros(3, np.float32)), ValueError, "Shape mismatch"),
        (lambda x: cp.empty(-1), ValueError, "Negative"),
        (lambda x: cp.asarray(["text"]), ValueError, "Unsupported dtype"),
        (lambda x: cp.empty(2, order="F"), AttributeError, "row-major"),
        (lambda x: cp.sqrt(x), AttributeError, "numpy.sqrt"),
        (lambda x: cp.ElementwiseKernel, AttributeError, "needs real CuPy and a GPU"),
        (lambda x: cp.cuda.Graph, AttributeError, "needs real CuPy"),
        (lambda x: cp.cuda.runtime.memGetInfo, AttributeError, "needs real CuPy"),
        (lambda x: cp.cuda.Device(1), RuntimeError, "one simulated GPU"),
        (lambda x: cp.cuda.get_elapsed_time(cp.cuda.Event(), cp.cuda.Event()), NotImplementedError, "no clock"),
    ],
)
def test_what_only_a_gpu_has_is_refused_with_a_sentence(act, exception, word):
    with pytest.raises(exception, match=word):
        act(cp.zeros(4, cp.float32))


def test_synchronising_is_allowed_everywhere():
    cp.cuda.Device().synchronize()
    cp.cuda.Stream.null.synchronize()
    cp.cuda.runtime.deviceSynchronize()
    with cp.cuda.Device(0), cp.cuda.Stream() as stream:
        stream.record().synchronize()
    assert cp.cuda.runtime.getDeviceCount() == 1 and cp.cuda.is_available()


def test_the_mirror_keeps_to_cupys_names():
    """Everything public in the mirror is a name of CuPy's: chapter code must run there unchanged."""
    cupy_has = """
        RawKernel RawModule arange array asarray ascontiguousarray asnumpy bool_ complex128 complex64 cuda dtype e
        empty empty_like finfo float16 float32 float64 full full_like get_array_module iinfo inf int16 int32 int64
        int8 linspace nan ndarray newaxis ones ones_like pi uint16 uint32 uint64 uint8 zeros zeros_like
    """.split()
    assert sorted(cp.__all__) == sorted(cupy_has)
    assert all(hasattr(cp, name) for name in cp.__all__)


def test_get_array_module():
    assert cp.get_array_module(cp.zeros(1)) is cp
    assert cp.get_array_module(np.zeros(1)) is np
