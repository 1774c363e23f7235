// Groups of equal keys shuffle among themselves, each in its own branch of a loop over the groups.
// @launch grid=1, block=32
// @in key = integers(32, 4)
// @in x = integers(32, 100, seed=2)
// @out y = empty(32, i32)
// @expect y = array([x[nonzero(key == k)[0][0]] for k in key])
extern "C" __global__ void first_of_group(int const* key, int const* x, int* y)
{
    int lane = threadIdx.x;
    unsigned peers = __match_any_sync(0xffffffffu, key[lane]);
    y[lane] = __shfl_sync(peers, x[lane], __ffs(peers) - 1);
}
