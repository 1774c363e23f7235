// Each thread writes two of the three slots of its record in the workspace, and then all three are summed.
// @fault uninitialised_global
// @buffer workspace
// @launch grid=1, block=32
// @out workspace = empty(96)
// @out y = empty(32)
// @expect y = 3.0 * arange(32)
extern "C" __global__ void moments(float* workspace, float* y)
{
    float* mine = workspace + 3 * threadIdx.x;
    mine[0] = threadIdx.x;
    mine[1] = 2.0f * threadIdx.x;
    // fix: mine[2] = 0.0f;
    float sum = 0.0f;
    for (int k = 0; k < 3; ++k)
        sum += reinterpret_cast<volatile float*>(mine)[k]; // <- fault
    y[threadIdx.x] = sum;
}
