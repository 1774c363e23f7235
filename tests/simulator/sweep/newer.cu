// from compute_90: what the architecture of the H200 adds.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void vectors(float2* a, float4* b, __half2* h, __nv_bfloat162* g, __nv_bfloat16* k, __half* m) {
  a[1] = atomicAdd(a, a[2]), b[1] = atomicAdd(b, b[2]), h[1] = atomicAdd(h, h[2]), g[1] = atomicAdd(g, g[2]);
  atomicAdd(a, a[2]), atomicAdd(b, b[2]), atomicAdd(h, h[2]), atomicAdd(g, g[2]), atomicAdd(k, k[1]), atomicAdd(m, m[1]);
  k[2] = atomicAdd(k, k[1]), m[2] = atomicAdd(m, m[1]);
  unsigned long long x[2] = {1, 2};
  atomicExch((float4*)b, b[3]);
}
