// A ring of three tiles: the producer warp runs ahead of the consumer because there is a barrier in every second round
// only.
// @fault race, uninitialised_shared
// @launch grid=1, block=64
// @in x = integers(32 * 6, 100)
// @out y = empty(32, i32)
// @expect y = x.reshape(6, 32).sum(0)
extern "C" __global__ void stream(int const* x, int* y)
{
    __shared__ int ring[3][32];
    int lane = threadIdx.x % 32;
    bool producer = threadIdx.x < 32;
    int sum = 0;
    for (int k = 0; k < 6; ++k)
    {
        if (producer)
            ring[k % 3][lane] = x[k * 32 + lane]; // <- fault
        if (k % 2 == 0) // fix: ;
            __syncthreads();
        if (!producer)
            sum += ring[k % 3][lane]; // <- other
    }
    if (!producer)
        y[lane] = sum;
}
