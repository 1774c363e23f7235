// Records with padding are moved inside a workspace in global memory that nobody wrote before.
// @launch grid=1, block=16
// @out records = empty(32 * 16, u8)
// @out y = empty(16, i32)
// @expect y = arange(16) * 5
struct Record
{
    int key;
    double value;
};
extern "C" __global__ void move(Record* records, int* y)
{
    int t = threadIdx.x;
    records[t].key = 5 * t;
    records[t].value = 0.5 * t;
    records[16 + t] = records[t];
    y[t] = records[16 + t].key + (records[16 + t].value < 0.0);
}
