// The sum of a softmax must be positive, says an assertion; a row that is masked out everywhere has none.
// @fault assert
// @says sum > 0
// @launch grid=2, block=32
// @in x = normal(64)
// @in mask = (arange(64) < 32).astype(u8)
// @mended in mask = ones(64, u8)
// @out y = empty(64)
// @expect y = (exp(x.reshape(2, 32)) / exp(x.reshape(2, 32)).sum(1, keepdims=True)).ravel()
// @close 1e-5
extern "C" __global__ void masked_softmax(float const* x, unsigned char const* mask, float* y)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    float e = mask[i] ? expf(x[i]) : 0.0f, sum = e;
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    assert(sum > 0); // <- fault
    y[i] = e / sum;
}
