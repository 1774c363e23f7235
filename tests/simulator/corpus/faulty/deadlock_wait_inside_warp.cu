// Lane 0 waits for a value that lane 1 stores only behind a __syncwarp() that lane 0 has to reach.
// @fault deadlock, budget
// @launch grid=1, block=32
// @inout box = zeros(1, i32)
// @out y = empty(1, i32)
// @expect y = [5]
extern "C" __global__ void hand_over(int* box, int* y)
{
    int t = threadIdx.x, seen = 0;
    if (t == 0)
    {
        // fix: __syncwarp();
        do
            seen = *(volatile int*)box; // <- fault
        while (seen == 0); // <- other
    }
    else
    {
        __syncwarp(); // <- other
        if (t == 1)
            *(volatile int*)box = 5;
    }
    if (t == 0)
        y[0] = seen;
}
