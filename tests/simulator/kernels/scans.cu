// Running sums over a block, and a step of a sort.

// Hillis and Steele: log2(n) rounds in which all threads add, between two halves of the buffer.
extern "C" __global__ void scan_hillis_steele(const int* from, int* to)
{
    __shared__ int buffer[2][256];
    int t = threadIdx.x, side = 0;
    buffer[0][t] = from[blockIdx.x * 256 + t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        buffer[!side][t] = buffer[side][t] + (t >= step ? buffer[side][t - step] : 0);
        side = !side;
        __syncthreads();
    }
    to[blockIdx.x * 256 + t] = buffer[side][t];
}

// Blelloch: up a tree and down again, two elements a thread, exclusive. PADDED spreads the tree over the banks.
#ifdef PADDED
#define AT(k) ((k) + (k) / 32)
#else
#define AT(k) (k)
#endif

extern "C" __global__ void scan_blelloch(const int* from, int* to)
{
    __shared__ int tree[512 + 16];
    int t = threadIdx.x, base = blockIdx.x * 512;
    tree[AT(t)] = from[base + t];
    tree[AT(t + 256)] = from[base + t + 256];
    int step = 1;
    for (int active = 256; active; active /= 2, step *= 2) {
        __syncthreads();
        if (t < active) tree[AT(step * (2 * t + 2) - 1)] += tree[AT(step * (2 * t + 1) - 1)];
    }
    if (t == 0) tree[AT(511)] = 0;
    for (int active = 1; active < 512; active *= 2) {
        step /= 2;
        __syncthreads();
        if (t < active) {
            int left = AT(step * (2 * t + 1) - 1), right = AT(step * (2 * t + 2) - 1);
            int old = tree[left];
            tree[left] = tree[right];
            tree[right] += old;
        }
    }
    __syncthreads();
    to[base + t] = tree[AT(t)];
    to[base + t + 256] = tree[AT(t + 256)];
}

extern "C" __global__ void scan_warps(const int* from, int* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int v = k < count ? from[k] : 0;
    for (int distance = 1; distance < 32; distance *= 2) {
        int left = __shfl_up_sync(0xffffffffu, v, distance);
        if (lane >= distance) v += left;
    }
    if (k < count) to[k] = v;
}

// Keeps the positive numbers, in order within a warp; the warps take their places by an atomic.
extern "C" __global__ void compact(const float* from, float* to, int* taken, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float v = k < count ? from[k] : 0.0f;
    unsigned keep = __ballot_sync(0xffffffffu, v > 0.0f);
    int base = 0;
    if (lane == 0) base = atomicAdd(taken, __popc(keep));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (v > 0.0f) to[base + __popc(keep & ((1u << lane) - 1))] = v;
}

// One exchange step of a bitonic sort in global memory.
extern "C" __global__ void bitonic_step(int* data, int distance, int span)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x, other = k ^ distance;
    if (other <= k) return;
    int a = data[k], b = data[other];
    if ((a > b) == ((k & span) == 0)) data[k] = b, data[other] = a;
}

// A whole sort of 512 numbers in shared memory.
extern "C" __global__ void bitonic_block(const int* from, int* to)
{
    __shared__ int data[512];
    int t = threadIdx.x, base = blockIdx.x * 512;
    data[t] = from[base + t];
    data[t + 256] = from[base + t + 256];
    for (int span = 2; span <= 512; span *= 2) {
        for (int distance = span / 2; distance; distance /= 2) {
            __syncthreads();
            int low = 2 * t - (t & (distance - 1)), high = low + distance;
            int a = data[low], b = data[high];
            if ((a > b) == ((low & span) == 0)) data[low] = b, data[high] = a;
        }
    }
    __syncthreads();
    to[base + t] = data[t];
    to[base + t + 256] = data[t + 256];
}
