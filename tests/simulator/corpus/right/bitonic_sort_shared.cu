// A bitonic sort in shared memory: in every step each pair is touched by one thread only.
// @launch grid=1, block=64
// @inout x = permutation(64)
// @expect x = arange(64)
extern "C" __global__ void sort(int* x)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    for (int k = 2; k <= 64; k *= 2)
        for (int d = k / 2; d > 0; d /= 2)
        {
            __syncthreads();
            int o = t ^ d;
            if (o > t && (s[t] > s[o]) == ((t & k) == 0))
            {
                int v = s[t];
                s[t] = s[o];
                s[o] = v;
            }
        }
    __syncthreads();
    x[t] = s[t];
}
