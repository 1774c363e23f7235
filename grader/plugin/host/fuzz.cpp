#include "fuzz.h"

#include <algorithm>
#include <cstring>

#include "descriptors.h"
#include "library.h"
#include "plugin.h"

namespace host {
namespace {

constexpr uint64_t kLongBlob = 4096;
constexpr uint64_t kHugeField = 4 << 20;  // bytes

class Random {  // splitmix64
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t bound) { return bound == 0 ? 0 : next() % bound; }
  bool once(uint64_t times) { return below(times) == 0; }
  std::string bytes(uint64_t count) {
    std::string made(count, '\0');
    for (char& each : made) each = static_cast<char>(next());
    return made;
  }

 private:
  uint64_t state_;
};

// Numbers at which counts, sizes and floats go wrong.
constexpr uint64_t kNumbers[] = {0, 1, 2, 3, 7, 8, 9, 64, 127, 128, 255, 256, 65535, 65536, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
                                 0x100000000, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF, 0x7F800000,
                                 0xFF800000, 0x7FC00000, 0x00000001, 0x3F800000, 0x7FF0000000000000, 0x7FF8000000000000};

void overwrite(Random& random, std::string& bytes) {  // a number of 1, 2, 4 or 8 bytes, aligned or not
  const uint64_t width = std::min<uint64_t>(uint64_t{1} << random.below(4), bytes.size());
  const uint64_t number = random.once(3) ? random.next() : kNumbers[random.below(std::size(kNumbers))];
  const uint64_t at = random.below(bytes.size() - width + 1);
  std::memcpy(&bytes[random.once(2) ? at : at / width * width], &number, width);
}

void damage(Random& random, std::string& bytes) {
  switch (random.below(7)) {
    case 0: bytes.resize(random.below(bytes.size() + 1)); break;
    case 1: bytes += random.bytes(random.below(64)); break;
    case 2:
      if (!bytes.empty()) bytes.erase(random.below(bytes.size()), 1 + random.below(8));
      break;
    case 3: bytes.insert(random.below(bytes.size() + 1), random.bytes(1 + random.below(8))); break;
    case 4:
      if (!bytes.empty()) bytes[random.below(bytes.size())] ^= static_cast<char>(1 << random.below(8));
      break;
    case 5: bytes += bytes.substr(random.below(bytes.size() + 1), kLongBlob); break;
    default:
      if (!bytes.empty()) overwrite(random, bytes);
  }
}

Value blob(Random& random, const Value& samples) {
  if (random.once(50)) return Value();  // a null pointer
  std::string bytes = samples[random.below(samples.size())].text();
  if (random.once(10)) bytes = random.bytes(random.below(random.once(4) ? kLongBlob : 64));
  for (uint64_t left = random.below(4) + 1; left > 0; --left) damage(random, bytes);
  return Value::bytes(bytes.data(), bytes.size());
}

std::string name(Random& random, std::string from) {
  switch (random.below(6)) {
    case 0: return "";
    case 1: return std::string(random.below(300), 'n');
    case 2: return random.bytes(random.below(16)).c_str();
    case 3: from += '_'; return from;
    default: damage(random, from); return from.c_str();
  }
}

constexpr int32_t kTypes = 13;  // of PluginFieldType in 10.14, and one more that is none

// Data of so many elements, all of it there: elements are random, or numbers at which things go wrong.
Value elements(Random& random, int32_t type, int64_t length) {
  const int64_t unit = halfBytes(static_cast<nvinfer1::PluginFieldType>(type));
  const uint64_t bytes = static_cast<uint64_t>(std::max<int64_t>(0, length)) * static_cast<uint64_t>(unit == 0 ? 16 : unit) / 2;
  std::string made = bytes > kLongBlob ? std::string(bytes, static_cast<char>(random.next())) : random.bytes(bytes);
  for (uint64_t left = random.below(8); left > 0 && !made.empty(); --left) overwrite(random, made);
  return Value::bytes(made.data(), made.size());
}

Value damaged(Random& random, const Value& field) {  // [name, type, length, data]
  List row = field.items();
  row.resize(4);
  const auto type = [&] { return row[1].small(); };
  switch (random.below(7)) {
    case 0: row[0] = name(random, row[0].text()); break;
    case 1:
      row[1] = random.once(8) ? Value(static_cast<int64_t>(random.next())) : Value(static_cast<int64_t>(random.below(kTypes + 1)));
      row[3] = elements(random, type(), row[2].integer());
      break;
    case 2: row[3] = Value(); break;  // no data
    case 3:
      row[2] = static_cast<int64_t>(random.below(random.once(8) ? 4096 : 20));
      row[3] = elements(random, type(), row[2].integer());
      break;
    case 4:
      if (random.once(40)) {
        row[2] = static_cast<int64_t>(random.below(kHugeField) / 8);
      } else {
        row[2] = random.once(2) ? int64_t{0} : -static_cast<int64_t>(random.below(1u << 31));
      }
      row[3] = elements(random, type(), row[2].integer());
      break;
    default: row[3] = elements(random, type(), row[2].integer());
  }
  return row;
}

Value fields(Random& random, const Value& samples) {
  if (random.once(200)) return Value();  // no collection
  List rows = samples[random.below(samples.size())].items();
  for (uint64_t left = random.below(4) + 1; left > 0; --left) {
    const uint64_t at = random.below(rows.size());
    switch (random.below(8)) {
      case 0:
        if (!rows.empty()) rows.erase(rows.begin() + static_cast<int64_t>(at));
        break;
      case 1:
        if (!rows.empty()) rows.push_back(rows[at]);  // twice the same name
        break;
      case 2:
        if (!rows.empty()) std::swap(rows[at], rows[random.below(rows.size())]);
        break;
      case 3: {
        const auto type = static_cast<int32_t>(random.below(kTypes));
        const auto length = static_cast<int64_t>(random.below(9));
        rows.push_back(List{name(random, "stranger"), type, length, elements(random, type, length)});
        break;
      }
      default:
        if (!rows.empty()) rows[at] = damaged(random, rows[at]);
    }
  }
  return rows;
}

void live(Plugin& plugin) {
  bool known = false;
  const Value nothing;
  plugin.call("getFieldsToSerialize", nothing, known);
  if (!known) plugin.call("serialize", nothing, known);
  const std::unique_ptr<Plugin> clone(plugin.cloned());
  if (clone == nullptr || clone->address() == plugin.address()) return;
  clone->call("getFieldsToSerialize", nothing, known);
  clone->end();
}

}  // namespace

Value fuzz(const Value& a) {
  const bool blobs = a[0].text() == "blobs";
  int64_t made = 0;
  for (int64_t i = 0; i < a[3].integer(); ++i) {
    Random random(static_cast<uint64_t>(a[2].integer() + i) * 0xD1342543DE82EF95);
    const Value input = blobs ? blob(random, a[4]) : fields(random, a[4]);
    const List arguments{a[1], "layer", input, static_cast<int64_t>(random.below(2))};
    const Value number = blobs ? deserializePlugin(arguments) : createPlugin(arguments);
    Plugin* plugin = number.isNull() ? nullptr : keptPlugin(number[0].integer());
    if (plugin == nullptr) continue;
    ++made;
    live(*plugin);
    plugin->end();
    forget(number[0].integer());
  }
  return List{made, a[3].integer() - made};
}

}  // namespace host
