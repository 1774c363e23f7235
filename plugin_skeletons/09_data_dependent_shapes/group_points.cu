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

// YOUR TURN 1: every cell that holds a point gets one slot of the table, and one row.
// Walk over the points in steps of the whole grid. From home(...) on, look for a slot that is free or that holds the
// point's cell, in one step that nobody can come between; behind the last slot comes slot 0. Whoever took a free slot
// takes a row from *count, and writes it to slot_row, and the cell to cells[row]. *count begins as 0.
extern "C" __global__ void claim(
    int const* cell, long long n, int* slot_cell, int* slot_row, int capacity, int* cells, int* count)
{
}

// YOUR TURN 2: every point gets the row of its cell, -1 where it lies outside. size[row] counts the points of a row and
// begins as 0. The table is complete now, and is only read.
extern "C" __global__ void assign(
    int const* cell, long long n, int const* slot_cell, int const* slot_row, int capacity, int* row_of, int* size)
{
}
