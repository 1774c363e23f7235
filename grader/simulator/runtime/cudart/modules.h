// What libraries register before main: fat binaries, kernels and variables. Nothing is sent until one is used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cudart.h"

namespace grader {

struct Module {
  const void* image;  // the fat binary, in the library that registered it
  uint64_t bytes;     // 0: it is none
  uint64_t number = 0;  // the device process's, once it has it
  bool managed = false;  // has __managed__ variables
};

struct Parameter {
  uint32_t offset, bytes;
};

struct Kernel {
  Module* module;
  std::string name;  // as in the PTX
  uint64_t number = 0;
  uint64_t shared = 0, local = 0;  // static bytes of a block, bytes of a thread
  uint64_t threads = 0;            // most of a block that __launch_bounds__ allows; 0: any
  std::vector<Parameter> parameters{};
  uint64_t parameter_bytes = 0;
  int most_dynamic = -1;  // cudaFuncAttributeMaxDynamicSharedMemorySize; -1: not set
};

struct Variable {
  Module* module;
  std::string name;
  uint64_t bytes;  // as the host code declares it
  uint64_t address = 0;
};

// The kernel behind a host function's address, a cudaKernel_t or a cudaFunction_t; null for anything else.
Kernel* find_kernel(const void* function);

// The variable behind the address of its shadow in the host code.
Variable* find_variable(const void* symbol);

// Asks the device process for what is not known yet. An error is not kept: the next use asks again.
cudaError_t resolve(Kernel& kernel);
cudaError_t resolve(Variable& variable);

// After cudaDeviceReset: the device process has none of it any more.
void forget_what_is_loaded();

}  // namespace grader
