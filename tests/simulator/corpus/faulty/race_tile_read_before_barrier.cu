// Each thread reads another thread's element of the tile straight after its own store.
// @fault race, uninitialised_shared
// @launch grid=4, block=128
// @in x = normal(512)
// @out y = empty(512)
// @expect y = x.reshape(4, 128)[:, ::-1].ravel()
extern "C" __global__ void reverse(float const* x, float* y)
{
    __shared__ float tile[128];
    int t = threadIdx.x, base = blockIdx.x * 128;
    tile[t] = x[base + t]; // <- other
    // fix: __syncthreads();
    y[base + t] = tile[127 - t]; // <- fault
}
