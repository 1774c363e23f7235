// A layout that the launcher should have refused leads to asm("trap;") in the kernel.
// @fault trap
// @launch grid=1, block=64
// @in x = normal(64)
// @out y = empty(64)
// @scalar columns = 0
// @mended scalar columns = 8
// @expect y = x.reshape(8, 8).T.ravel()
extern "C" __global__ void transpose(float const* x, float* y, int columns)
{
    if (columns == 0)
        asm volatile("trap;"); // <- fault
    int t = threadIdx.x;
    y[t % columns * (64 / columns) + t / columns] = x[t];
}
