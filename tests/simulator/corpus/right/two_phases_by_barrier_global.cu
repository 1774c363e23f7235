// Threads of one block exchange through global memory with a barrier between.
// @launch grid=2, block=64
// @in x = integers(128, 100)
// @out scratch = empty(128, i32)
// @out y = empty(128, i32)
// @expect y = x.reshape(2, 64)[:, ::-1].ravel() + 1
extern "C" __global__ void reverse(int const* x, int* scratch, int* y)
{
    int t = threadIdx.x, base = blockIdx.x * 64;
    scratch[base + t] = x[base + t] + 1;
    __syncthreads();
    y[base + t] = scratch[base + 63 - t];
}
