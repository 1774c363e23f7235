// The k best are found by sorting the input itself.
// @fault read_only
// @buffer x
// @launch grid=1, block=1
// @in x = permutation(16)
// @out y = empty(4, i32)
// @mended inout x = permutation(16)
// @expect y = [15, 14, 13, 12]
extern "C" __global__ void best(int* x, int* y)
{
    for (int k = 0; k < 4; ++k)
    {
        for (int i = k + 1; i < 16; ++i)
            if (x[i] > x[k])
            {
                int v = x[i];
                x[i] = x[k]; // <- fault
                x[k] = v; // <- other
            }
        y[k] = x[k];
    }
}
