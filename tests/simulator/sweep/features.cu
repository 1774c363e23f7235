// from compute_75: what the language has beyond arithmetic.

struct Small { char c; int i; double d; };
struct Large { int table[64]; Small small[3]; float4 four; };
struct Shape { __device__ virtual float area() const = 0; __device__ virtual ~Shape() {} };
struct Square : Shape { float side; __device__ float area() const override { return side * side; } };
struct Circle : Shape { float radius; __device__ float area() const override { return 3.14f * radius * radius; } };
union Either { float f; unsigned u; };

__constant__ float weights[32] = {1, 2, 3};
__constant__ int constant_table[4] = {10, 20, 30, 40};
__device__ int counter = 7;
__device__ float values[64];
__device__ float* pointer = values + 3;
__shared__ int outside[32];
__device__ int doubled(int x) { return 2 * x; }
__device__ int tripled(int x) { return 3 * x; }
typedef int (*Function)(int);
__device__ Function functions[] = {doubled, tripled};
__constant__ Function constant_functions[] = {tripled, doubled};

extern "C" __global__ void by_value(Large large, Small small, float* out, int i) {
  out[0] = large.table[i] + large.small[i % 3].d + large.four.y + small.i + small.c + small.d;
}
extern "C" __global__ void grid_constant(const __grid_constant__ Large large, const int** out, int i) {
  *out = &large.table[i];
}
extern "C" __global__ void variables(float* out, int i) {
  out[0] = weights[i] + constant_table[i & 3] + values[i] + *pointer;
  atomicAdd(&counter, 1);
  values[i] = outside[i];
  outside[i] = i;
}
extern "C" __global__ void through_pointers(int* out, int i, Function given) {
  out[0] = functions[i & 1](i);
  out[1] = constant_functions[i & 1](i);
  Function chosen = i > 3 ? doubled : tripled;
  out[2] = chosen(i);
}
extern "C" __global__ void virtuals(float* out, int i) {
  Square square;
  square.side = i;
  Circle circle;
  circle.radius = i;
  Shape* shape = i & 1 ? static_cast<Shape*>(&square) : &circle;
  out[0] = shape->area();
}
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ Small structure(Small s, Large* l) { s.i += l->table[s.c]; return s; }
__device__ __noinline__ float4 many(float a, double b, char c, short d, long long e, float4 f, bool g) {
  return make_float4(a + b, c + d, e, g ? f.x : f.w);
}
extern "C" __global__ void calls(int* out, Large* large, int n) {
  out[0] = fibonacci(n);
  Small s = {1, 2, 3.0};
  out[1] = structure(s, large).i;
  float4 f = many(n, n, n, n, n, make_float4(n, 1, 2, 3), n & 1);
  out[2] = f.x + f.y + f.z + f.w;
}
extern "C" __global__ void local_arrays(int* out, int n) {
  int a[64];
  char b[32];
  for (int k = 0; k < 64; k++) a[k] = k * n;
  for (int k = 0; k < 32; k++) b[k] = k * n;
  out[0] = a[n & 63] + b[n & 31];
}
extern "C" __global__ void switches(int* out, int n) {
  switch (n) {
    case 0: out[0] = doubled(out[9]); break;
    case 1: out[1] = 5; break;
    case 2: out[2] = n / out[3]; break;
    case 3: out[3] = 7; break;
    case 4: out[1] = out[7]; break;
    case 5: out[4] += 8; break;
    case 6: out[1] = n * 9; [[fallthrough]];
    default: out[5] = 3;
  }
}
template <class F>
__device__ int apply(F f, int x) { return f(x); }
extern "C" __global__ void lambdas(int* out, int n) {
  auto add = [n](int x) { return x + n; };
  out[0] = apply(add, 3) + apply([&](int x) { return out[x]; }, n);
  Either either;
  either.f = n;
  out[1] = either.u;
}
extern "C" __global__ void messages(int n, float f) {
  printf("%d %f %s %c %llu %p\n", n, f, "text", 'c', 1ull << 40, &counter);
  assert(n < 1000);
  if (n == 77) __trap();
  if (n == 78) __brkpt();
  __prof_trigger(3);
}
extern "C" __global__ void times(long long* out) {
  __nanosleep(20);
  out[0] = clock(), out[1] = clock64();
}
extern "C" __global__ void hints(int* out, int n) {
  if (__builtin_expect(n > 3, 1)) out[0] = 1;
  __builtin_assume(n < 100);
  int* aligned = static_cast<int*>(__builtin_assume_aligned(out, 16));
  aligned[0] = aligned[1] + aligned[2] + aligned[3];
  out[4] = __isGlobal(out) + 2 * __isShared(out) + 4 * __isConstant(out) + 8 * __isLocal(out);
  out[5] = __cvta_generic_to_shared(&outside[n]) + __cvta_generic_to_global(out) + __popc(n);
}
extern "C" __global__ void spaces(long long* out, int n) {
  int here[4] = {n, 1, 2, 3};
  int* mixed = n & 1 ? here : n & 2 ? outside : &counter;
  *mixed += 1;
  out[0] = *mixed;
  out[1] = atomicAdd(mixed, 1);
  volatile int* seen = outside;
  out[2] = seen[n];
  seen[n] = 3;
}
extern "C" __global__ void __launch_bounds__(256, 2) bounded(float* p) {
  extern __shared__ float dynamic[];
  dynamic[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = dynamic[threadIdx.x ^ 1];
#pragma unroll 4
  for (int k = 0; k < 100; k++) p[k] *= 2;
}
extern "C" __global__ void long_jumps(int* out, int n) {
again:
  out[n] = n;
  if (--n > 0) goto again;
  do {
    if (out[n] == 3) continue;
    while (out[n] > 5) {
      if (out[++n] == 9) break;
      if (out[n] == 11) return;
    }
  } while (n++ < 20);
}
