// A kernel with an optional second output writes to it although it was not asked for.
// @fault null_pointer
// @says writes
// @launch grid=1, block=32
// @in x = normal(32)
// @out y = empty(32)
// @scalar indices = 0
// @expect y = x
extern "C" __global__ void with_indices(float const* x, float* y, int* indices)
{
    int t = threadIdx.x;
    y[t] = x[t];
    indices[t] = t; // <- fault // fix: if (indices) indices[t] = t;
}
