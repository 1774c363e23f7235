// printf on the device: formats into the launch's bounded output; what does not fit is dropped.
#include "print.h"

#include <algorithm>
#include <cstdio>

#include "addressing.h"
#include "convert.h"

namespace {

constexpr size_t kLongestText = 1024;
constexpr s32 kMostDigits = 5, kMostColumns = 99999;

void append(LaunchRequest& request, const char* text, size_t bytes) {
  s64 room = request.output_bytes - request.output_used;
  s64 taken = static_cast<s64>(bytes) < room ? static_cast<s64>(bytes) : room;
  if (taken > 0) memcpy(request.output + request.output_used, text, static_cast<size_t>(taken));
  request.output_used += static_cast<s64>(bytes);  // beyond output_bytes: Python says that text was dropped
}

// Copies a zero-terminated device string, at most `limit` bytes.
bool read_text(Launch& launch, const Warp& warp, const Instruction& i, u64 address, int lane,
               std::vector<char>& text) {
  text.clear();
  for (size_t n = 0; n < kLongestText; n++) {
    u8* byte = resolve(launch, warp, i, kGeneric, address + n, 1, lane, false);
    if (!byte) return false;
    if (!*byte) break;
    text.push_back(static_cast<char>(*byte));
  }
  text.push_back(0);
  return true;
}

// What one lane's call of printf has in hand.
struct Call {
  Launch& launch;
  const Warp& warp;
  const Instruction& i;
  int lane;
  u64 arguments;  // where the next one lies
  s32 taken = 0;

  bool take(int bytes, u64& raw) {
    arguments = (arguments + static_cast<u64>(bytes) - 1) & ~static_cast<u64>(bytes - 1);
    const u8* where = resolve(launch, warp, i, kGeneric, arguments, bytes, lane, false);
    if (!where) return false;
    arguments += static_cast<u64>(bytes);
    raw = 0;
    memcpy(&raw, where, static_cast<size_t>(bytes));
    taken++;
    return true;
  }
};

// The value of an integer conversion as 64 bits: `shorts` times `h` was in front of it.
u64 integer(u64 raw, int bytes, int shorts, bool is_signed) {
  if (bytes == 8) return raw;
  const int unused = shorts == 0 ? 32 : shorts == 1 ? 48 : 56;
  return is_signed ? static_cast<u64>(static_cast<s64>(raw << unused) >> unused) : raw << unused >> unused;
}

// One conversion at format[at], just behind the '%'. Returns the index behind it. Sizes are C's; the CUDA C++
// Programming Guide names h, l and ll alone, and its hosts take the others as well.
size_t format_one(Call& call, const std::vector<char>& format, size_t at) {
  char spec[48] = "%";
  size_t used = 1;
  int shorts = 0, digits = 0;  // digits: of the number that is being read
  bool is_long = false;
  u64 raw = 0;
  // A width or precision past kMostColumns changes nothing that is kept, and the C library would take seconds for it.
  for (; format[at] && strchr("-+ #0123456789.*hlzjt", format[at]) && used < 20; at++) {
    const char c = format[at];
    digits = c >= (digits ? '0' : '1') && c <= '9' ? digits + 1 : 0;
    if (c == '*') {
      if (!call.take(4, raw)) return at + 1;
      const s32 number = std::clamp(static_cast<s32>(raw), -kMostColumns, kMostColumns);
      if (number < 0 && spec[used - 1] == '.') {  // a negative precision is none
        used--;
      } else {
        used += static_cast<size_t>(snprintf(spec + used, 12, "%d", number));
      }
    } else if (c == 'h') {
      shorts++;
    } else if (strchr("lzjt", c)) {
      is_long = true;
    } else if (digits <= kMostDigits) {
      spec[used++] = c;
    }
  }
  const char kind = format[at];
  if (!kind) return at;
  LaunchRequest& request = *call.launch.request;
  if (kind == '%') {
    append(request, "%", 1);
    return at + 1;
  }
  const bool is_float = strchr("fFeEgGaA", kind), is_text = kind == 's';
  if (!is_float && !is_text && !strchr("diuxXocp", kind)) {
    append(request, "%?", 2);
    return at + 1;
  }
  const int bytes = is_float || is_text || kind == 'p' || (is_long && kind != 'c') ? 8 : 4;
  if (!call.take(bytes, raw)) return at + 1;
  char text[kLongestText];
  int written = 0;
  if (is_text || is_float || kind == 'c') spec[used++] = kind, spec[used] = 0;
  if (is_text) {
    std::vector<char> string;
    if (!read_text(call.launch, call.warp, call.i, raw, call.lane, string)) return at + 1;
    written = snprintf(text, sizeof text, spec, string.data());
  } else if (is_float) {
    written = snprintf(text, sizeof text, spec, bits<f64>(raw));
  } else if (kind == 'c') {
    written = snprintf(text, sizeof text, spec, static_cast<int>(raw));
  } else {
    if (kind == 'p') append(request, "0x", 2);
    spec[used++] = 'l', spec[used++] = 'l', spec[used++] = kind == 'p' ? 'x' : kind, spec[used] = 0;
    raw = integer(raw, bytes, shorts, kind == 'd' || kind == 'i');
    written = snprintf(text, sizeof text, spec, static_cast<long long>(raw));
  }
  size_t length = written < 0 ? 0 : static_cast<size_t>(written);
  append(request, text, length < sizeof text ? length : sizeof text - 1);
  return at + 1;
}

}  // namespace

// vprintf(format, arguments): i.a and i.b are the local offsets of its two 64-bit parameters. Its result, at i.d, is
// the number of arguments (CUDA C++ Programming Guide), 0 where the text was dropped.
void print(Launch& launch, Warp& warp, char*, u32 mask, const Instruction& i) {
  for (u32 rest = mask; rest && !launch.failed(); rest &= rest - 1) {
    int lane = first_lane(rest);
    u8* local = local_memory(launch, warp, lane) + warp.local_base;
    u64 format_address, arguments;
    memcpy(&format_address, local + i.a, 8);
    memcpy(&arguments, local + i.b, 8);
    s32 printed = 0;
    if (i.d >= 0) memcpy(local + i.d, &printed, 4);
    if (launch.request->output_used >= launch.request->output_bytes) {
      launch.request->output_used++;
      continue;
    }
    std::vector<char> format;
    if (!read_text(launch, warp, i, format_address, lane, format)) return;
    Call call{launch, warp, i, lane, arguments};
    for (size_t at = 0; format[at] && !launch.failed();) {
      if (format[at] == '%') {
        at = format_one(call, format, at + 1);
      } else {
        append(*launch.request, &format[at], 1);
        at++;
      }
    }
    if (i.d >= 0) memcpy(local + i.d, &call.taken, 4);
  }
}
