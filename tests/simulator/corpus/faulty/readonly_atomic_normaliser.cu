// The sum of squares is collected in the first element of the input.
// @fault read_only
// @buffer x
// @launch grid=1, block=64
// @in x = integers(64, 10)
// @inout y = zeros(1, i32)
// @expect y = (x * x).sum()
extern "C" __global__ void squares(int* x, int* y)
{
    int v = x[threadIdx.x];
    atomicAdd(x, v * v); // <- fault // fix: atomicAdd(y, v * v);
}
