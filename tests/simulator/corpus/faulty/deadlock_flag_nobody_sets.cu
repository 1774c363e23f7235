// A block waits for the flag of its left neighbour, and block 0 forgets to set the first one.
// @fault deadlock, budget
// @launch grid=3, block=32
// @inout flag = zeros(4, i32)
// @inout y = zeros(3, i32)
extern "C" __global__ void chain(int* flag, int* y)
{
    if (threadIdx.x != 0)
        return;
    int b = blockIdx.x;
    // fix: if (b == 0) atomicExch(&flag[0], 1);
    while (*(volatile int*)&flag[b] == 0) // <- fault
    {
    } // <- other
    y[b] = b;
    __threadfence();
    atomicExch(&flag[b + 1], 1);
}
