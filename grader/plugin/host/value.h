// What the parent and the host say to each other: integers, numbers, texts, bytes and lists of these.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace host {

class Value {
 public:
  enum class Kind : char { kNull = 'n', kInteger = 'i', kNumber = 'd', kText = 's', kBytes = 'b', kList = 'l' };

  Value() = default;
  Value(int64_t value) : kind_(Kind::kInteger), integer_(value) {}
  Value(int32_t value) : Value(static_cast<int64_t>(value)) {}
  Value(uint64_t value) : Value(static_cast<int64_t>(value)) {}
  Value(bool value) : Value(static_cast<int64_t>(value)) {}
  Value(double value) : kind_(Kind::kNumber), number_(value) {}
  Value(std::string text) : kind_(Kind::kText), text_(std::move(text)) {}
  // Null becomes a null value. A plugin's text may have no end, so it is cut after a megabyte.
  Value(const char* text);
  Value(std::vector<Value> items) : kind_(Kind::kList), items_(std::move(items)) {}
  static Value bytes(const void* data, uint64_t size);

  Kind kind() const { return kind_; }
  bool isNull() const { return kind_ == Kind::kNull; }
  // What has another kind reads as 0, "" and no items: the parent is trusted, and its defects show in the results.
  int64_t integer() const { return integer_; }
  int32_t small() const { return static_cast<int32_t>(integer_); }
  double number() const { return kind_ == Kind::kInteger ? static_cast<double>(integer_) : number_; }
  const std::string& text() const { return text_; }  // of texts and of bytes
  const std::vector<Value>& items() const { return items_; }
  uint64_t size() const { return items_.size(); }
  const Value& operator[](uint64_t index) const;

  void encode(std::string& to) const;
  static bool decode(const unsigned char*& at, const unsigned char* end, Value& value);

 private:
  Kind kind_ = Kind::kNull;
  int64_t integer_ = 0;
  double number_ = 0;
  std::string text_;
  std::vector<Value> items_;
};

using List = std::vector<Value>;

}  // namespace host
