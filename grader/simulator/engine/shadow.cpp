#include "shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

Pages::Pages(size_t bytes) : bytes_(bytes) {
  data_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data_ == MAP_FAILED) throw std::bad_alloc();
}

Pages::~Pages() {
  if (data_) munmap(data_, bytes_);
}

void Pages::forget(size_t kept) {
  if (kept < bytes_) madvise(static_cast<char*>(data_) + kept, bytes_ - kept, MADV_DONTNEED);
}

namespace {

constexpr size_t kChunk = 1 << 18;  // marks
constexpr size_t kMostSpare = 32;

thread_local std::vector<Pages> spare;

}  // namespace

Arena::~Arena() {
  for (Pages& chunk : chunks_) {
    if (chunk.bytes() == kChunk * sizeof(Mark) && spare.size() < kMostSpare) spare.push_back(std::move(chunk));
  }
}

Mark* Arena::take(size_t count) {
  if (count > left_) {
    left_ = std::max(count, kChunk);
    used_ = left_ == kChunk && !spare.empty();
    spare.reserve(kMostSpare);  // here, as a destructor may not fail
    if (used_) {
      chunks_.push_back(std::move(spare.back()));
      spare.pop_back();
    } else {
      chunks_.emplace_back(left_ * sizeof(Mark));
    }
    bytes_ += left_ * sizeof(Mark);
    next_ = static_cast<Mark*>(chunks_.back().data());
  }
  Mark* taken = next_;
  if (used_) std::fill_n(taken, count, 0);
  next_ += count;
  left_ -= count;
  return taken;
}

void* Shadow::table(size_t entry) {
  owned_.emplace_back(entry << kTableBits);
  return owned_.back().data();
}

void Shadow::fit(Cells& cells, u32 bytes, u32 shift) {
  if (!cells.bytes) {
    cells.shift = shift, cells.bytes = bytes;
    return;
  }
  for (Mark** marks : {&cells.write, &cells.strong, &cells.strong2, &cells.read, &cells.read2})
    *marks = split(cells, *marks, shift);
  cells.shift = shift;
}

Mark* Shadow::split(const Cells& cells, const Mark* marks, u32 shift) {
  if (!marks) return nullptr;
  const size_t count = (cells.bytes >> shift) + 1;
  Mark* fresh = arena_.take(count);
  for (size_t k = 0; k < count; k++) fresh[k] = marks[k >> (cells.shift - shift)];
  return fresh;
}
