// A recursive quicksort of a short list, with a local copy at each level.
// @launch grid=1, block=2
// @inout x = concatenate([permutation(12), permutation(12, seed=2)])
// @expect x = concatenate([arange(12), arange(12)])
__device__ __noinline__ void quicksort(int* x, int low, int high)
{
    if (low >= high)
        return;
    int pivot = x[high], at = low;
    for (int i = low; i < high; ++i)
        if (x[i] < pivot)
        {
            int v = x[i];
            x[i] = x[at];
            x[at++] = v;
        }
    x[high] = x[at];
    x[at] = pivot;
    quicksort(x, low, at - 1);
    quicksort(x, at + 1, high);
}
extern "C" __global__ void sort(int* x)
{
    quicksort(x + 12 * threadIdx.x, 0, 11);
}
