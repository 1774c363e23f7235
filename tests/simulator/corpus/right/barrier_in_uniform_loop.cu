// A loop with a trip count read from memory, the same for the whole block, holds two barriers.
// @launch grid=3, block=64
// @in rounds = array([0, 1, 3], i32)
// @in x = integers(192, 100)
// @out y = empty(192, i32)
// @expect y = concatenate([roll(x.reshape(3, 64)[b], -r) for b, r in enumerate([0, 1, 3])])
extern "C" __global__ void rotate(int const* rounds, int const* x, int* y)
{
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = x[i];
    for (int k = 0; k < rounds[blockIdx.x]; ++k)
    {
        __syncthreads();
        int v = s[(t + 1) % 64];
        __syncthreads();
        s[t] = v;
    }
    y[i] = s[t];
}
