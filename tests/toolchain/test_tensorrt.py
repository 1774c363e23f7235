"""Where TensorRT's headers are taken from, which are refused, and the lean runtimes."""

import pytest

from grader.toolchain import tensorrt

VERSION = "#define TRT_{0}_ENTERPRISE {1}\n#define NV_TENSORRT_{0} TRT_{0}_ENTERPRISE\n"
OLD_VERSION = "#define NV_TENSORRT_{0} {1} //!< as 8.x and 10.3 write it\n"
INCLUDES = {"NvInfer.h": "NvInferRuntime.h", "NvInferRuntime.h": "NvInferVersion.h"}


def headers(folder, version="10.14.1", form=VERSION):
    """A folder with a few headers that include each other like TensorRT's."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [form.format(*pair) for pair in zip(("MAJOR", "MINOR", "PATCH"), version.split("."), strict=True)]
    extra = "#define NV_TENSORRT_LWS_MAJOR 0\n#define NV_TENSORRT_SONAME_MAJOR 7\n"
    (folder / "NvInferVersion.h").write_text("#ifndef V\n" + "".join(lines) + extra + "#endif // V\n")
    for name, other in INCLUDES.items():
        (folder / name).write_text(f'#ifndef A\n#include "{other}"\n#include <cstddef>\n#endif // A\n')
    return folder


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with no TensorRT, whose folders lie under tmp_path."""
    for name in ("TENSORRT_ROOT", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(
        tensorrt, "SYSTEM_FOLDERS", (tmp_path / "usr/include/x86_64-linux-gnu", tmp_path / "usr/include")
    )
    monkeypatch.setattr(tensorrt, "RELEASE_FOLDERS", (tmp_path / "opt/tensorrt",))
    return tmp_path


def found():
    place = tensorrt.find_headers()[0]
    return place and (place.folder, place.source)


def test_the_order_of_the_places(machine, monkeypatch):
    assert tensorrt.find_headers() == (None, ()) and tensorrt.tensorrt_include() is None
    monkeypatch.setenv("CONDA_PREFIX", str(machine / "conda"))
    monkeypatch.setenv("TENSORRT_ROOT", str(machine / "mine"))
    places = [  # the last is looked at first
        (tensorrt.headers_folder(), "the course's cache"),
        (machine / "opt/tensorrt/include", "NVIDIA's release"),
        (machine / "conda/include", "the conda environment"),
        (machine / "usr/include", "the system"),
        (machine / "usr/include/x86_64-linux-gnu", "the system"),
        (machine / "mine/include", "TENSORRT_ROOT"),
    ]
    for folder, source in places:
        headers(folder)
        assert found() == (folder, source)
        assert tensorrt.tensorrt_include() == folder


def test_tensorrt_root_may_be_the_include_folder_itself(machine, monkeypatch):
    monkeypatch.setenv("TENSORRT_ROOT", str(headers(machine / "TensorRT-10.14/include")))
    assert found() == (machine / "TensorRT-10.14/include", "TENSORRT_ROOT")


@pytest.mark.parametrize("form", [VERSION, OLD_VERSION])
@pytest.mark.parametrize(
    "version, said",
    [
        ("8.6.1", "TensorRT 8.6.1 is older than 10.3"),
        ("10.2.0", "older than 10.3"),
        ("10.3.0", None),
        ("10.16.1", None),
        ("11.0.0", "do not fit NVIDIA's registry of 10.16"),
    ],
)
def test_versions(machine, monkeypatch, version, said, form):
    ours = headers(tensorrt.headers_folder())
    monkeypatch.setenv("TENSORRT_ROOT", str(machine / "mine"))
    theirs = headers(machine / "mine/include", version, form)
    place, refused = tensorrt.find_headers()
    assert place.folder == (ours if said else theirs)
    assert tensorrt.headers_version(theirs) == version
    if said:
        (line,) = refused
        assert line.startswith("TENSORRT_ROOT (") and said in line
    else:
        assert refused == () and version in place.remark
        assert ("newer are missing" in place.remark) == (version == "10.3.0")


def test_headers_of_another_major_version_are_found_for_a_tensorrt_of_that_version(machine):
    assert tensorrt.headers_of(11) is None
    system = headers(machine / "usr/include", "11.4.0")
    own = headers(tensorrt.headers_folder())
    assert tensorrt.headers_of(11) == system and tensorrt.headers_of(10) == own
    assert tensorrt.tensorrt_include() == own


def test_headers_of_another_major_version_are_found_for_what_that_version_loads(machine):
    system = headers(machine / "usr/include", "11.1.0")
    ours = headers(tensorrt.headers_folder())
    assert tensorrt.headers_of(11) == system and tensorrt.headers_of(10) == ours == tensorrt.tensorrt_include()
    (system / "NvInfer.h").unlink()
    assert tensorrt.headers_of(11) is None


def test_the_courses_own_version_needs_no_remark(machine):
    headers(tensorrt.headers_folder())
    assert tensorrt.find_headers()[0].remark == ""


def test_a_half_unpacked_folder_is_not_used(machine):
    system = headers(machine / "usr/include")
    ours = headers(tensorrt.headers_folder())
    (system / "NvInferRuntime.h").unlink()
    place, refused = tensorrt.find_headers()
    assert place.folder == ours and "NvInferRuntime.h is missing" in refused[0]
    headers(system)
    (system / "NvInfer.h").write_text('#ifndef A\n#include "NvInferRuntime.h"\n')
    assert "the end of NvInfer.h is missing" in tensorrt.find_headers()[1][0]
    (system / "NvInferVersion.h").write_text("#define TRT_MAJOR_ENTERPRISE 10\n")
    assert tensorrt.find_headers()[0].folder == ours


def test_a_root_that_holds_none_is_told_a_system_without_is_not(machine, monkeypatch):
    monkeypatch.setenv("TENSORRT_ROOT", str(machine / "nowhere"))
    place, refused = tensorrt.find_headers()
    assert place is None and refused == (
        f"TENSORRT_ROOT ({machine / 'nowhere/include'}): there is no NvInferVersion.h in it",
    )


def test_the_lean_runtimes(machine, monkeypatch):
    site = machine / "site-packages"
    monkeypatch.setattr("sys.path", [str(site)])
    assert tensorrt.lean_library() is None and tensorrt.lean_library(11) is None
    ten, eleven = site / "tensorrt_lean_libs/libnvinfer_lean.so.10", tensorrt.second_lean_folder()
    for path in (ten, eleven / "libnvinfer_lean.so.11"):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"")
    assert tensorrt.lean_library() == ten
    assert tensorrt.lean_library(11) == eleven / "libnvinfer_lean.so.11" and eleven.name == "lean-11.4.0.106"
