// Matrix products on tensor cores, as a textbook has them. C = A B, all row by row; sizes are multiples of the tiles.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

// One warp for a 16 x 16 tile of C, fragments straight from global memory.
extern "C" __global__ void wmma_global(const half* a, const half* b, float* c, int n) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    const int row = blockIdx.y * 16, column = blockIdx.x * 16;
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + row * n + k, n);
        wmma::load_matrix_sync(fb, b + k * n + column, n);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// Four warps for a 32 x 32 tile, through padded shared memory; then a ReLU on the fragments' elements.
extern "C" __global__ void wmma_shared(const half* a, const half* b, half* c, int n) {
    __shared__ __align__(32) half tile_a[32][24], tile_b[16][40], tile_c[32][40];
    const int t = threadIdx.x, warp = t / 32, row = blockIdx.y * 32, column = blockIdx.x * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> sum;
    wmma::fill_fragment(sum, __float2half(0.0f));
    for (int k = 0; k < n; k += 16) {
        for (int q = t; q < 512; q += 128) {
            tile_a[q / 16][q % 16] = a[(row + q / 16) * n + k + q % 16];
            tile_b[q / 32][q % 32] = b[(k + q / 32) * n + column + q % 32];
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, &tile_a[warp / 2 * 16][0], 24);
        wmma::load_matrix_sync(fb, &tile_b[0][warp % 2 * 16], 40);
        wmma::mma_sync(sum, fa, fb, sum);
        __syncthreads();
    }
    for (int k = 0; k < sum.num_elements; k++) sum.x[k] = __hmax(sum.x[k], __float2half(0.0f));
    wmma::store_matrix_sync(&tile_c[warp / 2 * 16][warp % 2 * 16], sum, 40, wmma::mem_row_major);
    __syncthreads();
    for (int q = t; q < 1024; q += 128) c[(row + q / 32) * n + column + q % 32] = tile_c[q / 32][q % 32];
}

// One warp for a 16 x 8 tile by mma itself; A and B come out of shared memory by ldmatrix.
extern "C" __global__ void mma_ldmatrix(const half* a, const half* b, float* c, int n) {
    __shared__ __align__(16) half tile_a[16][16], tile_b[16][8];
    const int t = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 8;
    float d[4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int q = t; q < 256; q += 32) tile_a[q / 16][q % 16] = a[(row + q / 16) * n + k + q % 16];
        for (int q = t; q < 128; q += 32) tile_b[q / 8][q % 8] = b[(k + q / 8) * n + column + q % 8];
        __syncwarp();
        unsigned fa[4], fb[2];
        unsigned where = (unsigned)__cvta_generic_to_shared(&tile_a[t % 16][t / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(where));
        where = (unsigned)__cvta_generic_to_shared(&tile_b[t % 16][0]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(fb[0]), "=r"(fb[1]) : "r"(where));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                     "{%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
        __syncwarp();
    }
    const int group = t / 4, pair = t % 4 * 2;
    for (int q = 0; q < 4; q++) c[(row + group + q / 2 * 8) * n + column + pair + q % 2] = d[q];
}

// Bytes: B column by column, so that a lane's four neighbours lie together.
extern "C" __global__ void mma_int8(const signed char* a, const signed char* b, int* c, int n) {
    const int t = threadIdx.x, group = t / 4, part = t % 4, row = blockIdx.y * 16, column = blockIdx.x * 8;
    int d[4] = {};
    for (int k = 0; k < n; k += 32) {
        int fa[4], fb[2];
        for (int q = 0; q < 4; q++) {
            fa[q] = *(const int*)&a[(row + group + q % 2 * 8) * n + k + q / 2 * 16 + part * 4];
        }
        for (int q = 0; q < 2; q++) fb[q] = *(const int*)&b[(column + group) * n + k + q * 16 + part * 4];
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                     : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    }
    for (int q = 0; q < 4; q++) c[(row + group + q / 2 * 8) * n + column + part * 2 + q % 2] = d[q];
}

// How ldmatrix is counted: `stride` bytes from row to row.
extern "C" __global__ void count_ldmatrix(unsigned* y, int stride) {
    extern __shared__ __align__(16) char bytes[];
    for (int q = threadIdx.x; q < 8 * stride; q += 32) ((unsigned*)bytes)[q] = q;
    __syncwarp();
    unsigned where = (unsigned)__cvta_generic_to_shared(bytes + threadIdx.x * stride), r[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(where));
    for (int k = 0; k < 4; k++) y[32 * k + threadIdx.x] = r[k];
}
