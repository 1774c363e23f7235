// Keys are thought to follow the queries in memory; they are another buffer, and the gap between them is read.
// @fault out_of_bounds
// @launch grid=1, block=64
// @in q = normal(64)
// @in k = normal(64, seed=2)
// @out y = empty(64)
// @expect y = q * k
extern "C" __global__ void scores(float const* q, float const* k, float* y)
{
    int i = threadIdx.x;
    float const* keys = q + 64; // fix: float const* keys = k;
    y[i] = q[i] * keys[i]; // <- fault
}
