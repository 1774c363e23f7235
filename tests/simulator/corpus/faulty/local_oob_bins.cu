// A private histogram of eight bins gets a value that falls into a ninth: the upper edge is inclusive.
// @fault out_of_bounds
// @says local
// @launch grid=1, block=8
// @in x = array([0, 10, 20, 30, 40, 60, 70, 80] * 8, i32)
// @out y = empty(8, i32)
extern "C" __global__ void busiest(int const* x, int* y)
{
    int bins[8] = {};
    for (int i = 0; i < 8; ++i)
    {
        int bin = x[threadIdx.x * 8 + i] / 10; // fix: int bin = min(x[threadIdx.x * 8 + i] / 10, 7);
        bins[bin] += 1; // <- fault
    }
    int best = 0;
    for (int b = 1; b < 8; ++b)
        best = bins[b] > bins[best] ? b : best;
    y[threadIdx.x] = best;
}
