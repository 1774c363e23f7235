// The running maximum is raised by atomics, and the first thread of each block resets it with a plain store.
// @fault race
// @buffer best
// @launch grid=4, block=32
// @in x = integers(128, 1000)
// @inout best = zeros(1, i32)
// @expect best = [x.max()]
extern "C" __global__ void maximum(int const* x, int* best)
{
    if (threadIdx.x == 0) // fix: ;
        *best = 0; // <- other // fix: ;
    __syncthreads();
    atomicMax(best, x[blockIdx.x * 32 + threadIdx.x]); // <- fault
}
