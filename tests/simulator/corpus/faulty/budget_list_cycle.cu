// The linked list of a hash bucket runs in a circle.
// @fault budget
// @launch grid=1, block=4
// @in next = array([2, 3, 4, -1, 2], i32)
// @mended in next = array([2, 3, 4, -1, -1], i32)
// @out y = empty(4, i32)
// @expect y = [3, 2, 2, 1]
extern "C" __global__ void bucket_length(int const* next, int* y)
{
    int count = 0;
    for (int at = threadIdx.x; at >= 0; at = next[at]) // <- fault
        ++count; // <- other
    y[threadIdx.x] = count;
}
