// Groups points by the cell that they lie in, with a hash table. Two kernels: when the second one begins, all that the
// first one wrote is there.
//
// Device code only, without any header. What must hold stands in the contract, in the chapter.

// Given: what a free slot of the table holds, and the cell of a point that lies outside the grid.
constexpr int kFREE = -1;
constexpr int kOUTSIDE = -1;

// Given: the slot where the search for a cell begins. `capacity`, the number of slots, is a power of two.
__device__ inline int home(int cell, int capacity)
{
    return static_cast<int>((static_cast<unsigned>(cell) * 2654435761u) >> 16) & (capacity - 1);
}

extern "C" __global__ void claim(
    int const* cell, long long n, int* slot_cell, int* slot_row, int capacity, int* cells, int* count)
{
    long long const step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long p = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; p < n; p += step)
    {
        int const mine = cell[p];
        if (mine == kOUTSIDE)
        {
            continue;
        }
        int slot = home(mine, capacity);
        int found = atomicCAS(slot_cell + slot, kFREE, mine);
        while (found != kFREE && found != mine)
        {
            slot = (slot + 1) & (capacity - 1);
            found = atomicCAS(slot_cell + slot, kFREE, mine);
        }
        if (found == kFREE)
        {
            int const row = atomicAdd(count, 1);
            slot_row[slot] = row;
            cells[row] = mine;
        }
    }
}

extern "C" __global__ void assign(
    int const* cell, long long n, int const* slot_cell, int const* slot_row, int capacity, int* row_of, int* size)
{
    long long const step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long p = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; p < n; p += step)
    {
        int const mine = cell[p];
        if (mine == kOUTSIDE)
        {
            row_of[p] = -1;
            continue;
        }
        int slot = home(mine, capacity);
        while (slot_cell[slot] != mine)
        {
            slot = (slot + 1) & (capacity - 1);
        }
        int const row = slot_row[slot];
        row_of[p] = row;
        atomicAdd(size + row, 1);
    }
}
