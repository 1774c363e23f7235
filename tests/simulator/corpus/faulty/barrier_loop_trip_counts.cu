// A grid-stride loop holds a barrier, and the threads of a warp go round a different number of times.
// @fault barrier, deadlock
// @launch grid=1, block=64
// @in x = normal(100)
// @out y = empty(100)
// @inout rounds = zeros(64, i32)
// @scalar n = 100
extern "C" __global__ void neighbour(float const* x, float* y, int* rounds, int n)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    for (int i = t; i < n; i += 64) // fix: for (int i = t; i - t < n; i += 64)
    {
        s[t] = x[i]; // fix: s[t] = i < n ? x[i] : 0.0f;
        __syncthreads(); // <- fault
        y[i] = s[t ^ 1]; // fix: if (i < n) y[i] = s[t ^ 1];
        __syncthreads(); // <- other
        rounds[t] += 1;
    }
    __syncthreads(); // <- other
    s[t] = rounds[63 - t];
    __syncthreads(); // <- other
    rounds[t] += s[t] > 100.0f;
}
