// Launches: <<<...>>> as CUDA 13 and CUDA 12 compile it, and the functions that are called by name.
#include <cstring>

#include "addresses.h"
#include "call.h"
#include "modules.h"

namespace grader {
namespace {

constexpr uint64_t COOPERATIVE = 1;

// The arguments as one block: `pointers[i]` points to the i-th.
cudaError_t pack(const Kernel& kernel, void** pointers, std::vector<std::byte>& block) {
  if (!kernel.parameters.empty() && !pointers) return cudaErrorInvalidValue;
  block.assign(kernel.parameter_bytes, std::byte{0});
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    if (!pointers[i]) return cudaErrorInvalidValue;
    memcpy(block.data() + kernel.parameters[i].offset, pointers[i], kernel.parameters[i].bytes);
  }
  return cudaSuccess;
}

uint64_t pair(uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; }

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** pointers, size_t shared, cudaStream_t stream,
                   uint64_t flags = 0) {
  Kernel* kernel = find_kernel(function);
  if (!kernel) return cudaErrorInvalidResourceHandle;  // as CUDA 13.0, which takes it for a cudaKernel_t
  if (const cudaError_t status = resolve(*kernel)) return status;
  if (shared > UINT32_MAX) return cudaErrorInvalidValue;
  std::vector<std::byte> arguments;
  if (const cudaError_t status = pack(*kernel, pointers, arguments)) return status;
  const auto most = static_cast<uint32_t>(std::max(kernel->most_dynamic, 0));
  return ask(Call::LAUNCH,
             {kernel->number, pair(grid.x, grid.y), pair(grid.z, block.x), pair(block.y, block.z),
              pair(static_cast<uint32_t>(shared), most), stream_of(stream), flags},
             {arguments.data(), arguments.size()})
      .status;
}

// Flags for the attributes of an extensible launch. What changes nothing here is passed over: priorities, and hints
// about caches and memory domains.
cudaError_t flags_of(const cudaLaunchConfig_t& config, uint64_t& flags) {
  if (config.numAttrs && !config.attrs) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    switch (attribute.id) {
      case cudaLaunchAttributeCooperative:
        if (attribute.val.cooperative) flags |= COOPERATIVE;
        break;
      case cudaLaunchAttributeClusterDimension: {
        const auto& cluster = attribute.val.clusterDim;
        if (cluster.x != 1 || cluster.y != 1 || cluster.z != 1) return not_simulated();
        break;
      }
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributePriority:
      case cudaLaunchAttributeAccessPolicyWindow:
      case cudaLaunchAttributeMemSyncDomain:
      case cudaLaunchAttributeMemSyncDomainMap:
      case cudaLaunchAttributePreferredSharedMemoryCarveout:
        break;
      default:
        return not_simulated();
    }
  }
  return cudaSuccess;
}

cudaError_t launch(const cudaLaunchConfig_t* config, const void* function, void** pointers, cudaStream_t stream) {
  uint64_t flags = 0;
  if (const cudaError_t status = flags_of(*config, flags)) return status;
  return launch(function, config->gridDim, config->blockDim, pointers, config->dynamicSmemBytes, stream, flags);
}

cudaError_t handle_of(void** handle, const void* function) {
  if (!handle) return cudaErrorInvalidValue;
  *handle = find_kernel(function);
  return *handle ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

}  // namespace
}  // namespace grader

using namespace grader;

EXPORTED unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream_st* stream) {
  thread().pushed.push_back({grid, block, shared, stream});
  return 0;
}

EXPORTED cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  auto& pushed = thread().pushed;
  if (pushed.empty()) return cudaErrorMissingConfiguration;
  *grid = pushed.back().grid, *block = pushed.back().block, *shared = pushed.back().shared;
  *static_cast<cudaStream_t*>(stream) = pushed.back().stream;
  pushed.pop_back();
  return cudaSuccess;
}

// In CUDA 13 a stub asks once for its kernel's handle, and launches by it. It ignores what the launch returns: the
// status is the thread's last error.
EXPORTED cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* function) {
  return handle_of(reinterpret_cast<void**>(handle), function);
}

EXPORTED cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                        cudaStream_t stream) {
  return api(Function::__cudaLaunchKernel, [&] { return launch(kernel, grid, block, arguments, shared, stream); });
}

EXPORTED cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                             size_t shared, cudaStream_t stream) {
  return api(Function::__cudaLaunchKernel_ptsz,
             [&] { return launch(kernel, grid, block, arguments, shared, own_stream(stream)); });
}

EXPORTED cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                                      cudaStream_t stream) {
  return api(Function::cudaLaunchKernel, [&] { return launch(function, grid, block, arguments, shared, stream); });
}

PER_THREAD(cudaLaunchKernel, _ptsz);
cudaError_t cudaLaunchKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                                  cudaStream_t stream) {
  return api(Function::cudaLaunchKernel_ptsz,
             [&] { return launch(function, grid, block, arguments, shared, own_stream(stream)); });
}

EXPORTED cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                                 size_t shared, cudaStream_t stream) {
  return api(Function::cudaLaunchCooperativeKernel,
             [&] { return launch(function, grid, block, arguments, shared, stream, COOPERATIVE); });
}

PER_THREAD(cudaLaunchCooperativeKernel, _ptsz);
cudaError_t cudaLaunchCooperativeKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments,
                                             size_t shared, cudaStream_t stream) {
  return api(Function::cudaLaunchCooperativeKernel_ptsz,
             [&] { return launch(function, grid, block, arguments, shared, own_stream(stream), COOPERATIVE); });
}

EXPORTED cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  return api(Function::cudaLaunchKernelExC, [&] {
    return config ? launch(config, function, arguments, config->stream) : cudaErrorInvalidValue;
  });
}

PER_THREAD(cudaLaunchKernelExC, _ptsz);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  return api(Function::cudaLaunchKernelExC_ptsz, [&] {
    return config ? launch(config, function, arguments, own_stream(config->stream)) : cudaErrorInvalidValue;
  });
}

EXPORTED cudaError_t cudaGetFuncBySymbol(cudaFunction_t* handle, const void* function) {
  return api(Function::cudaGetFuncBySymbol, [&] { return handle_of(reinterpret_cast<void**>(handle), function); });
}

EXPORTED cudaError_t cudaGetKernel(cudaKernel_t* handle, const void* function) {
  return api(Function::cudaGetKernel, [&] { return handle_of(reinterpret_cast<void**>(handle), function); });
}
