// The last vector of a row reaches into padding that was allocated and never written; what it holds is not used.
// @launch grid=1, block=32
// @in x = partly(normal(125), 128)
// @out y = empty(125)
// @scalar n = 125
// @expect y = 2 * x
extern "C" __global__ void twice(float const* x, float* y, int n)
{
    int i = 4 * threadIdx.x;
    float4 v = *reinterpret_cast<float4 const*>(x + i);
    float a[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 4; ++k)
        if (i + k < n)
            y[i + k] = 2.0f * a[k];
}
