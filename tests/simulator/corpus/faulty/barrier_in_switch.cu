// The stages of a kernel stand in a switch over the thread, each with a barrier of its own.
// @fault barrier, deadlock
// @launch grid=1, block=32
// @in x = normal(32)
// @out y = empty(32)
extern "C" __global__ void staged(float const* x, float* y)
{
    __shared__ float s[32];
    int t = threadIdx.x;
    s[t] = x[t];
    switch (t % 3)
    {
    case 0:
        __syncthreads(); // <- fault // fix: ;
        y[t] = s[(t + 1) % 32]; // fix: break;
        break;
    case 1:
        s[t] *= 2.0f;
        __syncthreads(); // <- other // fix: ;
        y[t] = s[t]; // fix: ;
        break;
    default:
        __syncthreads(); // <- other // fix: ;
        y[t] = 0.0f; // fix: ;
    }
    // fix: __syncthreads(); y[t] = s[31 - t];
}
