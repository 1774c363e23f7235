// Every thread reads its input before the barrier and writes one place further on after it, in the same buffer.
// @launch grid=1, block=64
// @inout x = arange(65, dtype=i32)
// @expect x = concatenate([[0], arange(64)])
extern "C" __global__ void shift(int* x)
{
    int v = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x + 1] = v;
}
