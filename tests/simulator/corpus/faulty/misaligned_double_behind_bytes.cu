// Doubles are put right behind five bytes of flags in dynamic shared memory.
// @fault misaligned
// @launch grid=1, block=5, shared=64
// @in x = normal(5, f64)
// @out y = empty(5, f64)
// @expect y = x[::-1]
extern "C" __global__ void stage(double const* x, double* y)
{
    extern __shared__ __align__(8) char room[];
    char* flags = room;
    double* values = reinterpret_cast<double*>(room + 5); // fix: double* values = reinterpret_cast<double*>(room + 8);
    int t = threadIdx.x;
    flags[t] = 1;
    values[t] = x[t]; // <- fault
    __syncthreads();
    y[t] = flags[4 - t] ? values[4 - t] : 0.0;
}
