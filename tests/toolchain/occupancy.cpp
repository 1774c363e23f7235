// Prints what the CUDA toolkit's own header says, for test_occupancy.py: capability, registers, static and dynamic
// shared memory, threads, barriers, blocks.
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "cuda_occupancy.h"

int main()
{
    const struct { int major, minor, warps; size_t shared, reserved; } chips[] = {
        {7, 5, 32, 64 << 10, 0}, {8, 0, 64, 164 << 10, 1 << 10}, {8, 6, 48, 100 << 10, 1 << 10},
        {8, 9, 48, 100 << 10, 1 << 10}, {9, 0, 64, 228 << 10, 1 << 10},
    };
    for (const auto& chip : chips) {
        cudaOccDeviceProp device;
        device.computeMajor = chip.major;
        device.computeMinor = chip.minor;
        device.maxThreadsPerBlock = 1024;
        device.maxThreadsPerMultiprocessor = chip.warps * 32;
        device.regsPerBlock = device.regsPerMultiprocessor = 65536;
        device.warpSize = 32;
        device.sharedMemPerBlock = 48 << 10;
        device.sharedMemPerMultiprocessor = chip.shared;
        device.sharedMemPerBlockOptin = chip.shared - chip.reserved;
        device.reservedSharedMemPerBlock = chip.reserved;
        device.numSms = 1;
        for (int registers : {10, 16, 24, 31, 32, 33, 40, 48, 64, 65, 80, 96, 128, 168, 255}) {
            for (int fixed : {0, 1, 1024, 4224, 16384, 49152}) {
                for (int dynamic : {0, 100, 8192, 50000, 102400, 200000}) {
                    for (int threads : {1, 32, 33, 64, 96, 128, 160, 256, 320, 480, 512, 768, 1000, 1024}) {
                        for (int barriers : {0, 1, 3}) {
                            cudaOccFuncAttributes kernel;
                            kernel.maxThreadsPerBlock = 1024;
                            kernel.numRegs = registers;
                            kernel.sharedSizeBytes = fixed;
                            kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
                            kernel.maxDynamicSharedSizeBytes = dynamic;
                            kernel.numBlockBarriers = barriers;
                            cudaOccDeviceState state;
                            cudaOccResult result;
                            int failed = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, dynamic);
                            printf("%d.%d %d %d %d %d %d %d\n", chip.major, chip.minor, registers, fixed, dynamic, threads,
                                   barriers, failed ? -failed : result.activeBlocksPerMultiprocessor);
                        }
                    }
                }
            }
        }
    }
}
