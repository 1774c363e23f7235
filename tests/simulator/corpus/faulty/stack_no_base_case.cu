// The recursion over a tree never asks whether a node is a leaf.
// @fault stack
// @launch grid=1, block=1
// @in child = array([1, 2, 3, 3], i32)
// @inout y = zeros(1, i32)
// @expect y = [3]
__device__ __noinline__ int depth(int const* child, int node)
{
    // fix: if (child[node] == node) return 0;
    return 1 + depth(child, child[node]) % 1000; // <- fault
}
extern "C" __global__ void deepest(int const* child, int* y)
{
    y[0] = depth(child, 0);
}
