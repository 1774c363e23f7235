// The block counts by a barrier that votes.
// @launch grid=3, block=70
// @in x = normal(210)
// @out y = empty(3, i32)
// @expect y = (x.reshape(3, 70) > 0).sum(1)
extern "C" __global__ void count_positive(float const* x, int* y)
{
    int n = __syncthreads_count(x[blockIdx.x * 70 + threadIdx.x] > 0.0f);
    if (threadIdx.x == 0)
        y[blockIdx.x] = n;
}
