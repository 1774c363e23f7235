// from compute_75: the builtin atomics with their orders and scopes, on generic, global and shared memory.
__shared__ unsigned here[4];
__shared__ unsigned long long wide[4];
template <class T>
__device__ void all(T* p, T x) {
  p[0] += atomicAdd(p + 1, x), p[0] += atomicExch(p + 2, x);
}
template <class T>
__device__ void integer(T* p, T x) {
  p[0] += atomicAdd(p + 1, x), p[0] += atomicExch(p + 2, x), p[0] += atomicCAS(p + 3, x, p[5]);
  p[0] += atomicAnd(p + 1, x), p[0] += atomicOr(p + 2, x), p[0] += atomicXor(p + 3, x);
  p[0] += atomicMin(p + 1, x), p[0] += atomicMax(p + 2, x);
  atomicMin(p + 1, x), atomicMax(p + 1, x), atomicAnd(p + 1, x), atomicOr(p + 1, x), atomicXor(p + 1, x);
  atomicAdd_block(p + 1, x), atomicAdd_system(p + 1, x), p[0] += atomicCAS_system(p, x, x), atomicCAS_block(p, x, x);
}
extern "C" __global__ void on_integers(int* i, unsigned* u, unsigned long long* l, unsigned short* s) {
  integer(i, i[7]), integer(u, u[7]), integer(l, l[7]);
  u[0] += atomicInc(u + 1, 5) + atomicDec(u + 2, 6);
  atomicInc(u + 1, 5), atomicDec(u + 2, 6);
  i[0] += atomicSub(i + 1, 3), u[0] += atomicSub(u + 1, u[2]);
  s[0] += atomicCAS(s + 1, s[2], s[3]);
  integer(here, u[3]), integer(wide, l[3]);
  atomicMin((long long*)l, (long long)l[2]), atomicMax((long long*)l, (long long)l[2]);
}
extern "C" __global__ void on_floats(float* f, double* d) {
  all(f, f[7]);
  atomicAdd(f, 1.0f), atomicAdd(d, 1.0), atomicAdd_block(f, 1.0f), atomicAdd_system(d, 1.0);
  d[0] += atomicAdd(d + 1, 2.0);
  __shared__ float sum;
  __shared__ double total;
  atomicAdd(&sum, 1.0f), atomicAdd(&total, 1.0);
  f[1] = atomicAdd(&sum, f[1]);
}
#define BUILTIN(T)                                                                                              \
  extern "C" __global__ void builtin_##T(T* p, T x) {                                                           \
    __nv_atomic_store_n(p, x, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);                                   \
    p[0] = __nv_atomic_load_n(p + 1, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);                            \
    p[1] = __nv_atomic_load_n(p + 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);                             \
    p[2] = __nv_atomic_load_n(p + 1, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);                            \
    __nv_atomic_store_n(p, x, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);                                    \
    __nv_atomic_store_n(p, x, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);                                   \
    p[3] = __nv_atomic_exchange_n(p + 4, x, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);                     \
    p[4] = __nv_atomic_compare_exchange_n(p + 5, p + 6, x, false, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_RELAXED,     \
                                          __NV_THREAD_SCOPE_DEVICE);                                            \
    p[5] = __nv_atomic_fetch_add(p + 1, x, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK);                       \
    p[6] = __nv_atomic_fetch_sub(p + 1, x, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_SYSTEM);                      \
    __nv_atomic_add(p + 1, x, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);                                   \
    __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);                                    \
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_BLOCK);                                     \
    __nv_atomic_thread_fence(__NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_SYSTEM);                                    \
  }
BUILTIN(int)
BUILTIN(unsigned)
