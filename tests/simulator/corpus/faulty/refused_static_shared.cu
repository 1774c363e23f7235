// A static tile of 128 x 128 floats is more than the 48 KiB that a kernel may declare.
// @fault refused, launch
// @says 65536
// @launch grid=1, block=128
// @out y = empty(128)
extern "C" __global__ void stage(float* y)
{
    __shared__ float s[128][128]; // fix: __shared__ float s[64][128];
    s[threadIdx.x % 64][threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = s[(127 - threadIdx.x) % 64][127 - threadIdx.x];
}
