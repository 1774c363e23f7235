// Multiplication of matrices, as an H200 was found to do it: equal in every bit, also of what is no number, in 118
// forms of instructions (2026-11-30, driver 580.159.04; tests/simulator/measure_matrix.py).
//
// Integers: exact; the sum wraps at 32 bits or, with .satfinite, ends at the largest or smallest number.
// f64: fused multiply-adds, k rising.
// f16, bf16, tf32: every product is exact. The products of all k and the number of C are cut off (toward zero)
// kFraction binary places below the leading place of the largest one (kLeast at least), added exactly, and rounded
// once: toward zero to an f32, to the nearest (even) to an f16. So Khattak and Mikaitis describe the Hopper generation
// (Accurate Models of NVIDIA Tensor Cores, 2025). Two forms of wmma are several instructions in the machine code of
// ptxas 13.0, and round between them: tf32 takes four k at a time, the low ones first; a D of f16 with a C of f32 is an
// f32 first.
// Ampere cuts off one place earlier and adds in two parts (Fasi and others, Numerical behavior of NVIDIA tensor cores,
// 2021). Whatever the parts, two such sums of k products and C differ by less than (k + 2) 2^-22 (largest term) + 1 ulp
// of the result for each rounding. Exact sums (small integers) are the same.
#include "matrix.h"

#include "convert.h"
#include "undefined.h"
#include "waits.h"

