"""Kernel files that act on the compiler: to read the machine's files, to hang it, to drown its reader."""

from __future__ import annotations

from hostile_case import kernel, kernel_file, solution

TITLE = "Kernel files, while they are compiled"
RIGHT = "    y[blockIdx.x * blockDim.x + threadIdx.x] = 2.0f * x[blockIdx.x * blockDim.x + threadIdx.x] + 1.0f;"
GOOD = solution("thread_index.cu")


def right(name, tries, before, expect="fail 0", **more):
    """A right kernel below these lines: were they let through, it would earn everything."""
    return kernel(name, tries, RIGHT, expect, before=before, **more)


CASES = (
    right("include-passwd", "includes a file of the machine; compilers quote what they include",
          '#include "/etc/passwd"', source="Submitty#6732"),
    right("include-secret", "includes the class secret by its path", '#include "@CLASS@/class_secret"'),
    right("include-dots", "leaves its folder by ..", '#include "../../../../../../etc/passwd"', source="nbgrader#1978"),
    right("include-neighbour", "includes another student's answer", '#include "@CLASS@/submitted/a-right/'
          '00_warm_up/thread_index.cu"', source="nbgrader#978"),
    right("include-proc", "includes the environment of the compiler", "#include </proc/self/environ>"),
    right("include-macro", "names the file by a macro", '#define FILE_NAME "/etc/passwd"\n#include FILE_NAME'),
    right("include-split", "splits the directive over lines and comments",
          '/* */ # /* */ incl\\\nude /* */ "/etc/pass\\\nwd"'),
    right("include-digraph", "writes # as a digraph", '%:include "/etc/passwd"'),
    right("include-raw", "hides the directive behind a raw string that is not one",
          '#define R\n__device__ char const* t = R"(\n#include "/etc/passwd"\n)";'),
    right("include-next", "asks for the next file of a name", '#include_next "/etc/passwd"'),
    right("import", "imports instead of including", '#import "/etc/passwd"'),
    right("has-include", "asks which files there are, by conditions",
          '#if __has_include("@HOME@/canary.txt")\n#error there\n#endif'),
    right("has-include-macro", "asks by a macro with parameters",
          '#define ASK(d) __has_include(d)\n#if ASK("/etc/passwd")\n#error there\n#endif'),
    right("embed", "takes a file in as bytes", '__device__ char const bytes[] = {\n#embed "/etc/passwd"\n};'),
    right("pragma-dependency", "lets a pragma look at a file", '#pragma GCC dependency "/etc/passwd"'),
    right("pragma-operator", "the same by _Pragma", '_Pragma("GCC dependency \\"/etc/passwd\\"")'),
    right("line-lies", "says that its errors are in another file", '#line 1 "/etc/passwd"\nerror here', source=""),
    right("markers", "writes the compiler's own line marks", '# 1 "/etc/passwd" 1\nerror here'),
    kernel("incbin", "includes a file by inline assembly",
           '    asm volatile(".incbin \\"/etc/passwd\\"");\n' + RIGHT, "error 0",
           was="fail: the compiler passes it on, and the simulated GPU does not load it"),
    right("weights-of-templates", "a template without an end",
          "template <int N> struct Deep { static constexpr int v = Deep<N + 1>::v; };\n"
          "__device__ int deep = Deep<0>::v;", "fail|timeout|out_of_memory 0"),
    right("wide-templates", "templates that double at every step",
          "template <int N, int M> struct Wide { static constexpr long long v = Wide<N - 1, 2 * M>::v"
          " + Wide<N - 1, 2 * M + 1>::v; };\ntemplate <int M> struct Wide<0, M> "
          "{ static constexpr long long v = M; };\n__device__ long long wide = Wide<24, 0>::v;",
          "timeout|out_of_memory|fail 0", seconds=21),
    right("laughs", "a macro that grows to 10^10 words",
          "#define A0 1+\n" + "".join(
              f"#define A{n + 1} {' '.join([f'A{n}'] * 10)}\n" for n in range(10)) + "__device__ int laugh = A10 0;",
          "timeout|out_of_memory 0", seconds=21),
    right("constexpr-loop", "a constant that is computed for ever",
          "constexpr int endless() { int i = 0; while (true) { i ^= 1; } return i; }\n"
          "__device__ int constant = []() constexpr { constexpr int v = endless(); return v; }();",
          "fail|timeout 0"),
    right("huge-array", "an array of 2^50 bytes", "__device__ char huge[1ull << 50];\n"
          "extern \"C\" __global__ void touch() { huge[threadIdx.x] = 1; }", "error 0",
          was="fail or out_of_memory: it compiles, and cannot be loaded"),
    right("huge-constant", "initial values of a gigabyte", "__device__ int big[1 << 28] = {1};\n"
          "extern \"C\" __global__ void touch() { big[threadIdx.x] = 1; }", "timeout|out_of_memory 0",
          seconds=21, was="fail, out_of_memory or pass: the compiler takes more than its 20 seconds"),
    right("compile-error-flood", "a hundred thousand errors",
          "".join(f"int e{n} = nothing{n};\n" for n in range(20000)),
          source="nbgrader#138"),
    right("long-error", "one error of a megabyte", "#error " + "x" * 1_000_000, source="PrairieLearn#3015"),
    right("compile-error-markup", "an error that is a program for the instructor's browser",
          "#error <script>document.title='BREA'+'CH'</script><img src=x onerror=alert(1)>\x1b]0;title\x07",
          source="nbgrader#1324"),
    right("pragma-message", "prints by a pragma", '#pragma message("a note for the log")', "pass 2"),
    right("macro-names-kernel", "defines the parameter's names away",
          "#define x y\n#define float int", "fail 0", was="a type of another size was thought of"),
    kernel_file("no-text", "no text at all", bytes(range(256)), "fail 0"),
    kernel_file("nul", "a zero byte at the end", GOOD.encode() + b"\0", "fail 0"),
    kernel_file("utf-16", "saved as UTF-16", GOOD.encode("utf-16"), "fail 0", source="nbgrader#1302"),
    kernel_file("latin-1", "a comment in Latin-1", b"// \xe4\xf6\xfc\n" + GOOD.encode(), "fail 0"),
    kernel_file("byte-order-mark", "saved with a byte order mark", b"\xef\xbb\xbf" + GOOD.encode(), "pass 2"),
    kernel_file("carriage-returns", "saved with the line ends of Windows",
                GOOD.replace("\n", "\r\n").encode(), "pass 2"),
    kernel_file("empty-file", "nothing in the file", "", "fail 0", source="ok-client#352"),
    kernel_file("blank-file", "only white space", " \n\t\n", "fail 0"),
    kernel_file("only-comment", "only a comment", "// done\n", "fail 0"),
    kernel_file("too-large", "more than a megabyte", GOOD + "// " + "x" * (1 << 20), "error 0",
                notes=("unreadable",), was=""),
    kernel_file("host-code", "a program with main()", "int main() { return 0; }\n", "fail 0"),
    kernel_file("other-name", "a kernel under another name", GOOD.replace("thread_index(", "thread_indices("),
                "fail 0"),
    kernel_file("no-extern-c", 'a kernel without extern "C"', GOOD.replace('extern "C" ', ""), "fail 0"),
    kernel_file("more-parameters", "a kernel that takes more than it is given",
                GOOD.replace("float* y)", "float* y, float const* expected)"), "fail 0"),
    kernel_file("huge-parameter", "a parameter of 4 KB",
                "struct Big { char b[4000]; };\n" + GOOD.replace("float* y)", "Big y)"), "fail 0"),
    kernel_file("launches", "launches a kernel of its own", GOOD + "__global__ void k() {}\n"
                "__device__ void f() { k<<<1, 1>>>(); }\n", "fail 0"),
    kernel_file("right-to-left", "text that is shown in another order than it is read",
                GOOD + "// \u202e\u2066 }{ \u2069\n", "pass 2"),
    kernel_file("option-names", "files named like the compiler's options", GOOD, "pass 2",
                files={"-include": "#error\n", "-DBLOCK=1": "", "@options": "-include /etc/passwd\n",
                       "cuda_fp16.h": "#error mine\n", "kernel_types.cuh": "#error mine\n"}),
    right("comments-in-macro", "a macro of a hundred thousand comments over lines, for readers that go back",
          "#define A " + "/*\n*/" * 100_000, "pass 2", seconds=3),
    right("long-condition", "a condition with one name of half a megabyte", f"#if {'a' * 500_000}\n#endif", "pass 2"),
    right("macro-chain", "a chain of macros, longer than Python's calls can nest",
          "".join(f"#define A{i} A{i + 1}\n" for i in range(20_000)) + "#if A0\n#endif", "pass 2 or fail 0"),
    right("long-include", "includes a file whose name no system takes", f"#include <{'a' * 5000}>"),
    right("many-includes", "a mistake in each of fifty thousand lines", "#include <a>\n" * 50_000, seconds=2),
    kernel("blank-assembly", "right, with 400,000 blank lines of inline assembly, for readers that go back",
           "\n".join(['asm volatile("' + "\\n" * 20_000 + '");'] * 20) + f"\n{RIGHT}", "pass 2", seconds=3),
)  # fmt: skip
