// The number of each operation; their names, by which the decoder knows them, are in operations.cpp.
#pragma once
#include "abi.h"

enum Op : s32 {
#define UNARY(name, ...) OP_##name,
#define BINARY(name, ...) OP_##name,
#define TERNARY(name, ...) OP_##name,
#define SLOW1(name, ...) OP_##name,
#define SLOW2(name, ...) OP_##name,
#define SLOW3(name, ...) OP_##name,
#define CONTROL(name) OP_##name,
#include "control.inc"
#include "ops.inc"
#undef UNARY
#undef BINARY
#undef TERNARY
#undef SLOW1
#undef SLOW2
#undef SLOW3
#undef CONTROL
};
