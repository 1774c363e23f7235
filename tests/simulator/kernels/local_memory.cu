// Arrays of one thread that cannot stay in registers: local memory, whose 4-byte words interleave across the lanes.

extern "C" __global__ void local_same_index(const int* order, int* to, int shift)
{
    int own[16];
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 16; j++) own[(j + shift) & 15] = order[j] + k;
    int sum = 0;
    for (int j = 0; j < 16; j++) sum = 3 * sum + own[(j * shift) & 15];
    to[k] = sum;
}

// Every lane reads and writes at an index of its own.
extern "C" __global__ void local_own_index(const int* index, int* to)
{
    int own[32];
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 32; j++) own[j] = j * k;
    int at = index[k] & 31;
    own[at] += 5;
    int sum = 0;
    for (int j = 0; j < 4; j++) sum = 3 * sum + own[(at + 7 * j) & 31];
    to[k] = sum;
}

extern "C" __global__ void local_double(const int* index, double* to)
{
    double own[16];
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 16; j++) own[index[j] & 15] = j * 0.5 + k;
    to[k] = own[index[k] & 15] + own[index[k + 1] & 15];
}

extern "C" __global__ void local_bytes(const int* index, int* to)
{
    unsigned char own[64];
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 64; j++) own[(index[j & 15] + j) & 63] = static_cast<unsigned char>(j + k);
    int sum = 0;
    for (int j = 0; j < 8; j++) sum += own[(index[k] + 5 * j) & 63];
    to[k] = sum;
}

// More values alive at once than the registers that MOST threads leave: ptxas spills, PTX knows nothing of it.
#ifdef MOST
#define BOUNDS __launch_bounds__(MOST, 2)
#else
#define BOUNDS
#endif

extern "C" __global__ void BOUNDS many_values(const float* from, float* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    float v[48];
#pragma unroll
    for (int j = 0; j < 48; j++) v[j] = from[(k + j * 37) % count];
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 48; j++) sum += v[j] * v[(j * 7 + 11) % 48];
    to[k] = sum;
}
