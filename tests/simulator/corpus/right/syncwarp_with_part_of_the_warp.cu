// Lanes exchange through shared memory between two __syncwarp() calls inside a branch that some lanes do not take.
// @launch grid=1, block=32
// @in x = integers(32, 100)
// @out y = empty(32, i32)
// @expect y = concatenate([x[:8][::-1], -x[8:]])
extern "C" __global__ void reverse_eight(int const* x, int* y)
{
    __shared__ int s[8];
    int t = threadIdx.x;
    if (t < 8)
    {
        s[t] = x[t];
        __syncwarp(0xffu);
        y[t] = s[7 - t];
    }
    else
        y[t] = -x[t];
}
