// The optional bias is a null pointer and is read without a question.
// @fault null_pointer
// @says null
// @launch grid=1, block=32
// @in x = normal(32)
// @scalar bias = 0
// @out y = empty(32)
// @expect y = x
extern "C" __global__ void add_bias(float const* x, float const* bias, float* y)
{
    int i = threadIdx.x;
    y[i] = x[i] + bias[i]; // <- fault // fix: y[i] = x[i] + (bias ? bias[i] : 0.0f);
}
