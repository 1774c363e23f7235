// Who touched which bytes last: cells beside memory, for the search for races.
//
// A cell stands for 1 << shift bytes, as many as the smallest access that its stretch of memory has met, and holds
// marks: the number of an access, and the lane. Strong writes stand apart from weak ones, as they race only with
// weak accesses. Of reads, two are kept: the first that the next does not come after, and the last. So a write
// that some reader is not ordered before finds one of them, unless it is its own thread's. Of strong writes, which
// need no order among themselves, the last is kept and one that it does not come after.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "lanes.h"

using Mark = u32;  // number of an access * 32 + lane; 0: none

inline Mark first_mark(u32 access) { return access << 5; }  // of lane 0
inline u32 access_of(Mark mark) { return mark >> 5; }
inline int lane_of(Mark mark) { return static_cast<int>(mark & 31); }

// From when the marks of a kind are: 0, 0 where there are none.
struct Span {
  u32 oldest, newest;  // numbers of accesses
  void add(u32 number) {
    if (!oldest) oldest = number;
    newest = number;
  }
};

struct Cells {
  u32 shift;
  u32 bytes;
  Span writes, reads;
  Mark *write, *strong, *strong2, *read, *read2;  // null: none yet
};

constexpr u32 kPageBits = 12;
constexpr u32 kPageBytes = 1u << kPageBits;

// Zeroed memory of which only the pages that are touched take room and time, straight from the system: the C library
// would clear what it has at hand.
class Pages {
 public:
  explicit Pages(size_t bytes);
  ~Pages();
  Pages(Pages&& other) noexcept : data_(other.data_), bytes_(other.bytes_) { other.data_ = nullptr; }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

  // What lies behind the first `kept` bytes takes no room any more, and is zero.
  void forget(size_t kept);

 private:
  void* data_;
  size_t bytes_;
};

// Zeroed memory that is freed all at once. Up to 32 MB of it are kept for the thread's next launch: to clear what is
// taken costs less than new pages from the system.
class Arena {
 public:
  ~Arena();
  Mark* take(size_t count);
  size_t bytes() const { return bytes_; }

 private:
  std::vector<Pages> chunks_;
  size_t bytes_ = 0;
  size_t left_ = 0;
  bool used_ = false;  // the last chunk, by another launch
  Mark* next_ = nullptr;
};

// The cells of one block's shared memory, or of all of the device's.
class Shadow {
 public:
  Shadow() = default;
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  // The cells of the page that an address lies in, for accesses of 1 << shift bytes or more.
  Cells& page(u64 address, u32 shift) {
    u64 number = address >> kPageBits & ((1ull << 2 * kTableBits) - 1);
    if (!tables_) tables_ = static_cast<Cells**>(table(sizeof(Cells*)));
    Cells*& pages = tables_[number >> kTableBits];
    if (!pages) pages = static_cast<Cells*>(table(sizeof(Cells)));
    Cells& cells = pages[number & ((1u << kTableBits) - 1)];
    if (!cells.bytes || shift < cells.shift) fit(cells, kPageBytes, shift);
    return cells;
  }

  // The same for a small memory as a whole.
  Cells& whole(u32 bytes, u32 shift) {
    if (!whole_.bytes || shift < whole_.shift) fit(whole_, bytes, shift);
    return whole_;
  }

  size_t bytes() const { return arena_.bytes(); }

  Mark* need(Cells& cells, Mark*& marks) {
    if (!marks) marks = arena_.take((cells.bytes >> cells.shift) + 1);
    return marks;
  }

 private:
  static constexpr u32 kTableBits = 18;

  void* table(size_t entry);
  void fit(Cells&, u32 bytes, u32 shift);
  Mark* split(const Cells&, const Mark*, u32 shift);

  Arena arena_;
  Cells** tables_ = nullptr;
  std::vector<Pages> owned_;
  Cells whole_{};
};
