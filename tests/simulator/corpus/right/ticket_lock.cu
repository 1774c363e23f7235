// A ticket lock among all threads of three blocks, with fences around the protected update.
// @launch grid=3, block=16
// @inout next = zeros(1, u32)
// @inout serving = zeros(1, u32)
// @inout total = zeros(2, i32)
// @expect total = [48, 48 * 47 // 2]
extern "C" __global__ void tickets(unsigned* next, unsigned* serving, int* total)
{
    unsigned mine = atomicAdd(next, 1u);
    while (*(volatile unsigned*)serving != mine)
    {
    }
    __threadfence();
    total[0] += 1;
    total[1] += mine;
    __threadfence();
    atomicAdd(serving, 1u);
}