namespace {

constexpr int kFraction = 25;
constexpr s32 kLeast = -133;
constexpr int kMost = 32;          // lines of a matrix; places of integers
constexpr int kPlaces = 16;        // places of floating-point numbers
constexpr s32 kZero = -(1 << 20);  // the exponent of zero: below all others, even twice

struct Listed {  // one operand's registers
  Role role;
  s32 type;
  const s32* slots;
};

struct Operands {
  Shape shape;
  Listed d, a, b, c;
};

Operands operands_of(const Launch& launch, const Instruction& i) {
  const s32* list = launch.request->lists;
  return {shape_of(i.mode),
          {kRoleSum, i.type, list + i.values[0]},
          {kRoleA, i.source_type, list + i.values[1]},
          {kRoleB, i.source_type, list + i.values[2]},
          {kRoleSum, i.vector, list + i.values[3]}};
}

int per_register(s32 type) {
  return type == kS8 || type == kU8 ? 4 : type == kF16 || type == kBF16 ? 2 : 1;
}

// Calls `body(slot, lane, j, line, place)` for element j of every register and lane.
template <class F>
void each_element(const Listed& x, Shape shape, F body) {
  const int per = per_register(x.type), count = registers_of(x.role, shape, per);
  for (int r = 0; r < count; r++) {
    for (int l = 0; l < kLanes; l++) {
      const Element element = element_of(x.role, shape, per, r, l);
      for (int j = 0; j < per; j++) body(x.slots[r], l, j, element.line, element.place + j);
    }
  }
}

u32 part_of(char* frame, s32 slot, int lane, int j, int bits) {
  return lanes<u32>(frame, slot)[lane] >> (j * bits) & (bits == 32 ? ~0u : (1u << bits) - 1);
}

// ---- integers ----

void multiply_integers(char* frame, const Operands& o, const Instruction& i) {
  s32 a[kMost][kMost], b[kMost][kMost];
  s32 c[kMost][kMost];
  auto read = [&](const Listed& x, s32 (*into)[kMost], bool is_signed) {
    each_element(x, o.shape, [&](s32 slot, int l, int j, int line, int place) {
      u8 byte = static_cast<u8>(part_of(frame, slot, l, j, 8));
      into[line][place] = is_signed ? static_cast<s8>(byte) : byte;
    });
  };
  read(o.a, a, i.flags & kSignedA);
  read(o.b, b, i.flags & kSignedB);
  each_element(o.c, o.shape, [&](s32 slot, int l, int, int line, int place) {
    c[line][place] = lanes<s32>(frame, slot)[l];
  });
  each_element(o.d, o.shape, [&](s32 slot, int l, int, int line, int place) {
    s32 products = 0;  // 32 of at most 2^16
    for (int k = 0; k < o.shape.k; k++) products += a[line][k] * b[place][k];
    const s64 sum = static_cast<s64>(products) + c[line][place];
    lanes<s32>(frame, slot)[l] = i.flags & kSaturate ? clamp_s32(sum) : static_cast<s32>(static_cast<u32>(sum));
  });
}

// ---- double precision ----

void multiply_doubles(char* frame, const Operands& o) {
  f64 a[kMost][kPlaces], b[kMost][kPlaces], c[kMost][kMost];
  auto read = [&](const Listed& x, auto* into) {
    each_element(x, o.shape, [&](s32 slot, int l, int, int line, int place) {
      into[line][place] = lanes<f64>(frame, slot)[l];
    });
  };
  read(o.a, a);
  read(o.b, b);
  read(o.c, c);
  each_element(o.d, o.shape, [&](s32 slot, int l, int, int line, int place) {
    f64 sum = c[line][place];
    for (int k = 0; k < o.shape.k; k++) sum = fma_f64(a[line][k], b[place][k], sum);
    lanes<f64>(frame, slot)[l] = sum;
  });
}

// ---- f16, bf16, tf32 ----

// A number is mantissa * 2^(exponent - fraction), with `fraction` that of its type.
struct Lines {
  s32 mantissa[kMost][kPlaces], exponent[kMost][kPlaces];
  f64 value[kMost][kPlaces];
  bool special[kMost];  // a line has an infinity or what is no number
};

struct Format {
  int fraction, exponent_bits;
};

Format format_of(s32 type) {
  return type == kF16 ? Format{10, 5} : type == kBF16 ? Format{7, 8} : type == kTF32 ? Format{10, 8} : Format{23, 8};
}

void split(u32 x, Format format, s32& mantissa, s32& exponent) {
  const int top = (1 << format.exponent_bits) - 1, bias = top >> 1;
  const s32 field = static_cast<s32>(x >> format.fraction) & top;
  mantissa = static_cast<s32>(x & ((1u << format.fraction) - 1)) | (field ? 1 << format.fraction : 0);
  exponent = mantissa ? (field ? field : 1) - bias : kZero;
  if (x >> (format.fraction + format.exponent_bits) & 1) mantissa = -mantissa;
}

f32 value_of(u32 x, s32 type) {
  return type == kF16    ? from_f16(static_cast<u16>(x))
         : type == kBF16 ? from_bf16(static_cast<u16>(x))
         : type == kTF32 ? bits<f32>(x & ~0x1fffu)
                         : bits<f32>(x);
}

void read_lines(char* frame, const Listed& x, Shape shape, Lines& lines) {
  const Format format = format_of(x.type);
  memset(&lines, 0, sizeof lines);
  for (auto& line : lines.exponent) {
    for (s32& exponent : line) exponent = kZero;
  }
  each_element(x, shape, [&](s32 slot, int l, int j, int line, int place) {
    const u32 raw = part_of(frame, slot, l, j, x.type == kTF32 ? 32 : 16);
    split(x.type == kTF32 ? raw >> 13 : raw, format, lines.mantissa[line][place], lines.exponent[line][place]);
    lines.value[line][place] = value_of(raw, x.type);
    lines.special[line] |= !std::isfinite(lines.value[line][place]);
  });
}

// The sum of two lines' products in the places first to last - 1 and of c, before it is rounded: exact in a double.
f64 add_products(const Lines& a, int row, const Lines& b, int column, int first, int last, int fraction, f32 c) {
  if (a.special[row] || b.special[column] || !std::isfinite(c)) {  // infinite, or no number
    f64 sum = c;
    for (int k = first; k < last; k++) sum += a.value[row][k] * b.value[column][k];
    return sum;
  }
  s32 product[kPlaces], exponent[kPlaces], c_mantissa, c_exponent;
  split(bits<u32>(c), format_of(kF32), c_mantissa, c_exponent);
  s32 top = c_exponent;
  for (int k = first; k < last; k++) {
    product[k] = a.mantissa[row][k] * b.mantissa[column][k];
    exponent[k] = a.exponent[row][k] + b.exponent[column][k];
    top = exponent[k] > top ? exponent[k] : top;
  }
  if (top <= kZero / 2) return 0;
  if (top < kLeast) top = kLeast;
  s32 products = 0;  // 16 of less than 2^27
  for (int k = first; k < last; k++) {
    const s32 down = top - exponent[k] < 31 ? top - exponent[k] : 31;
    const s32 cut = (product[k] < 0 ? -product[k] : product[k]) << (kFraction - 2 * fraction) >> down;
    products += product[k] < 0 ? -cut : cut;
  }
  const s32 down = top - c_exponent < 31 ? top - c_exponent : 31;
  const s32 cut = (c_mantissa < 0 ? -c_mantissa : c_mantissa) << (kFraction - 23) >> down;
  const s64 total = static_cast<s64>(products) + (c_mantissa < 0 ? -cut : cut);
  return static_cast<f64>(total) * bits<f64>(static_cast<u64>(top - kFraction + 1023) << 52);
}

// A sum that comes out as zero is +0 there, whatever it was before (327 sums of -0 were possible, none was).
f32 truncate(f64 x) {
  if (std::fabs(x) < 0x1p-149) return 0;
  const f32 near = static_cast<f32>(x);
  if (x != x || std::fabs(x) >= 0x1p128 || std::fabs(static_cast<f64>(near)) <= std::fabs(x)) return near;
  return bits<f32>(bits<u32>(near) - 1);
}

// The same for f16.
u32 half_of(f64 sum) {
  const u32 half = sum != sum ? 0x7fffu : narrow_half(sum, kNearest, false);
  return half == 0x8000u ? 0 : half;
}

void multiply_floats(char* frame, const Operands& o) {
  Lines a, b;
  f32 c[kMost][kMost];
  read_lines(frame, o.a, o.shape, a);
  read_lines(frame, o.b, o.shape, b);
  each_element(o.c, o.shape, [&](s32 slot, int l, int j, int line, int place) {
    c[line][place] = value_of(part_of(frame, slot, l, j, o.c.type == kF16 ? 16 : 32), o.c.type);
  });
  const int fraction = format_of(o.a.type).fraction;
  const int together = o.a.type == kTF32 && o.shape.n == 16 ? 4 : o.shape.k;  // that shape is wmma's
  each_element(o.d, o.shape, [&](s32 slot, int l, int j, int line, int place) {
    f32 before = c[line][place];
    f64 sum = 0;
    for (int k = 0; k < o.shape.k; k += together) {
      sum = add_products(a, line, b, place, k, k + together, fraction, before);
      before = truncate(sum);
    }
    if (o.d.type == kF32) {
      lanes<f32>(frame, slot)[l] = canonical(before);
      return;
    }
    const u32 half = o.c.type == kF32 ? to_f16(before) : half_of(sum);
    u32& pair = lanes<u32>(frame, slot)[l];
    pair = (pair & (0xffff0000u >> (16 * j))) | half << (16 * j);
  });
}

}  // namespace

