// Records with padding between their fields are copied whole through shared memory; the padding was never written.
// @launch grid=1, block=32
// @in id = integers(32, 250, dtype=u8)
// @in value = normal(32, f64)
// @out y = empty(32, f64)
// @out kind = empty(32, u8)
// @expect y = value[::-1]
// @expect kind = id[::-1]
struct Record
{
    unsigned char id;
    double value;
};
extern "C" __global__ void reverse(unsigned char const* id, double const* value, double* y, unsigned char* kind)
{
    __shared__ Record s[32];
    int t = threadIdx.x;
    s[t].id = id[t];
    s[t].value = value[t];
    __syncthreads();
    Record r = s[31 - t];
    __syncthreads();
    s[t] = r;
    y[t] = s[t].value;
    kind[t] = s[t].id;
}
