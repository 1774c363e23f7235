#include "operations.h"

static const char* const kOpNames[] = {
#define UNARY(name, ...) #name,
#define BINARY(name, ...) #name,
#define TERNARY(name, ...) #name,
#define SLOW1(name, ...) #name,
#define SLOW2(name, ...) #name,
#define SLOW3(name, ...) #name,
#define CONTROL(name) #name,
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

extern "C" const char* simulator_op_name(int op) {
  return op < static_cast<int>(sizeof kOpNames / sizeof *kOpNames) ? kOpNames[op] : nullptr;
}
