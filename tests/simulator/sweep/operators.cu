// from compute_75: every operator of every arithmetic type, and every conversion between two of them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T>
__device__ void integer(T* p) {
  T x = p[0], y = p[1];
  p += 2;
  *p++ = x + y, *p++ = x - y, *p++ = x * y, *p++ = x / y, *p++ = x % y, *p++ = -x, *p++ = ~x, *p++ = !x;
  *p++ = x & y, *p++ = x | y, *p++ = x ^ y, *p++ = x << (y & 7), *p++ = x >> (y & 7);
  *p++ = x < y, *p++ = x <= y, *p++ = x == y, *p++ = x != y, *p++ = x && y, *p++ = x || y, *p++ = x > y ? x : y;
  *p++ = x * 7 + y, *p++ = x / 10, *p++ = x % 10, *p++ = x / 8, *p++ = x % 8, *p++ = x * y + p[40];
  p[0]++, p[1]--, p[2] += x, p[3] -= x, p[4] *= x, p[5] <<= 1, p[6] >>= 1, p[7] &= x, p[8] |= x, p[9] ^= x;
}

template <class T>
__device__ void real(T* p) {
  T x = p[0], y = p[1];
  p += 2;
  *p++ = x + y, *p++ = x - y, *p++ = x * y, *p++ = x / y, *p++ = -x, *p++ = x * y + p[40], *p++ = x * y - p[40];
  *p++ = T(x < y), *p++ = T(x <= y), *p++ = T(x == y), *p++ = T(x != y), *p++ = x > y ? x : y;
  *p++ = T(!(x < y)), *p++ = T(!(x >= y)), *p++ = T(x != x);
  p[0] += x, p[1] -= x, p[2] *= x, p[3] /= x;
}

template <class T>
__device__ void packed(T* p) {
  T x = p[0], y = p[1];
  p += 2;
  *p++ = x + y, *p++ = x - y, *p++ = x * y, *p++ = x / y, *p++ = -x, p[0]++, p[1]--;
  *p++ = (x < y) ? x : y, *p++ = (x == y) ? x : y, *p++ = (x >= y) ? y : x;
}

#define KERNEL(what, name, type) \
  extern "C" __global__ void name(type* p) { what(p); }
KERNEL(integer, of_s8, signed char)
KERNEL(integer, of_u8, unsigned char)
KERNEL(integer, of_s16, short)
KERNEL(integer, of_u16, unsigned short)
KERNEL(integer, of_s32, int)
KERNEL(integer, of_u32, unsigned)
KERNEL(integer, of_s64, long long)
KERNEL(integer, of_u64, unsigned long long)
#ifdef __CUDACC_RTC_INT128__
KERNEL(integer, of_s128, __int128)
KERNEL(integer, of_u128, unsigned __int128)
#endif
KERNEL(real, of_f16, __half)
KERNEL(real, of_bf16, __nv_bfloat16)
KERNEL(real, of_f32, float)
KERNEL(real, of_f64, double)
KERNEL(packed, of_f16x2, __half2)
KERNEL(packed, of_bf16x2, __nv_bfloat162)

extern "C" __global__ void of_bool(bool* p) {
  bool x = p[0], y = p[1];
  p[2] = x && y, p[3] = x || y, p[4] = x ^ y, p[5] = !x, p[6] = x & y, p[7] = x == y, p[8] = x < y;
}

template <class To, class From>
__device__ void convert(char*& to, const From* from) {
  *reinterpret_cast<To*>(to) = static_cast<To>(*from);
  to += 16;
}
template <class From>
__device__ void convert_all(char* to, const From* from) {
  convert<bool>(to, from), convert<signed char>(to, from), convert<unsigned char>(to, from);
  convert<short>(to, from), convert<unsigned short>(to, from), convert<int>(to, from), convert<unsigned>(to, from);
  convert<long long>(to, from), convert<unsigned long long>(to, from);
  convert<float>(to, from), convert<double>(to, from), convert<__half>(to, from), convert<__nv_bfloat16>(to, from);
}
#define CONVERT(name, type) \
  extern "C" __global__ void from_##name(char* to, const type* from) { convert_all(to, from); }
CONVERT(s8, signed char)
CONVERT(u8, unsigned char)
CONVERT(s16, short)
CONVERT(u16, unsigned short)
CONVERT(s32, int)
CONVERT(u32, unsigned)
CONVERT(s64, long long)
CONVERT(u64, unsigned long long)
CONVERT(f32, float)
CONVERT(f64, double)
extern "C" __global__ void from_f16(float* a, double* b, int* c, unsigned* d, short* e, const __half* from) {
  *a = *from, *b = (double)*from, *c = (int)*from, *d = (unsigned)*from, *e = (short)*from;
  c[1] = __half2int_rz(*from);
}
extern "C" __global__ void from_bf16(float* a, double* b, int* c, unsigned* d, short* e, const __nv_bfloat16* from) {
  *a = *from, *b = (double)(float)*from, *c = (int)*from, *d = (unsigned)*from, *e = (short)*from;
}

template <class T>
__device__ void vector(T* p) {
  T x = p[threadIdx.x];
  p[threadIdx.x + 32] = x;
}
#define VECTOR(type) \
  extern "C" __global__ void of_##type(type* p) { vector(p); }
VECTOR(char2) VECTOR(char3) VECTOR(char4) VECTOR(uchar4) VECTOR(short2) VECTOR(short3) VECTOR(short4) VECTOR(ushort4)
VECTOR(int2) VECTOR(int3) VECTOR(int4) VECTOR(uint4) VECTOR(long2) VECTOR(longlong2) VECTOR(ulonglong2)
VECTOR(longlong4_16a) VECTOR(float2) VECTOR(float3) VECTOR(float4) VECTOR(double2) VECTOR(double3) VECTOR(double4_32a)
