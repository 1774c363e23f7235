// A byte offset, element times four, is kept in an int: it overflows at 2^29 floats already.
// @fault out_of_bounds
// @buffer y
// @launch grid=2097156, block=256, blocks=(2097152, 2097154)
// @inout y = sparse((1 << 29) + 1024)
// @scalar n = (1 << 29) + 1024
extern "C" __global__ void fill(char* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        int offset = i * 4; // fix: long long offset = i * 4ll;
        *reinterpret_cast<float*>(y + offset) = 1.0f; // <- fault
    }
}
