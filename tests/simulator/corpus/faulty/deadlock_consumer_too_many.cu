// The consumer waits for five tiles, and the producer makes four.
// @fault deadlock
// @launch grid=1, block=64
// @in x = integers(128, 100)
// @out y = empty(32, i32)
// @expect y = x.reshape(4, 32).sum(0)
extern "C" __global__ void stream(int const* x, int* y)
{
    __shared__ int tile[2][32];
    int lane = threadIdx.x % 32, sum = 0;
    if (threadIdx.x < 32)
    {
        for (int k = 0; k < 4; ++k)
        {
            tile[k & 1][lane] = x[k * 32 + lane];
            asm volatile("bar.sync 1, 64;" ::: "memory");
        }
        return;
    }
    for (int k = 0; k < 5; ++k) // fix: for (int k = 0; k < 4; ++k)
    {
        asm volatile("bar.sync 1, 64;" ::: "memory"); // <- fault
        sum += tile[k & 1][lane];
    }
    y[lane] = sum;
}
