// A binary search whose interval stops shrinking at one element.
// @fault budget
// @launch grid=1, block=32
// @in x = arange(100, dtype=i32)
// @out y = empty(32, i32)
// @expect y = arange(32) * 3
extern "C" __global__ void search(int const* x, int* y)
{
    int key = 3 * threadIdx.x, low = 0, high = 100;
    while (high - low > 1)
    {
        int middle = (low + high) / 2; // <- fault
        if (x[middle] <= key) // <- other
            low = middle; // <- other
        else
            high = middle + 1; // <- other // fix: high = middle;
    }
    y[threadIdx.x] = low;
}
