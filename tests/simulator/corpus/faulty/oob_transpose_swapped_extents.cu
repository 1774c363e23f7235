// The transpose guards rows with the number of columns: a wide matrix is written past its end.
// @fault out_of_bounds
// @launch grid=(3, 2), block=(16, 16)
// @in x = normal(20 * 40)
// @out y = empty(20 * 40)
// @scalar rows = 20
// @scalar columns = 40
// @expect y = x.reshape(20, 40).T.ravel()
extern "C" __global__ void transpose(float const* x, float* y, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < columns && column < columns) // fix: if (row < rows && column < columns)
    {
        y[column * rows + row] = x[row * columns + column]; // <- fault
    }
}