bool whole_warp(Launch& launch, const Warp& warp, u32 mask, const Instruction& i) {
  if (mask == kAllLanes) return true;
  const u32 absent = warp.live & ~mask;
  launch.request->fault->detail = absent ? kNotAll : kShortWarp;
  fail(launch, kShuffle, i, warp, first_lane(absent ? absent : mask));
  return false;
}

void multiply_matrices(Launch& launch, Warp& warp, char* frame, u32 mask, const Instruction& i) {
  if (!mask || !whole_warp(launch, warp, mask, i)) return;
  const Operands o = operands_of(launch, i);
  switch (i.source_type) {
    case kS8:
    case kU8: return multiply_integers(frame, o, i);
    case kF64: return multiply_doubles(frame, o);
    default: return multiply_floats(frame, o);
  }
}

void pass_undefined_matrices(Launch& launch, Warp& warp, const Instruction& i) {
  struct Cause {
    bool is;
    s32 pc;
    u64 address;
  };
  const Operands o = operands_of(launch, i);
  Cause rows[kMost] = {}, columns[kMost] = {}, sums[kMost][kMost] = {};
  auto find = [&](const Listed& x, auto note) {
    each_element(x, o.shape, [&](s32 slot, int l, int, int line, int place) {
      Undefined value{};
      collect(warp, value, slot, 1u << l);
      if (value.mask) note(line, place) = {true, value.pc[l], value.address[l]};
    });
  };
  find(o.a, [&](int line, int) -> Cause& { return rows[line]; });
  find(o.b, [&](int line, int) -> Cause& { return columns[line]; });
  find(o.c, [&](int line, int place) -> Cause& { return sums[line][place]; });
  const int per = per_register(o.d.type);
  for (int r = 0; r < registers_of(kRoleSum, o.shape, per); r++) {
    Undefined value{};
    for (int l = 0; l < kLanes; l++) {
      const Element element = element_of(kRoleSum, o.shape, per, r, l);
      for (int j = 0; j < per; j++) {
        const Cause *row = &rows[element.line], *column = &columns[element.place + j];
        const Cause& cause = row->is ? *row : column->is ? *column : sums[element.line][element.place + j];
        if (!cause.is) continue;
        value.mask |= 1u << l;
        value.computed = true;
        value.pc[l] = cause.pc;
        value.address[l] = cause.address;
      }
    }
    assign(warp, o.d.slots[r], kAllLanes, value);
  }
}
