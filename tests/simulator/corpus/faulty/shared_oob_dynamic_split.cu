// Dynamic shared memory is split into keys and values, and the launch forgot the values.
// @fault shared_out_of_bounds
// @launch grid=1, block=64, shared=64 * 4
// @mended launch shared=64 * 8
// @in x = normal(64)
// @out y = empty(64)
// @out rank = empty(64, i32)
// @expect y = x
// @expect rank = arange(64)
extern "C" __global__ void stage(float const* x, float* y, int* rank)
{
    extern __shared__ float keys[];
    int* values = reinterpret_cast<int*>(keys + blockDim.x);
    int t = threadIdx.x;
    keys[t] = x[t];
    values[t] = t; // <- fault
    __syncthreads();
    y[t] = keys[t];
    rank[t] = values[t];
}
