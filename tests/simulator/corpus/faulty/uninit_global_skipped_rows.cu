// Rows of length zero are skipped when the row maxima are written, and read all the same when they are added.
// @fault uninitialised_global
// @buffer maxima
// @launch grid=1, block=32
// @in length = array([3, 0, 2, 4] * 8, i32)
// @out maxima = empty(32, i32)
// @inout y = zeros(1, i32)
// @expect y = length.sum()
extern "C" __global__ void add_maxima(int const* length, int* maxima, int* y)
{
    int r = threadIdx.x;
    if (length[r] > 0) // fix: ;
        maxima[r] = length[r];
    __syncthreads();
    int v = maxima[31 - r]; // <- fault
    atomicAdd(y, v); // <- other
}
