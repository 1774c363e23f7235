"""Kernels that act on the GPU: to reach what is not theirs, to hang it, to look right without being so."""

from __future__ import annotations

from hostile_case import WARM_UP, Case, kernel, solution

TITLE = "Kernels, while they run"
I = "    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;\n"  # noqa: E741
WORK = "    y[i] = 2.0f * x[i] + 1.0f;\n"


def stride(name, tries, old, new, expect, **more):
    """A change of the right grid-stride kernel."""
    text = solution("grid_stride.cu")
    assert old in text, name
    return Case(name=name, tries=tries, files={"grid_stride.cu": text.replace(old, new)},
                expect={"grid-stride": expect}, chapter=WARM_UP, **more)  # fmt: skip


CASES = (
    kernel("endless", "never ends", "    while (true) { y[0] += 1.0f; }", "timeout 0", source="otter#469"),
    kernel("endless-quiet", "never ends and does nothing", '    asm volatile("L: bra L;");', "timeout 0"),
    kernel("waits-for-block", "waits for a block that never starts",
           "    while (flag == 0) { }\n    y[0] = 1.0f;", "timeout 0", before="__device__ volatile int flag;"),
    kernel("barrier", "a barrier that half the threads never reach",
           I + "    if (threadIdx.x & 1) __syncthreads();\n    else while (true) { }\n" + WORK, "timeout|fail 0"),
    kernel("trap", "stops the GPU by a trap", "    __trap();", "crash 0"),
    kernel("breakpoint", "stops the GPU by a breakpoint", "    __brkpt();", "crash|fail|unsupported_here 0"),
    kernel("failing-assert", "an assert that fails", "    assert(x == y);", "crash 0"),
    kernel("leaves-kernel", "leaves by exit at once", '    asm volatile("exit;");', "fail 0"),
    kernel("recursion", "calls itself without end", "    y[0] = f(1.0f);",
           "fail|crash|timeout|error|unsupported_here 0",
           before="__device__ __noinline__ float f(float a) { return a < 0.0f ? a : 1.0f + f(a + 1.0f); }"),
    kernel("wild-read", "reads an address of its own", "    y[0] = *(float*)0x7fff12345678ull;", "fail 0"),
    kernel("null-write", "writes to null", "    *(float*)0 = x[0];", "crash 0",
           was="fail: the compiler makes a trap of it"),
    kernel("before-start", "reads before its buffer, where others lie", I + "    y[i] = x[(long long)i - 4096];",
           "fail 0",
           source="KernelBench: empty buffer"),
    kernel("searches-memory", "searches all memory for the expected values",
           "    for (float const* p = x; ; ++p) { if (*p == 2.0f * x[0] + 1.0f) { y[0] = *p; } }", "fail 0",
           source="KernelBench"),
    kernel("odd-address", "an address that does not fit the type", "    y[0] = *(float*)((char*)x + 1);", "fail 0"),
    kernel("shared-past-end", "leaves shared memory", "    __shared__ float s[4];\n    y[0] = s[threadIdx.x + 400000];",
           "fail 0"),
    kernel("local-past-end", "leaves its own stack",
           I + "    float a[4]; for (int k = 0; k < 4; ++k) a[k] = x[i];\n    y[i] = a[(int)x[i] + 100000];", "fail 0"),
    kernel("constant-past-end", "leaves constant memory", I + "    y[i] = c[i + 70000];", "fail 0",
           before="__constant__ float c[4];"),
    kernel("writes-input", "puts its result where the input is", I + "    ((float*)x)[i] = 2.0f * x[i] + 1.0f;\n"
           "    y[i] = x[i];", "fail 0", source="KernelBench"),
    kernel("reads-output", "builds on what was in the output's memory",
           I + "    y[i] = __float_as_uint(y[i]) == 0xffffffffu ? 0.0f : 2.0f * x[i] + 1.0f;", "fail 0"),
    kernel("kept-results", "computes once and gives the kept results again",
           I + "    if (calls[0] == 0) { kept[i] = 2.0f * x[i] + 1.0f; }\n    y[i] = kept[i];\n    __syncthreads();\n"
           "    if (i == 0) calls[0] = 1;", "fail 0",
           before="__device__ float kept[1 << 20];\n__device__ int calls[1];",
           source="kernelbot#501"),
    kernel("kept-pointers", "keeps the address of an earlier launch's buffers",
           I + "    if (!old) old = x;\n    y[i] = 2.0f * old[i] + 1.0f;", "fail 0",
           before="__device__ float const* old;",
           source="reference-kernels#102"),
    kernel("counts-launches", "works in the first launches only, which are the visible ones",
           I + "    if (atomicAdd(&threads, 1u) < 1584u) { y[i] = 2.0f * x[i] + 1.0f; }", "fail 1",
           before="__device__ unsigned threads;", source="tensara#238"),
    kernel("known-shapes", "works for the shapes that everybody sees",
           I + "    if (blockDim.x == 8 || blockDim.x == 4 || blockDim.x == 256) { y[i] = 2.0f * x[i] + 1.0f; }",
           "fail 1",
           source="KernelBench: hard-coded shape"),
    kernel("nan-wildcard", "writes NaN everywhere", I + "    y[i] = __int_as_float(0x7fc00000);", "fail 0",
           source="rocm-libraries#10988"),
    kernel("zeros", "writes zeros everywhere", I + "    y[i] = 0.0f;", "fail 0", source="rocm-libraries#10988"),
    kernel("low-precision", "computes in eight bits", I + "    y[i] = 2.0f * (int)x[i] + 1.0f;", "fail 0"),
    kernel("print-flood", "prints without end",
           '    for (int k = 0; k < 1 << 30; ++k) printf("%d everything and more of it\\n", k);', "timeout 0",
           source="nbgrader#275"),
    kernel("print-wild", "prints text from a wild address", '    printf("%s\\n", (char const*)8);', "fail 0"),
    kernel("print-odd", "right, and prints with odd formats", I + WORK + '    printf("%n%1000000000d%*d%s\\n", 1, 2);',
           "pass 2", was="timeout: the device took its 20 seconds for a number a gigabyte wide"),
    kernel("print-forges", "prints what a passing report might look like",
           '    printf("{\\"state\\": \\"pass\\", \\"earned\\": 2}\\n");', "fail 0", source="Tango#152"),
    kernel("heap", "takes memory on the GPU without end",
           "    for (int k = 0; k < 1 << 20; ++k) { char* p = (char*)malloc(1 << 20); if (p) p[0] = 1; }",
           "fail|timeout|out_of_memory|unsupported_here 0"),
    kernel("much-shared", "asks for a gigabyte of shared memory",
           "    __shared__ char s[1 << 30];\n    s[threadIdx.x] = 1; y[0] = s[threadIdx.x + 1];", "error 0",
           was="fail: such a kernel cannot be loaded"),
    kernel("much-local", "asks for a gigabyte of stack",
           I + "    char a[1 << 30];\n    for (unsigned k = 0; k < 64; ++k) a[(k * i) & 0x3fffffff] = 1;\n"
           "    y[i] = a[i];", "error 0", was="fail, out_of_memory: such a kernel cannot be loaded"),
    kernel("launches-more", "starts kernels from the GPU",
           "    cudaLaunchDevice(0, 0, dim3(1u << 30), dim3(1024), 0, 0);",
           "error 0", was="fail: such a kernel cannot be loaded",
           before='extern "C" __device__ int cudaLaunchDevice(void*, void*, dim3, dim3, int, '
           "void*);"),
    kernel("ptx-breaks-out", "closes its function in inline assembly and begins another",
           '    asm volatile("ret; } .visible .entry fake() { ret;");', "fail|error|unsupported_here 0"),
    kernel("ptx-nonsense", "inline assembly that is none", '    asm volatile("do what I mean;");',
           "fail|error|unsupported_here 0"),
    kernel("ptx-deep", "inline assembly nested without end",
           '    asm volatile("' + "{ " * 20000 + "} " * 20000 + '");', "fail|error|unsupported_here 0"),
    kernel("ptx-file", "names a file in inline assembly", '    asm volatile(".file 1 \\"/etc/passwd\\"");',
           "fail|error|unsupported_here 0"),
    kernel("indirect-call", "jumps to a number", "    ((void (*)(float*))0x1234)(y);",
           "fail|error|unsupported_here|crash 0"),
    kernel("clock", "right, and looks at the clock", I + WORK + "    if (clock64() < 0) y[i] = 0.0f;", "pass 2"),
    kernel("atomic-storm", "a storm of atomics that never ends",
           "    while (true) atomicAdd(&total, 1.0f);", "timeout 0", before="__device__ float total;"),
    stride("measured-shape", "wasteful, but for the one launch whose stores are counted",
           "y[i] = 2.0f * x[i] + 1.0f;",
           "{ y[i] = 2.0f * x[i] + 1.0f; if (!(n == 2048 && gridDim.x == 4)) { for (int k = 0; k < 3; ++k) "
           "((float volatile*)y)[i] = 2.0f * x[i] + 1.0f; } }", "fail 0", source="KernelBench: hard-coded shape"),
    stride("measured-nothing", "does nothing in the launch whose stores are counted, and hopes that values are not",
           "for (long long i = first",
           "if (n == 8LL * gridDim.x * 64 && blockDim.x == 64) { if (blockIdx.x == 0 && threadIdx.x < 32) "
           "for (int k = 0; k < n / 32; ++k) ((float volatile*)y)[k * 32 + threadIdx.x] = 0.0f; return; }\n"
           "    for (long long i = first", "fail 0",
           source="KernelBench: hard-coded shape"),
)  # fmt: skip
