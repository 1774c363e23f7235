#include "modules.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "call.h"

namespace grader {
namespace {

std::recursive_mutex& mutex = *new std::recursive_mutex;
auto& modules = *new std::map<void**, std::unique_ptr<Module>>;  // by the handle that the library got
auto& kernels = *new std::map<const void*, std::unique_ptr<Kernel>>;
auto& variables = *new std::map<const void*, std::unique_ptr<Variable>>;

// What nvcc's code registers (fatbinary_section.h), and the start of what it points to.
struct Wrapper {
  static constexpr uint32_t MAGIC = 0x466243b1;
  uint32_t magic, version;
  const void* data;
};
struct FatBinary {
  static constexpr uint32_t MAGIC = 0xba55ed50;
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t bytes;  // after the header
};

uint64_t bytes_of(const void* image) {
  FatBinary start;
  memcpy(&start, image, sizeof start);
  return start.magic == FatBinary::MAGIC ? start.header_bytes + start.bytes : 0;
}

Module* find(void** handle) {
  const auto found = modules.find(handle);
  return found == modules.end() ? nullptr : found->second.get();
}

template <class Things>
void drop(Things& things, const Module* module) {
  for (auto at = things.begin(); at != things.end();)
    at = at->second->module == module ? things.erase(at) : std::next(at);
}

// Asks in no function's name, and as if it had not: what CUDA does at the first use of something is not the call that
// uses it.
Answer ask_apart(Call call, std::array<uint64_t, 8> arguments, Bytes payload) {
  Thread& own = thread();
  const Function function = std::exchange(own.function, Function::none);
  const bool asked = own.asked;
  Answer answer = ask(call, arguments, payload);
  own.function = function;
  own.asked = asked;
  return answer;
}

cudaError_t load(Module& module) {
  if (module.number) return cudaSuccess;
  if (!module.bytes) return cudaErrorInvalidKernelImage;
  const Answer answer = ask_apart(Call::MODULE, {}, {module.image, module.bytes});
  if (answer.status == cudaSuccess) module.number = answer.values[0];
  return answer.status;
}

}  // namespace

Kernel* find_kernel(const void* function) {
  const std::lock_guard lock(mutex);
  if (const auto found = kernels.find(function); found != kernels.end()) return found->second.get();
  for (const auto& [key, kernel] : kernels)
    if (kernel.get() == function) return kernel.get();
  return nullptr;
}

Variable* find_variable(const void* symbol) {
  const std::lock_guard lock(mutex);
  const auto found = variables.find(symbol);
  return found == variables.end() ? nullptr : found->second.get();
}

cudaError_t resolve(Kernel& kernel) {
  const std::lock_guard lock(mutex);
  if (kernel.number) return cudaSuccess;
  if (const cudaError_t status = load(*kernel.module)) return status;
  const Answer answer = ask_apart(Call::KERNEL, {kernel.module->number}, {kernel.name.data(), kernel.name.size()});
  if (answer.status != cudaSuccess) return answer.status;
  kernel.parameters.resize(answer.payload.size() / sizeof(Parameter));
  memcpy(kernel.parameters.data(), answer.payload.data(), kernel.parameters.size() * sizeof(Parameter));
  kernel.parameter_bytes = 0;
  for (const auto [offset, bytes] : kernel.parameters)
    kernel.parameter_bytes = std::max<uint64_t>(kernel.parameter_bytes, uint64_t{offset} + bytes);
  kernel.number = answer.values[0];
  kernel.shared = answer.values[1], kernel.local = answer.values[2], kernel.threads = answer.values[3];
  return cudaSuccess;
}

cudaError_t resolve(Variable& variable) {
  const std::lock_guard lock(mutex);
  if (variable.address) return cudaSuccess;
  if (const cudaError_t status = load(*variable.module)) return status;
  const std::string& name = variable.name;
  const Answer answer = ask_apart(Call::VARIABLE, {variable.module->number}, {name.data(), name.size()});
  if (answer.status != cudaSuccess) return answer.status;
  variable.address = answer.values[0];
  variable.bytes = answer.values[1];
  return cudaSuccess;
}

void forget_what_is_loaded() {
  const std::lock_guard lock(mutex);
  for (auto& [handle, module] : modules) module->number = 0;
  for (auto& [function, kernel] : kernels) kernel->number = 0, kernel->most_dynamic = -1;
  for (auto& [symbol, variable] : variables) variable->address = 0;
}

}  // namespace grader

using namespace grader;

EXPORTED void** __cudaRegisterFatBinary(void* description) {
  Wrapper wrapper{};
  memcpy(&wrapper, description, sizeof wrapper);
  auto module = std::make_unique<Module>(Module{wrapper.data, 0});
  if (wrapper.magic == Wrapper::MAGIC) module->bytes = bytes_of(wrapper.data);
  const std::lock_guard lock(mutex);
  auto** handle = reinterpret_cast<void**>(module.get());
  modules[handle] = std::move(module);
  return handle;
}

EXPORTED void __cudaRegisterFatBinaryEnd(void**) {}

EXPORTED void __cudaUnregisterFatBinary(void** handle) {
  uint64_t number;
  {
    const std::lock_guard lock(mutex);
    Module* module = find(handle);
    if (!module) return;
    number = module->number;
    drop(kernels, module);
    drop(variables, module);
    modules.erase(handle);
  }
  if (number && connection() == cudaSuccess) ask(Call::MODULE_FREE, {number});
}

EXPORTED void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* name, int, uint3*,
                                     uint3*, dim3*, dim3*, int*) {
  const std::lock_guard lock(mutex);
  if (Module* module = find(handle)) kernels[host_function] = std::make_unique<Kernel>(Kernel{module, name});
}

EXPORTED void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int, size_t bytes, int, int) {
  const std::lock_guard lock(mutex);
  if (Module* module = find(handle)) variables[shadow] = std::make_unique<Variable>(Variable{module, name, bytes});
}

EXPORTED void __cudaRegisterManagedVar(void** handle, void**, char*, const char*, int, size_t, int, int) {
  const std::lock_guard lock(mutex);
  if (Module* module = find(handle)) module->managed = true;
}

// Called before a kernel of a module with __managed__ variables is used for the first time, or one of them.
EXPORTED char __cudaInitModule(void** handle) {
  const std::lock_guard lock(mutex);
  const Module* module = find(handle);
  if (module && module->managed) api(Function::__cudaRegisterManagedVar, [] { return not_simulated(); });
  return 1;
}
