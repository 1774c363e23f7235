// Transposes of a matrix of `rows` by `columns` with tiles of 32 by 32 and 8 rows of threads, any size.
constexpr int kTile = 32;

extern "C" __global__ void transpose_reads_apart(const float* from, float* to, int rows, int columns)
{
    int row = blockIdx.x * kTile + threadIdx.x;
    for (int column = blockIdx.y * kTile + threadIdx.y; column < (blockIdx.y + 1) * kTile; column += 8) {
        if (row < rows && column < columns) to[column * rows + row] = from[row * columns + column];
    }
}

// Column c of row r lies in column c ^ r of the tile: no bank conflicts and no padding.
extern "C" __global__ void transpose_swizzled(const float* from, float* to, int rows, int columns)
{
    __shared__ float tile[kTile][kTile];
    int x = threadIdx.x, column = blockIdx.x * kTile + x;
    for (int y = threadIdx.y; y < kTile; y += 8) {
        int row = blockIdx.y * kTile + y;
        if (row < rows && column < columns) tile[y][x ^ y] = from[row * columns + column];
    }
    __syncthreads();
    int row = blockIdx.y * kTile + x;
    for (int y = threadIdx.y; y < kTile; y += 8) {
        int from_column = blockIdx.x * kTile + y;
        if (row < rows && from_column < columns) to[from_column * rows + row] = tile[x][y ^ x];
    }
}

// 8-byte elements: two words each, so a pitch of 33 elements is 66 banks.
template <class T, int kPitch>
__device__ void transpose_square(const T* from, T* to, int side)
{
    __shared__ T tile[16][kPitch];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = from[(blockIdx.y * 16 + y) * side + blockIdx.x * 16 + x];
    __syncthreads();
    to[(blockIdx.x * 16 + y) * side + blockIdx.y * 16 + x] = tile[x][y];
}

extern "C" __global__ void transpose_double(const double* from, double* to, int side)
{
    transpose_square<double, 16>(from, to, side);
}

extern "C" __global__ void transpose_double_padded(const double* from, double* to, int side)
{
    transpose_square<double, 17>(from, to, side);
}

extern "C" __global__ void transpose_short(const unsigned short* from, unsigned short* to, int side)
{
    transpose_square<unsigned short, 16>(from, to, side);
}

extern "C" __global__ void transpose_byte(const unsigned char* from, unsigned char* to, int side)
{
    transpose_square<unsigned char, 20>(from, to, side);
}
