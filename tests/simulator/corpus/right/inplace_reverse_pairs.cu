// An array is reversed in place: each thread swaps one pair that no other thread touches.
// @launch grid=2, block=32
// @inout x = arange(101, dtype=i32)
// @scalar n = 101
// @expect x = arange(101)[::-1]
extern "C" __global__ void reverse(int* x, int n)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i < n / 2)
    {
        int v = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = v;
    }
}
