// The gradient of PReLU's slope is added up by all threads with a plain +=.
// @fault race
// @says atomic
// @buffer dslope
// @launch grid=2, block=64
// @in x = integers(128, 10, -10)
// @in dy = integers(128, 10, seed=3)
// @out dx = empty(128, i32)
// @inout dslope = zeros(1, i32)
// @expect dslope = [(dy * minimum(x, 0)).sum()]
extern "C" __global__ void prelu_backward(int const* x, int const* dy, int* dx, int* dslope)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    dx[i] = x[i] > 0 ? dy[i] : 2 * dy[i];
    if (x[i] < 0)
        *dslope += dy[i] * x[i]; // <- fault // fix: atomicAdd(dslope, dy[i] * x[i]);
}
