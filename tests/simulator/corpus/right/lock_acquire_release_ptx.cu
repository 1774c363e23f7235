// A lock written with acquire and release operations of PTX in place of fences.
// @launch grid=4, block=8
// @inout lock = zeros(1, i32)
// @inout sum = zeros(1, i32)
// @expect sum = [32]
extern "C" __global__ void guarded(int* lock, int* sum)
{
    int old;
    do
        asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(old) : "l"(lock) : "memory");
    while (old != 0);
    *sum += 1;
    asm volatile("st.release.gpu.global.b32 [%0], 0;" ::"l"(lock) : "memory");
}
