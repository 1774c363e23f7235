// printf on the device: formats into the launch's bounded output; what does not fit is dropped.
#include <cstdio>

#include "addressing.h"
#include "convert.h"

namespace {

constexpr size_t kLongestText = 1024;

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

// One conversion at format[at], just behind the '%'. Returns the index behind it.
size_t format_one(Launch& launch, const Warp& warp, const Instruction& i, int lane,
                  const std::vector<char>& format, size_t at, u64& arguments) {
  char spec[40] = "%";
  size_t used = 1;
  while (at < format.size() && strchr("-+ #0123456789.hl", format[at]) && format[at] && used < 20) {
    if (!strchr("hl", format[at])) spec[used++] = format[at];  // every integer is passed as 64 bits below
    at++;
  }
  bool is_long = at >= 1 && format[at - 1] == 'l';
  char kind = at < format.size() ? format[at] : 0;
  if (!kind) return at;
  LaunchRequest& request = *launch.request;
  if (kind == '%') {
    append(request, "%", 1);
    return at + 1;
  }
  bool is_float = strchr("fFeEgGaA", kind), is_text = kind == 's',
       is_wide = is_float || is_text || is_long || kind == 'p';
  if (!is_float && !is_text && !strchr("diuxXoc p", kind)) {
    append(request, "%?", 2);
    return at + 1;
  }
  int bytes = is_wide ? 8 : 4;
  arguments = (arguments + bytes - 1) & ~static_cast<u64>(bytes - 1);
  u8* where = resolve(launch, warp, i, kGeneric, arguments, bytes, lane, false);
  if (!where) return at + 1;
  arguments += bytes;
  u64 raw = 0;
  memcpy(&raw, where, bytes);
  char text[kLongestText];
  int written = 0;
  if (is_text) {
    std::vector<char> string;
    if (!read_text(launch, warp, i, raw, lane, string)) return at + 1;
    spec[used++] = 's', spec[used] = 0;
    written = snprintf(text, sizeof text, spec, string.data());
  } else if (is_float) {
    spec[used++] = kind, spec[used] = 0;
    written = snprintf(text, sizeof text, spec, bits<f64>(raw));
  } else if (kind == 'c') {
    text[0] = static_cast<char>(raw);
    written = 1;
  } else {
    bool is_signed = kind == 'd' || kind == 'i';
    if (is_signed && bytes == 4) raw = static_cast<u64>(static_cast<s64>(static_cast<s32>(raw)));
    if (kind == 'p') append(request, "0x", 2);
    spec[used++] = 'l', spec[used++] = 'l', spec[used++] = kind == 'p' ? 'x' : kind, spec[used] = 0;
    written = snprintf(text, sizeof text, spec, static_cast<long long>(raw));
  }
  size_t length = written < 0 ? 0 : static_cast<size_t>(written);
  append(request, text, length < sizeof text ? length : sizeof text - 1);
  return at + 1;
}

}  // namespace

// vprintf(format, arguments): i.a and i.b are the local offsets of its two 64-bit parameters.
void print(Launch& launch, Warp& warp, char*, u32 mask, const Instruction& i) {
  s32 limit = launch.request->local_limit;
  for (u32 rest = mask; rest && !launch.failed(); rest &= rest - 1) {
    int lane = first_lane(rest);
    u8* local = launch.block->local.data() + static_cast<s64>(warp.id * kLanes + lane) * limit + warp.local_base;
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
    for (size_t at = 0; at < format.size() && format[at] && !launch.failed();) {
      if (format[at] == '%') {
        at = format_one(launch, warp, i, lane, format, at + 1, arguments);
      } else {
        append(*launch.request, &format[at], 1);
        at++;
      }
    }
  }
}
