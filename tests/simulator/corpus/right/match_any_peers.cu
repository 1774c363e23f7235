// Lanes with the same key find each other and the first of them stores the group's size.
// @launch grid=1, block=32
// @in key = integers(32, 6)
// @inout size = zeros(6, i32)
// @expect size = bincount(key, minlength=6)
extern "C" __global__ void groups(int const* key, int* size)
{
    int lane = threadIdx.x, k = key[lane];
    unsigned peers = __match_any_sync(0xffffffffu, k);
    if (lane == __ffs(peers) - 1)
        size[k] = __popc(peers);
}
