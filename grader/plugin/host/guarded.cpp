#include "guarded.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include <sys/mman.h>

namespace host {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kRows = 4096;  // lent pieces that are remembered; the oldest that are over make room

Lent gRows[kRows];
size_t gNext = 0;
std::mutex gLock;

size_t wholePages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

[[noreturn]] void outOfMemory() {
  std::fputs("grader-host: no memory left to lend\n", stderr);
  std::_Exit(70);
}

}  // namespace

const Lent* lentAt(const void* address) {
  const char* at = static_cast<const char*>(address);
  for (const Lent& row : gRows) {
    if (row.pages != nullptr && at >= row.pages && at < row.pages + row.bytes) return &row;
  }
  return nullptr;
}

char* lend(const char* what, size_t used, size_t alignment) {
  const std::lock_guard<std::mutex> hold(gLock);
  const size_t bytes = wholePages(used + alignment) + kPage;
  char* pages = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (pages == MAP_FAILED) outOfMemory();
  char* end = pages + bytes - kPage;
  mprotect(end, kPage, PROT_NONE);
  char* data = end - (used + alignment - 1) / alignment * alignment;
  for (size_t tries = 0; tries < kRows; ++tries, gNext = (gNext + 1) % kRows) {
    Lent& row = gRows[gNext];
    if (row.pages != nullptr && !row.over) continue;
    if (row.pages != nullptr) munmap(row.pages, row.bytes);
    row = Lent{what, pages, bytes, data, used, false};
    gNext = (gNext + 1) % kRows;
    return data;
  }
  outOfMemory();
}

void takeBack(char* data) {
  const std::lock_guard<std::mutex> hold(gLock);
  for (Lent& row : gRows) {
    if (row.data == data && row.pages != nullptr && !row.over) {
      mmap(row.pages, row.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
      row.over = true;
      return;
    }
  }
}

}  // namespace host
