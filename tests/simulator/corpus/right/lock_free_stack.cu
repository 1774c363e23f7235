// Threads push their elements onto a list with compare-and-swap and fences; the last one to arrive walks it.
// @launch grid=2, block=32
// @inout head = full(1, -1, i32)
// @out next = empty(64, i32)
// @inout arrived = zeros(1, u32)
// @out y = empty(1, i32)
// @expect y = [64 * 63 // 2]
extern "C" __global__ void push(int* head, int* next, unsigned* arrived, int* y)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    int old = *(volatile int*)head, seen;
    while (true)
    {
        next[i] = old;
        __threadfence();
        seen = atomicCAS(head, old, i);
        if (seen == old)
            break;
        old = seen;
    }
    __threadfence();
    if (atomicAdd(arrived, 1u) == 63)
    {
        __threadfence();
        int sum = 0;
        for (int at = *(volatile int*)head; at >= 0; at = next[at])
            sum += at;
        y[0] = sum;
    }
}
