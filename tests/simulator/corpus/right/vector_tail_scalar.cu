// Four elements a thread, and the tail one by one.
// @launch grid=1, block=64
// @in x = normal(203)
// @out y = empty(203)
// @scalar n = 203
// @expect y = where(x > 0, x, x * float32(0.25))
extern "C" __global__ void prelu(float const* x, float* y, int n)
{
    for (int i = 4 * threadIdx.x; i < n; i += 4 * blockDim.x)
    {
        if (i + 4 <= n)
        {
            float4 v = *reinterpret_cast<float4 const*>(x + i);
            v.x = v.x > 0 ? v.x : 0.25f * v.x;
            v.y = v.y > 0 ? v.y : 0.25f * v.y;
            v.z = v.z > 0 ? v.z : 0.25f * v.z;
            v.w = v.w > 0 ? v.w : 0.25f * v.w;
            *reinterpret_cast<float4*>(y + i) = v;
        }
        else
            for (int k = i; k < n; ++k)
                y[k] = x[k] > 0 ? x[k] : 0.25f * x[k];
    }
}
