// A 64-bit counter is placed behind a 32-bit header and counted up by atomics.
// @fault misaligned
// @launch grid=1, block=32
// @inout state = zeros(4, i32)
// @scalar counter = state_at + 4
// @mended scalar counter = state_at + 8
extern "C" __global__ void count(int* state, unsigned long long* counter)
{
    atomicAdd(counter, 1ull); // <- fault
}
