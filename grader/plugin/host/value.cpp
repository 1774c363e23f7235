#include "value.h"

#include <cstring>

namespace host {

Value::Value(const char* text) {
  if (text == nullptr) return;
  kind_ = Kind::kText;
  text_.assign(text, strnlen(text, 1 << 20));
}

Value Value::bytes(const void* data, uint64_t size) {
  Value value;
  value.kind_ = Kind::kBytes;
  value.text_.assign(static_cast<const char*>(data), size);
  return value;
}

const Value& Value::operator[](uint64_t index) const {
  static const Value kNothing;
  return index < items_.size() ? items_[index] : kNothing;
}

// A letter for the kind, then 8 bytes: the value, or the count of bytes or items that follow. Little-endian, as the host.
void Value::encode(std::string& to) const {
  char head[9] = {static_cast<char>(kind_)};
  const uint64_t count = kind_ == Kind::kList ? items_.size() : text_.size();
  if (kind_ == Kind::kInteger) std::memcpy(head + 1, &integer_, 8);
  if (kind_ == Kind::kNumber) std::memcpy(head + 1, &number_, 8);
  if (kind_ == Kind::kText || kind_ == Kind::kBytes || kind_ == Kind::kList) std::memcpy(head + 1, &count, 8);
  to.append(head, sizeof head);
  to += text_;
  for (const Value& item : items_) item.encode(to);
}

bool Value::decode(const unsigned char*& at, const unsigned char* end, Value& value) {
  if (end - at < 9) return false;
  value.kind_ = static_cast<Kind>(*at);
  uint64_t count = 0;
  std::memcpy(&count, at + 1, 8);
  std::memcpy(&value.integer_, at + 1, 8);
  std::memcpy(&value.number_, at + 1, 8);
  at += 9;
  switch (value.kind_) {
    case Kind::kNull:
    case Kind::kInteger:
    case Kind::kNumber: return true;
    case Kind::kText:
    case Kind::kBytes:
      if (static_cast<uint64_t>(end - at) < count) return false;
      value.text_.assign(reinterpret_cast<const char*>(at), count);
      at += count;
      return true;
    case Kind::kList:
      if (static_cast<uint64_t>(end - at) < count) return false;  // an item takes at least a byte
      value.items_.resize(count);
      for (Value& item : value.items_) {
        if (!decode(at, end, item)) return false;
      }
      return true;
  }
  return false;
}

}  // namespace host
