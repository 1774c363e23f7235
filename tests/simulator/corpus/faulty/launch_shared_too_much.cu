// Two tiles of 128 x 128 floats do not fit into a block's shared memory.
// @fault launch
// @says shared memory
// @launch grid=1, block=128, shared=2 * 128 * 128 * 4
// @mended launch shared=2 * 128 * 4
// @out y = empty(128)
extern "C" __global__ void stage(float* y)
{
    extern __shared__ float s[];
    s[threadIdx.x] = threadIdx.x;
    y[threadIdx.x] = s[threadIdx.x];
}
