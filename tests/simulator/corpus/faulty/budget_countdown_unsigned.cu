// An unsigned counter counts down "while it is not negative".
// @fault budget
// @launch grid=1, block=32
// @in x = integers(32, 10)
// @inout y = zeros(32, i32)
extern "C" __global__ void suffix(int const* x, int* y)
{
    for (unsigned k = threadIdx.x; k >= 0; --k) // <- other // fix: for (int k = threadIdx.x; k >= 0; --k)
        atomicAdd(&y[k % 32], x[k % 32]); // <- fault
}
