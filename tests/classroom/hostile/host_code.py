"""Host C++ answers: native code that acts while it is compiled, loaded, run and ended."""

from __future__ import annotations

from hostile_case import host, solution

TITLE = "Host C++: compile, load, run and exit time"
GOOD = solution("scale_enqueue.h")

# What a right enqueue would have had the harness report, worked out and sent by the answer itself.
_FORGED = """
    long long x, y, n, s, code; std::sscanf(buf, "%lld %lld %lld %lld %lld", &x, &y, &n, &s, &code);
    bool const bad = n < 0 || (n > 0 && (!x || !y)), go = n > 0 && !bad;
    char out[400];
    std::snprintf(out, sizeof out, "{\\"status\\":%lld,\\"launches\\":%d,\\"x\\":%lld,\\"y\\":%lld,\\"n\\":%lld,"
        "\\"stream\\":%lld}", bad ? 1 : go ? code : 0, go ? 1 : 0, x, y, n, s);
"""
_SOCKETS = (
    'extern "C" long recv(int, void*, unsigned long, int);\n'
    'extern "C" long send(int, void const*, unsigned long, int);\n'
)
_RECEIVE = """
    unsigned long long len[2]; recv(fd, len, 16, 0); char buf[4096] = {0}; recv(fd, buf, len[0], 0);
    recv(fd, buf, len[1], 0); buf[len[1]] = 0;
"""
_SEND = """
    len[0] = std::strlen(out); len[1] = 0; send(fd, len, 16, 0); send(fd, out, len[0], 0); std::_Exit(0);
"""
_C = 'extern "C" int {};\n'

