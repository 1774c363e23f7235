// Lane 0 leaves a row's scale in shared memory for the other lanes of its warp, and nothing makes them wait.
// @fault race, uninitialised_shared
// @launch grid=1, block=64
// @in x = normal(64)
// @out y = empty(64)
// @expect y = x * repeat(x[::32], 32)
extern "C" __global__ void scale_rows(float const* x, float* y)
{
    __shared__ float scale[2];
    int t = threadIdx.x, warp = t / 32;
    float v = x[t];
    if (t % 32 == 0)
        scale[warp] = v; // <- other
    // fix: __syncwarp();
    y[t] = v * scale[warp]; // <- fault
}
