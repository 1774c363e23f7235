// Every function that the real libraries export is here, so that whatever calls one loads. Those that other files
// define replace these weak ones; the rest say that they are not simulated.
//
// None of CUDA's headers is included: a stub has no parameters, and what callers pass stays untouched in registers and
// on their stack, as the calling conventions of x86-64 and of AArch64 allow.
namespace grader {
int refuse(unsigned function);
}

#include "functions.h"

#define FUNCTION(name)                                              \
  extern "C" __attribute__((weak, visibility("default"))) int name() { \
    return grader::refuse(static_cast<unsigned>(grader::Function::name)); \
  }
#include "functions.inc"
