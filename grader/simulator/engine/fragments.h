// Which elements of a matrix each lane of a warp holds in which of its registers.
//
// A multiplies m lines of k numbers with B's n columns of k numbers. So A and B have *lines* along k, the sums (C and
// D) lines along n; a *place* is an index in a line. Registers of 32 bits hold neighbours in a line. For `mma` this is
// the layout of the PTX ISA 9.0 ("Matrix Fragments for mma.m16n8k*"), which is one and the same rule for all types.
// For `wmma` the ISA leaves it open: here a fragment is a row or a column of such mma tiles, as in the machine code
// that ptxas 13.0 makes for sm_80 and sm_90. There, m8n32k16 is m32n8k16 with A and B exchanged (decode/matrix.py).
#pragma once
#include "abi.h"

struct Shape {
  int m, n, k;
};

enum Role : s32 { kRoleA = 0, kRoleB, kRoleSum };

struct Element {
  int line, place;
};

inline Shape shape_of(s32 packed) { return {packed & 255, packed >> 8 & 255, packed >> 16}; }

// The registers that one copy of a fragment needs; `wmma` names f16 fragments with more, which repeat them.
inline int registers_of(Role role, Shape s, int per_register) {
  int elements = role == kRoleA ? s.m * s.k : role == kRoleB ? s.n * s.k : s.m * s.n;
  return elements / 32 / per_register;
}

// The place of the first element of register r in a lane; its others follow in the line.
inline Element element_of(Role role, Shape s, int per_register, int r, int lane) {
  const int group = lane >> 2, member = lane & 3;
  const int halves = s.m >= 16 ? 2 : 1;  // a tile has 8 or 16 rows
  const int width = 4 * per_register;    // places that the registers of one group cover
  if (role == kRoleSum) {
    const int element = r * per_register, tile = element / (2 * halves), q = element % (2 * halves);
    const int across = s.n / 8;
    return {tile / across * 16 + 8 * (q >> 1) + group, tile % across * 8 + 2 * member + (q & 1)};
  }
  const int parts = role == kRoleA ? halves : 1, registers = parts * (s.k / width);
  const int tile = r / registers, q = r % registers;
  return {tile * 8 * parts + q % parts * 8 + group, q / parts * width + member * per_register};
}