CASES = (
    # compile time
    host("cpp-include", "includes the class secret", "", "fail 0", before='#include "@CLASS@/class_secret"'),
    host("cpp-include-harness", "includes the grader's own program", "", "fail 0",
         before='#include "return_status.cpp"'),
    host("cpp-include-channel", "includes the header of the grader's channel", "", "fail 0",
         before='#include "grader_channel.hpp"'),
    host("cpp-unix-header", "includes what talks with the system", "", "fail 0", before="#include <unistd.h>"),
    host("cpp-incbin", "takes a file in by the assembler", "", "fail 0",
         before='__asm__(".incbin \\"/etc/passwd\\"");'),
    host("cpp-section", "gives orders to the assembler by a section's name", "", "fail 0",
         before='__attribute__((section(".text\\n.incbin \\"/etc/passwd\\"\\n#"))) int v = 1;'),
    host("cpp-label", "gives orders to the assembler by another name", "", "fail 0",
         before='extern int v __asm__("v\\n.incbin \\"/etc/passwd\\"\\n#");'),
    host("cpp-pragma-options", "sets options of the compiler by a pragma", "", "fail 0",
         before='#pragma GCC optimize ("-fplugin=/tmp/x.so,-wrapper=/bin/sh")'),
    host("cpp-template-bomb", "templates that double at every step", "", "timeout|out_of_memory|fail 0",
         before="template <int N, int M> struct W { static constexpr long long v = W<N - 1, 2 * M>::v + "
         "W<N - 1, 2 * M + 1>::v; };\ntemplate <int M> struct W<0, M> { static constexpr long long v = M; };\n"
         "static long long w = W<24, 0>::v + w;", seconds=21),
    host("cpp-huge-binary", "a program of two gigabytes", "", "fail|timeout|out_of_memory|error|crash 0",
         before="static char big[2000000000] = {1};\ninline char* use = big;", seconds=12),
    host("cpp-main", "brings its own main", "", "fail 0", before="int main() { return 0; }"),
    # load time
    host("cpp-constructor", "ends the process before main begins", "", "fail 0",
         was="error: the attribute is refused since",
         before="__attribute__((constructor)) static void first() { std::_Exit(0); }"),
    host("cpp-constructor-hangs", "hangs before main begins", "", "fail 0",
         was="timeout: the attribute is refused since",
         before="__attribute__((constructor)) static void first() { for (;;) { } }"),
    host("cpp-initialiser", "ends the process while its variables are made", "", "error 0",
         before="struct First { First() { std::_Exit(0); } };\nstatic First first;"),
    host("cpp-initialiser-hangs", "hangs while its variables are made", "", "timeout 0", seconds=14,
         before="struct First { First() { for (volatile int k = 0;; k = k + 1) { } } };\nstatic First first;"),
    host("cpp-ifunc", "acts while its functions are resolved", "    ways();", "crash|error|fail 0",
         before='extern "C" {\nstatic void real() {}\nstatic void (*resolve())() { std::_Exit(0); return real; }\n}\n'
         'void ways() __attribute__((ifunc("resolve")));'),
    host("cpp-thread-local", "acts when a thread's data is made", "    return t.v;", "error 0",
         before="struct T { int v; T() { std::_Exit(0); } };\nstatic thread_local T t;"),
    host("cpp-replaces-new", "replaces the operators of memory", "", "fail|error|crash 0",
         before="void* operator new(std::size_t) { std::_Exit(0); }"),
    host("cpp-replaces-libc", "replaces functions of the library that the harness uses", "", "fail|error|crash 0",
         before='extern "C" long send(int, void const*, unsigned long n, int) { return static_cast<long>(n); }'),
    # the result
    host("cpp-forge-channel", "speaks on the grader's channel before main, and reports what would be right", "",
         "fail|error 0", before=_SOCKETS + "__attribute__((constructor)) static void first(int argc, char** argv)\n{\n"
         "    int const fd = std::atoi(argv[argc - 1] + 10);" + _RECEIVE + _FORGED + _SEND + "}", source="Tango#152"),
    host("cpp-forge-template", "uses the grader's own channel by a template that is filled in later", "",
         "fail|error 0",
         before="#include <string>\n#include <vector>\nnamespace grader { class Channel; }\n"
         "template <class C> void first(int argc, char** argv)\n{\n    C channel(argc, argv);\n"
         "    std::string header;\n"
         "    std::vector<unsigned char> text;\n    channel.receive(header, text);\n"
         "    std::string const all(text.begin(), text.end());\n    char const* buf = all.c_str();" + _FORGED +
         "    channel.send(std::string(out));\n    std::_Exit(0);\n}\n__attribute__((constructor)) static void start"
         "(int argc, char** argv) { first<grader::Channel>(argc, argv); }"),
    host("cpp-forge-books", "writes the harness' own record of launches",
         "    cheat<Launches>(x, y, n, stream); return 0;",
         "fail|error 0", before="namespace { struct Launches; extern Launches gLaunches; }\n"
         "template <class L> void cheat(float const* x, float* y, std::int64_t n, Stream s)\n{\n"
         "    L& l = static_cast<L&>(gLaunches); ++l.count; l.x = (long long)x; l.y = (long long)y; l.n = n;\n"
         "    l.stream = (long long)s;\n}", was=""),
    host("cpp-forge-macro", "renames what the harness says by a macro", "", "fail|error 0",
         before='#define count n * 0 + 1\n'),
    host("cpp-forge-stream", "opens the channel as a stream", "", "fail|error 0", source="cheat-fd",
         before='extern "C" { FILE* fdopen(int, char const*) noexcept; }\n'
         "__attribute__((constructor)) static void first(int argc, char** argv)\n{\n"
         '    FILE* f = fdopen(std::atoi(argv[argc - 1] + 10), "r+");\n    unsigned long long len[2];\n'
         "    if (!f || std::fread(len, 8, 2, f) != 2) return;\n    char buf[4096] = {0};\n"
         "    std::fread(buf, 1, len[0], f); std::memset(buf, 0, sizeof buf); std::fread(buf, 1, len[1], f);"
         + _FORGED +
         "    len[0] = std::strlen(out); len[1] = 0;\n    std::fwrite(len, 8, 2, f); std::fwrite(out, 1, len[0], f);\n"
         "    std::fflush(f); std::_Exit(0);\n}"),
    host("cpp-forge-shell", "lets a shell write to the channel", '    std::system("for f in 3 4 5 6 7 8 9; do printf '
         '\'%s\' \'{\\"status\\":0}\' >&$f; done; echo BRE\\"\\"ACH >&2; kill -9 $$");', "fail|error|crash 0"),
    host("cpp-forge-output", "prints a report to the streams that everybody has",
         '    std::puts("{\\"status\\":0,\\"launches\\":1}"); std::fputs("earned: 3\\n", stderr);', "fail 0",
         source="Tango#152"),
    host("cpp-closes", "closes every descriptor", "    for (int fd = 0; fd < 1024; ++fd) close(fd);", "fail|error 0",
         before=_C.format("close(int)")),
    host("cpp-exit", "ends with exit code 0 at once", "    std::exit(0);", "error 0", source="Submitty#12853"),
    host("cpp-quick-exit", "ends by quick_exit", "    std::quick_exit(0);", "error 0"),
    # run time
    host("cpp-aborts", "aborts", "    std::abort();", "crash 0", source="cocalc#4588"),
    host("cpp-null", "writes to null", "    *static_cast<int volatile*>(nullptr) = 1;", "crash 0"),
    host("cpp-stack", "calls itself without end", "    return 1 + deep(1);", "crash 0",
         before="static int deep(int v) { volatile char a[4096]; a[v % 4096] = 1; return deep(v + 1) + a[0]; }"),
    host("cpp-divides", "divides by zero", "    volatile int zero = 0; return 7 / zero;", "crash 0"),
    host("cpp-illegal", "an instruction that there is not", "    __builtin_trap();", "crash 0"),
    host("cpp-hangs", "never returns", "    for (volatile int k = 0;; k = k + 1) { }", "timeout 0", seconds=16,
         source="nbgrader#427"),
    host("cpp-memory", "takes memory without end",
         "    for (;;) { char* p = new (std::nothrow) char[1 << 24]; if (p) std::memset(p, 1, 1 << 24); }",
         "out_of_memory|crash|timeout 0", before="#include <new>", seconds=6, source="nbgrader#1429"),
    host("cpp-throws", "throws through noexcept", "    throw 1;", "crash 0"),
    host("cpp-flood", "prints without end",
         '    for (;;) std::fputs("all work and no play makes a long line\\n", stderr);', "timeout 0", seconds=16,
         source="ipython#6516"),
    host("cpp-fork-bomb", "starts processes without end", "    for (;;) fork();", "fail|error|timeout|crash 0",
         before=_C.format("fork()"), seconds=16),
    host("cpp-kills", "kills its parent and everybody", "    kill(getppid(), 9); kill(-1, 9);", "fail|error|crash 0",
         before=_C.format("kill(int, int)") + _C.format("getppid()"), source="nbgrader: kills parent"),
    host("cpp-threads", "starts threads without end",
         "    for (;;) { try { new std::thread([] { for (;;) { } }); } catch (...) { } }",
         "fail|error|timeout|crash|out_of_memory 0", before="#include <thread>\n#include <new>", seconds=16),
    host("cpp-files", "reads what it must not by the standard library",
         "    std::ifstream in(\"@CLASS@/class_secret\"); std::string s; if (in >> s) found(s.c_str());\n"
         "    for (auto& e : std::filesystem::directory_iterator(\"@CLASS@\")) found(e.path().c_str());",
         "fail|error|crash 0", before="#include <filesystem>\n#include <fstream>\n#include <string>"),
    host("cpp-environment", "reads the environment",
         "    if (char const* v = std::getenv(\"HOSTILE_CANARY\")) found(v);",
         "fail 0"),
    # exit time
    host("cpp-at-exit", "right, and hangs when the process ends", "    return launchScale(x, y, n, stream);",
         "timeout|fail 0", before="struct Last { ~Last() { for (;;) { } } };\nstatic Last last;", seconds=16),
    host("cpp-at-exit-code", "changes the exit code at the end", "    std::atexit([] { std::_Exit(0); });", "fail 0"),
    host("cpp-destructor", "acts after main", "", "fail 0",
         before="__attribute__((destructor)) static void end() { std::_Exit(0); }"),
)  # fmt: skip
