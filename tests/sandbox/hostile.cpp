// Reaches, by system calls of its own, for what a child must not have; prints what it got.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static void attempt(const char* what, long result) {
  if (result >= 0) std::printf("%s\n", what);
}

int main(int, char** arguments) {
#ifdef __x86_64__
  if (!std::strcmp(arguments[1], "int80")) {
    long result;
    asm volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory");  // getpid of a 32-bit program
    std::printf("int80 %ld\n", result);
    return 0;
  }
  if (!std::strcmp(arguments[1], "x32")) {
    std::printf("x32 %ld\n", syscall(0x40000000 | SYS_getpid));
    return 0;
  }
#endif
  pid_t parent = std::atoi(arguments[1]);
  attempt("socket", socket(AF_INET, SOCK_STREAM, 0));
  attempt("shadow", open("/etc/shadow", O_RDONLY));
  attempt("root", open("/written", O_CREAT | O_WRONLY, 0600));
  attempt("shm", open("/dev/shm/written", O_CREAT | O_WRONLY, 0600));
  attempt("ptrace", ptrace(PTRACE_ATTACH, parent, nullptr, nullptr));
  attempt("signal", kill(parent, 0));
  attempt("thread's signal", syscall(SYS_tgkill, parent, parent, 0));
  attempt("namespace", syscall(SYS_unshare, 0x10000000));
  attempt("memory file", syscall(SYS_memfd_create, "x", 0));
  attempt("keys", syscall(SYS_add_key, "user", "x", "y", 1, -3));
  attempt("session", setsid());
  attempt("open_tree", syscall(428, AT_FDCWD, "/", 1));
  attempt("io_uring", syscall(425, 1, nullptr));
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/environ", parent);
  attempt("environment", open(path, O_RDONLY));
}
