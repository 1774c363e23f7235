// Lanes exchange through global memory with __syncwarp() between.
// @launch grid=1, block=64
// @in x = integers(64, 100)
// @out scratch = empty(64, i32)
// @out y = empty(64, i32)
// @expect y = x.reshape(2, 32)[:, ::-1].ravel()
extern "C" __global__ void reverse(int const* x, int* scratch, int* y)
{
    int t = threadIdx.x, warp = t / 32 * 32, lane = t % 32;
    scratch[t] = x[t];
    __syncwarp();
    y[t] = scratch[warp + 31 - lane];
}
