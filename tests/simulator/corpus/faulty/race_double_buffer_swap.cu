// Two tiles take turns, and the only barrier stands before the store instead of behind it: a tile is read half written.
// @fault race, uninitialised_shared
// @launch grid=1, block=64
// @in x = integers(512, 100)
// @out y = empty(64, i32)
// @expect y = x.reshape(8, 64)[:, ::-1].sum(0)
extern "C" __global__ void rolling(int const* x, int* y)
{
    __shared__ int tile[2][64];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 8; ++k)
    {
        __syncthreads();
        tile[k & 1][t] = x[k * 64 + t]; // <- other
        // fix: __syncthreads();
        sum += tile[k & 1][63 - t]; // <- fault
    }
    y[t] = sum;
}
