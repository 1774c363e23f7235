// Every block adds to a counter by atomics and then reads it plainly, while other blocks still add.
// @fault race
// @buffer counter
// @launch grid=4, block=32
// @inout counter = zeros(1, i32)
// @inout seen = zeros(4, i32)
extern "C" __global__ void arrive(int* counter, int* seen)
{
    atomicAdd(counter, 1); // <- other
    __syncthreads();
    if (threadIdx.x == 0)
        seen[blockIdx.x] = *counter > 0; // <- fault // fix: seen[blockIdx.x] = atomicAdd(counter, 0) > 0;
}
