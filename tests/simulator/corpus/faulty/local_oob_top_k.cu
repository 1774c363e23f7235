// Insertion into a local list of the k best shifts one element past its end.
// @fault out_of_bounds
// @says local
// @launch grid=1, block=32
// @in x = normal(32 * 20)
// @out y = empty(32)
// @scalar k = 4
// @expect y = sort(x.reshape(32, 20), 1)[:, -4]
extern "C" __global__ void kth_best(float const* x, float* y, int k)
{
    float best[4] = {-1e30f, -1e30f, -1e30f, -1e30f};
    for (int i = 0; i < 20; ++i)
    {
        float v = x[threadIdx.x * 20 + i];
        int at = 0;
        while (at < k && best[at] >= v)
            ++at;
        if (at == k)
            continue;
        for (int j = k; j > at; --j) // fix: for (int j = k - 1; j > at; --j)
            best[j] = best[j - 1]; // <- fault
        best[at] = v;
    }
    y[threadIdx.x] = best[k - 1];
}
