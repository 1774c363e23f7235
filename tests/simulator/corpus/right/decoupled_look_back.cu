// A scan over blocks in one pass: each block publishes its sum, then looks back for its neighbours' sums and prefixes.
// @launch grid=6, block=32
// @in x = integers(192, 100)
// @inout status = zeros(6, u64)
// @inout ticket = zeros(1, u32)
// @out y = empty(192, i32)
// @expect y = cumsum(x)
extern "C" __global__ void scan(int const* x, unsigned long long* status, unsigned* ticket, int* y)
{
    // status: 1 << 32 | sum of the block, 2 << 32 | sum of all blocks up to it; one 64-bit word, so no fence is needed
    int lane = threadIdx.x;
    unsigned block = lane == 0 ? atomicAdd(ticket, 1u) : 0;
    block = __shfl_sync(0xffffffffu, block, 0);
    int v = x[block * 32 + lane];
    for (int d = 1; d < 32; d *= 2)
    {
        int left = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d)
            v += left;
    }
    int before = 0;
    if (lane == 31)
    {
        unsigned long long own = (unsigned)v;
        atomicExch(&status[block], (block == 0 ? 2ull : 1ull) << 32 | own);
        for (int b = (int)block - 1; b >= 0; --b)
        {
            unsigned long long seen;
            do
                seen = *(volatile unsigned long long*)&status[b];
            while (seen >> 32 == 0);
            before += (int)seen;
            if (seen >> 32 == 2)
                break;
        }
        if (block > 0)
            atomicExch(&status[block], 2ull << 32 | (unsigned)(before + v));
    }
    before = __shfl_sync(0xffffffffu, before, 31);
    y[block * 32 + lane] = before + v;
}
