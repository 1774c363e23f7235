// Lane 0 hands values to lane 1 through a volatile mailbox with a flag each way: both lanes must make progress.
// @launch grid=1, block=32
// @in x = integers(8, 100, 1)
// @inout box = zeros(2, i32)
// @out y = empty(1, i32)
// @expect y = [x.sum()]
extern "C" __global__ void mailbox(int const* x, volatile int* box, int* y)
{
    if (threadIdx.x == 0)
    {
        for (int k = 0; k < 8; ++k)
        {
            while (box[1] != 0)
            {
            }
            box[0] = x[k];
            __threadfence();
            box[1] = 1;
        }
    }
    else if (threadIdx.x == 1)
    {
        int sum = 0;
        for (int k = 0; k < 8; ++k)
        {
            while (box[1] != 1)
            {
            }
            __threadfence();
            sum += box[0];
            __threadfence();
            box[1] = 0;
        }
        y[0] = sum;
    }
}
