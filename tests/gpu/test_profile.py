import pytest

from grader import gpu
from grader.gpu import counters as c
from grader.gpu import mirror as cp
from grader.simulator.device import Launch
from grader.toolchain import locate

PER_LAUNCH = {c.LOAD_REQUESTS: 2, c.LOAD_SECTORS: 8, c.STORE_REQUESTS: 2, c.STORE_SECTORS: 64}


def counted(device, grid, block, args):
    line = {"file": "t.cu", "line": 3, "counters": {c.LOAD_REQUESTS: 2, c.LOAD_SECTORS: 8}, "estimates": {}}
    estimates = {"ptx_warp_instructions": 10, "ptx_thread_instructions": 160, "ptx_lane_efficiency": 0.5}
    return Launch(fault=None, counters=PER_LAUNCH, estimates=estimates, lines=(line,), seconds=0.0)


@pytest.fixture
def launch(device):
    for name in ("copy", "other"):
        device.define(name, counted)
    return lambda name, grid=(1,): cp.RawKernel("", name)(grid, (32,), ())


def test_sums_over_the_launches_inside_and_nothing_else(launch):
    launch("copy")
    with gpu.profile() as p:
        launch("copy")
        launch("other")
        launch("copy", (2,))
    launch("copy")
    assert p.kernels == ["copy", "other"]
    assert [(r.kernel, r.grid) for r in p.launches] == [("copy", (1, 1, 1)), ("other", (1, 1, 1)), ("copy", (2, 1, 1))]
    copy = p.counters["copy"]
    assert copy[c.LOAD_SECTORS] == 16 and copy["load_sectors_per_request"] == 4
    assert copy["store_sectors_per_request"] == 32 and copy["bytes_loaded"] == 16 * 32
    assert p.counters["other"][c.LOAD_SECTORS] == 8
    assert "shared_wavefronts_per_request" not in copy  # no shared access: there is no such ratio


def test_shares_are_not_added_up(launch):
    with gpu.profile() as p:
        launch("copy")
        launch("copy")
    assert p.estimates["copy"] == {
        "ptx_warp_instructions": 20, "ptx_thread_instructions": 320, "ptx_lane_efficiency": 0.5
    }  # fmt: skip


def test_lines_are_joined_over_launches(launch):
    with gpu.profile() as p:
        launch("copy")
        launch("copy")
    (line,) = p.lines["copy"]
    assert (line["file"], line["line"], line["counters"][c.LOAD_SECTORS]) == ("t.cu", 3, 16)
    assert line["counters"]["load_sectors_per_request"] == 4


def test_profiles_nest_and_end_with_an_error(launch):
    with pytest.raises(ZeroDivisionError):
        with gpu.profile() as outer, gpu.profile() as inner:
            launch("copy")
            raise ZeroDivisionError
    launch("copy")
    assert len(outer.launches) == len(inner.launches) == 1


def test_looks(launch):
    with gpu.profile() as p:
        pass
    assert "no kernel was launched" in repr(p) and "No kernel" in p._repr_html_()
    with gpu.profile() as p:
        launch("copy")
    assert "copy: 1 launch\n" in repr(p) and "load_sectors_per_request" in repr(p)
    html = p._repr_html_()
    assert "load sectors per request" in html and c.LOAD_SECTORS in html and "t.cu:3" in html


def test_a_kernels_name_cannot_inject_html(device):
    device.define("<img src=x>", counted)
    with gpu.profile() as p:
        cp.RawKernel("", "<img src=x>")((1,), (1,), ())
    assert "<img" not in p._repr_html_()


def test_on_a_gpu_counters_are_refused_and_never_invented(monkeypatch):
    monkeypatch.setattr("grader.gpu.profiler.device_kind", lambda: "cuda")
    with gpu.profile() as p:
        pass
    for name in ("counters", "launches", "lines", "estimates", "kernels"):
        with pytest.raises(gpu.CountersUnavailable, match="Nsight Compute reads them: ncu"):
            getattr(p, name)
    assert "ncu" in repr(p) and "ncu" in p._repr_html_()


@pytest.mark.parametrize("table", [{}, {c.LOAD_REQUESTS: 0, c.LOAD_SECTORS: 0}, {c.LOAD_REQUESTS: 3}])
def test_no_ratio_without_evidence(table):
    assert "load_sectors_per_request" not in c.ratios(table)


def test_shared_wavefronts_are_the_mean_over_loads_and_stores():
    table = {c.SHARED_LOADS: 1, c.SHARED_STORES: 1, c.SHARED_LOAD_WAVEFRONTS: 32, c.SHARED_STORE_WAVEFRONTS: 1}
    assert c.ratios(table)["shared_wavefronts_per_request"] == 16.5


SOURCE = """extern "C" __global__ void scale(float* x) {
  __shared__ float s[64];
  s[threadIdx.x] = 2;
  __syncthreads();
  x[threadIdx.x] *= s[0];
}
"""


@pytest.fixture
def scale(device):
    if locate.nvrtc() is None:
        pytest.skip("needs NVRTC")
    device.define("scale", counted)
    return cp.RawKernel(SOURCE, "scale")


def test_resources_and_occupancy_of_what_was_launched(scale):
    with gpu.profile() as p:
        scale((4,), (64,), (), shared_mem=40_000)
    one, run = p.resources["scale"], p.occupancy["scale"]
    assert one.registers > 0 and one.shared_bytes == 256 and one.barriers == 1
    assert run.blocks == 4 and run.limited_by == ("shared memory",) and run.fraction == 8 / 64
    holds = "4 blocks, 8 warps: 12%, limited by shared memory"
    assert holds in p._repr_html_() and f"bytes spilled: none; a multiprocessor holds {holds}" in repr(p)
    assert scale.num_regs == one.registers


def test_resources_without_a_launch_of_a_module_or_a_text(scale):
    assert gpu.resources(cp.RawModule(code=SOURCE)) == gpu.resources(SOURCE) == gpu.profile(scale).resources
    assert gpu.resources(SOURCE, arch="sm_90")["scale"].shared_bytes >= 256


def test_kernels_without_a_source_are_left_out(launch):
    with gpu.profile() as p:
        launch("copy")
    assert p.resources == p.occupancy == {}
    with pytest.raises(gpu.ResourcesUnavailable):
        gpu.resources(cp.RawKernel("", "copy"))
