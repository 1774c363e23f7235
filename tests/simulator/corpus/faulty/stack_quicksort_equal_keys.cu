// A recursive quicksort does not shrink a range whose keys are all equal.
// @fault stack
// @launch grid=1, block=1
// @inout x = array([4, 1, 3, 3, 3, 2, 9], i32)
// @scalar n = 7
// @expect x = sort(x)
__device__ __noinline__ void quicksort(int* x, int low, int high)
{
    if (low >= high)
        return;
    int pivot = x[high], at = low;
    for (int i = low; i <= high; ++i)
        if (x[i] <= pivot)
        {
            int v = x[i];
            x[i] = x[at];
            x[at++] = v;
        }
    quicksort(x, low, at - 1); // <- fault // fix: quicksort(x, low, at - 2);
    quicksort(x, at, high); // <- other
}
extern "C" __global__ void sort(int* x, int n)
{
    quicksort(x, 0, n - 1);
}
