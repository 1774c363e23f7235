#include "shadow.h"

#include <algorithm>

Arena::~Arena() {
  for (void* chunk : chunks_) std::free(chunk);
}

Mark* Arena::take(size_t count) {
  constexpr size_t kChunk = 1 << 18;
  if (count > left_) {
    left_ = std::max(count, kChunk);
    void* fresh = std::calloc(left_, sizeof(Mark));  // large: pages that nobody touches take no room
    if (!fresh) throw std::bad_alloc();
    chunks_.push_back(fresh);
    bytes_ += left_ * sizeof(Mark);
    next_ = static_cast<Mark*>(fresh);
  }
  Mark* taken = next_;
  next_ += count;
  left_ -= count;
  return taken;
}

Shadow::~Shadow() {
  for (void* table : owned_) std::free(table);
}

void* Shadow::table(size_t entry) {
  void* fresh = std::calloc(1u << kTableBits, entry);
  if (!fresh) throw std::bad_alloc();
  owned_.push_back(fresh);
  return fresh;
}

void Shadow::fit(Cells& cells, u32 bytes, u32 shift) {
  if (!cells.bytes) {
    cells.shift = shift, cells.bytes = bytes;
    return;
  }
  for (Mark** marks : {&cells.write, &cells.strong, &cells.read, &cells.read2}) *marks = split(cells, *marks, shift);
  cells.shift = shift;
}

Mark* Shadow::split(const Cells& cells, const Mark* marks, u32 shift) {
  if (!marks) return nullptr;
  const size_t count = (cells.bytes >> shift) + 1;
  Mark* fresh = arena_.take(count);
  for (size_t k = 0; k < count; k++) fresh[k] = marks[k >> (cells.shift - shift)];
  return fresh;
}
