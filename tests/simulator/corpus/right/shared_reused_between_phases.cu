// One shared array is a tile of floats, then counters of bytes, with barriers between the phases.
// @launch grid=1, block=64
// @in x = normal(64)
// @out y = empty(64)
// @out positive = empty(1, i32)
// @expect y = x[::-1]
// @expect positive = [(x > 0).sum()]
extern "C" __global__ void phases(float const* x, float* y, int* positive)
{
    __shared__ __align__(16) unsigned char room[256];
    int t = threadIdx.x;
    float* tile = reinterpret_cast<float*>(room);
    tile[t] = x[t];
    __syncthreads();
    y[t] = tile[63 - t];
    __syncthreads();
    room[t] = x[t] > 0.0f;
    __syncthreads();
    if (t == 0)
    {
        int sum = 0;
        for (int k = 0; k < 64; ++k)
            sum += room[k];
        *positive = sum;
    }
}
