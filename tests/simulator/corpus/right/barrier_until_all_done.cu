// All threads go round the loop until the whole block is done: the vote is the barrier.
// @launch grid=2, block=48
// @in x = integers(96, 20)
// @out y = empty(96, i32)
// @expect y = x
extern "C" __global__ void count_down(int const* x, int* y)
{
    int i = blockIdx.x * 48 + threadIdx.x, left = x[i], rounds = 0;
    while (__syncthreads_or(left > 0))
    {
        rounds += left > 0;
        --left;
    }
    y[i] = rounds;
}
