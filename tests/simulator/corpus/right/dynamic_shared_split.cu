// Dynamic shared memory holds doubles, ints and bytes behind each other, each aligned.
// @launch grid=2, block=48, shared=48 * 13
// @in x = normal(96, f64)
// @out y = empty(96, f64)
// @close 1e-12
// @expect y = (x.reshape(2, 48)[:, ::-1] * arange(48)[::-1] + (x.reshape(2, 48)[:, ::-1] > 0)).ravel()
extern "C" __global__ void split(double const* x, double* y)
{
    extern __shared__ __align__(16) unsigned char room[];
    double* values = reinterpret_cast<double*>(room);
    int* ranks = reinterpret_cast<int*>(values + blockDim.x);
    unsigned char* signs = reinterpret_cast<unsigned char*>(ranks + blockDim.x);
    int t = threadIdx.x, i = blockIdx.x * 48 + t;
    values[t] = x[i];
    ranks[t] = t;
    signs[t] = x[i] > 0.0;
    __syncthreads();
    int o = 47 - t;
    y[i] = values[o] * ranks[o] + signs[o];
}
