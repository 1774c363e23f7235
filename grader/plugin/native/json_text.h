// Writes JSON as text: what the small C++ programs of the plugin room report.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

namespace grader::json {

// A text in quotes; null for a null pointer. Bytes that are no printable ASCII are written as \u00XX, one for each byte,
// so that the result is valid JSON whatever a library hands out.
inline std::string text(const char* value) {
  if (value == nullptr) return "null";
  std::string out = "\"";
  for (; *value != '\0'; ++value) {
    const auto byte = static_cast<unsigned char>(*value);
    if (byte == '"' || byte == '\\') (out += '\\') += *value;
    else if (byte >= 0x20 && byte < 0x7F) out += *value;
    else {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", byte);
      out += escape;
    }
  }
  return out + '"';
}

inline std::string text(const std::string& value) { return text(value.c_str()); }
inline std::string number(int64_t value) { return std::to_string(value); }
inline std::string boolean(bool value) { return value ? "true" : "false"; }

// JSON has no infinities: what is not finite becomes null.
inline std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char out[40];
  std::snprintf(out, sizeof out, "%.9g", value);
  return out;
}

// `of(i)` for i in [0, count), between brackets.
template <class Of>
std::string list(int64_t count, Of of) {
  std::string out = "[";
  for (int64_t i = 0; i < count; ++i) (out += i == 0 ? "" : ", ") += of(i);
  return out + ']';
}

class Object {
 public:
  // `value` is JSON already.
  Object& add(const char* key, const std::string& value) {
    (((out_ += out_.size() == 1 ? "" : ", ") += text(key)) += ": ") += value;
    return *this;
  }
  std::string str() const { return out_ + '}'; }

 private:
  std::string out_ = "{";
};

}  // namespace grader::json
