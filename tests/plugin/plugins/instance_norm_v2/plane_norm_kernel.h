#ifndef TRT_PLANE_NORM_KERNEL_H
#define TRT_PLANE_NORM_KERNEL_H

#include <cuda_runtime_api.h>
#include <stdint.h>

struct PlaneStatistics
{
    float mean;
    float scale; // 1 / sqrt(variance + epsilon)
};

// `statistics` is scratch for one record a plane.
cudaError_t planeNorm(cudaStream_t stream, bool half, void const* x, void* y, float* mean, PlaneStatistics* statistics,
    int64_t planes, int64_t size, float epsilon, bool relu);

#endif // TRT_PLANE_NORM_KERNEL_H
