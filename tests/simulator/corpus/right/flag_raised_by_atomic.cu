// A flag that many threads of many blocks raise is raised by an atomic.
// @launch grid=4, block=64
// @in x = normal(256)
// @inout found = zeros(1, i32)
// @expect found = [1]
extern "C" __global__ void any_large(float const* x, int* found)
{
    if (x[blockIdx.x * 64 + threadIdx.x] > 1.0f)
        atomicExch(found, 1);
}
