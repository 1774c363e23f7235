// The consumer waits with a relaxed atomic and reads the payload: the pair lacks its release and its acquire.
// @fault race
// @buffer value
// @launch grid=2, block=32
// @inout value = zeros(1, i32)
// @inout flag = zeros(1, i32)
// @out y = empty(1, i32)
// @expect y = [7]
extern "C" __global__ void hand_over(int* value, int* flag, int* y)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0)
    {
        *value = 7; // <- other
        atomicExch(flag, 1); // fix: asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
        return;
    }
    int seen = 0;
    while (seen == 0)
        seen = atomicAdd(flag, 0); // fix: asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    y[0] = *value; // <- fault
}
