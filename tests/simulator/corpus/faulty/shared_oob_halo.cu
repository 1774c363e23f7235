// A tile has room for the block but not for its halo of one element.
// @fault shared_out_of_bounds
// @launch grid=1, block=128
// @in x = normal(129)
// @out y = empty(128)
// @expect y = x[1:] - x[:-1]
extern "C" __global__ void difference(float const* x, float* y)
{
    __shared__ float tile[128]; // fix: __shared__ float tile[129];
    int t = threadIdx.x;
    tile[t] = x[t];
    if (t == 127)
        tile[t + 1] = x[t + 1]; // <- fault
    __syncthreads();
    y[t] = tile[t + 1] - tile[t]; // <- other
}
