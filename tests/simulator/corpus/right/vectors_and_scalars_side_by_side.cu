// Some threads store whole vectors, others single elements in between; no byte is touched twice.
// @launch grid=1, block=32
// @out y = empty(80, i32)
// @expect y = [k if k % 5 < 4 else -k for k in range(80)]
extern "C" __global__ void fill(int* y)
{
    __shared__ __align__(16) int s[80];
    int t = threadIdx.x, row = t / 2;
    if (t % 2 == 0)
        for (int k = 0; k < 4; ++k)
            s[5 * row + k] = 5 * row + k;
    else
        s[5 * row + 4] = -(5 * row + 4);
    __syncthreads();
    if (t < 20)
        *reinterpret_cast<int4*>(y + 4 * t) = *reinterpret_cast<int4*>(s + 4 * t);
}
