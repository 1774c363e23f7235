// Rows of a padded tile, 33 floats, are stored as float4.
// @fault misaligned
// @launch grid=1, block=(8, 4)
// @in x = normal(4 * 32)
// @out y = empty(4 * 32)
// @expect y = x
extern "C" __global__ void through_tile(float const* x, float* y)
{
    __shared__ __align__(16) float tile[4][33]; // fix: __shared__ __align__(16) float tile[4][36];
    int c = 4 * threadIdx.x, r = threadIdx.y;
    *reinterpret_cast<float4*>(&tile[r][c]) = *reinterpret_cast<float4 const*>(x + r * 32 + c); // <- fault
    __syncthreads();
    for (int k = 0; k < 4; ++k)
        y[r * 32 + c + k] = tile[r][c + k];
}
