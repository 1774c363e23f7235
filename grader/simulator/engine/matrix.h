// What tensor cores do: mma and wmma, and the loads and stores of their fragments. All 32 lanes take part.
#pragma once
#include "fragments.h"
#include "state.h"

// Bits of Instruction::flags. `crossed`: lines (see fragments.h) do not lie along the memory.
enum MatrixFlag : s32 { kSignedA = 1, kSignedB = 2, kSaturate = 4, kCrossed = 8 };

// A Type of convert.h that only matrix instructions know: the upper 19 bits of an f32.
constexpr s32 kTF32 = 12;

// mma and wmma.mma. i.mode the shape, i.type the type of D, i.source_type of A and B, i.vector of C; i.values says
// where in `lists` the registers of D, A, B and C are listed.
void multiply_matrices(Launch&, Warp&, char* frame, u32 mask, const Instruction&);

// Sums into which an undefined value goes are undefined.
void pass_undefined_matrices(Launch&, Warp&, const Instruction&);

// wmma.load and wmma.store: i.a + i.immediate the address, i.e the stride in elements, i.mode the shape, i.type the
// elements' type, i.source_type the role; i.values[0] where i.values[1] registers are listed.
void move_fragment(Launch&, Warp&, char* frame, u32 mask, const Instruction&, bool store);

// ldmatrix and stmatrix: lane l names the address of row l; i.mode 8x8 matrices, transposed if kCrossed.
void move_rows(Launch&, Warp&, char* frame, u32 mask, const Instruction&, bool store);

// movmatrix: transposes one 8x8 matrix of 16-bit elements.
void transpose_matrix(Launch&, Warp&, char* frame, u32 mask, const Instruction&);

// False, and a fault, where not all lanes of the warp are here.
bool whole_warp(Launch&, const Warp&, u32 mask, const Instruction&);
