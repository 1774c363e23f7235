// An assertion holds that every class label is below the number of classes; one is not.
// @fault assert
// @says label < classes
// @launch grid=1, block=8
// @in label = array([0, 1, 2, 3, 4, 3, 2, 1], i32)
// @in x = normal(8 * 4)
// @out y = empty(8)
// @scalar classes = 4
// @mended scalar classes = 5
// @mended in x = normal(8 * 5)
extern "C" __global__ void picked(int const* labels, float const* x, float* y, int classes)
{
    int i = threadIdx.x, label = labels[i];
    assert(label < classes); // <- fault
    y[i] = x[i * classes + label];
}
