// The same over a block: each warp reserves its room by one atomic, and the places are sorted out by shuffles.
// @launch grid=2, block=128
// @in x = integers(256, 100, -100)
// @inout count = zeros(1, i32)
// @inout sum = zeros(1, i32)
// @out y = empty(256, i32)
// @expect count = [(x > 0).sum()]
extern "C" __global__ void compact(int const* x, int* count, int* sum, int* y)
{
    int i = blockIdx.x * 128 + threadIdx.x, lane = i % 32, v = x[i], at = 0;
    unsigned votes = __ballot_sync(0xffffffffu, v > 0);
    if (lane == 0)
        at = atomicAdd(count, __popc(votes));
    at = __shfl_sync(0xffffffffu, at, 0) + __popc(votes & ((1u << lane) - 1));
    if (v > 0)
        y[at] = v;
}
