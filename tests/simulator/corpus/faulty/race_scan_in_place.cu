// A Hillis-Steele scan adds in place, with a barrier a step where it needs two.
// @fault race
// @launch grid=1, block=64
// @in x = integers(64, 100)
// @out y = empty(64, i32)
// @expect y = cumsum(x)
extern "C" __global__ void scan(int const* x, int* y)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2)
    {
        int left = t >= d ? s[t - d] : 0; // <- fault
        // fix: __syncthreads();
        s[t] += left; // <- other
        __syncthreads();
    }
    y[t] = s[t];
}
