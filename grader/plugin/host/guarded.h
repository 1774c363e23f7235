// Memory that is watched: it ends at a page without access, and is taken away when the call that it was lent to is over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace host {

// What a fault at an address of such memory means; plain data, since a signal handler reads it.
struct Lent {
  const char* what;  // "the input descriptors"
  char* pages;       // including the page without access at the end
  size_t bytes;
  char* data;
  size_t used;
  bool over;  // the call that it was lent to is over
};

// The memory that an address lies in; null for memory that was not lent. Safe in a signal handler.
const Lent* lentAt(const void* address);

// Lend zeroed memory of `used` bytes. It lies against the page without access: the first byte past the end faults.
char* lend(const char* what, size_t used, size_t alignment);
// Take it away: whoever kept a pointer faults. The addresses are used again only after many more were lent.
void takeBack(char* data);

// An array lent to one call.
template <typename T>
class LentArray {
  static_assert(std::is_trivially_destructible<T>::value, "lent memory goes without destructors");

 public:
  LentArray(const char* what, size_t count)
      : data_(reinterpret_cast<T*>(lend(what, count * sizeof(T), alignof(T)))), count_(count) {}
  ~LentArray() {
    if (data_ != nullptr) takeBack(reinterpret_cast<char*>(data_));
  }
  LentArray(LentArray&& other) noexcept : data_(other.data_), count_(other.count_) { other.data_ = nullptr; }
  LentArray(const LentArray&) = delete;
  LentArray& operator=(const LentArray&) = delete;

  T& operator[](size_t index) { return data_[index]; }
  T* data() { return data_; }
  size_t size() const { return count_; }

 private:
  T* data_;
  size_t count_;
};

}  // namespace host
