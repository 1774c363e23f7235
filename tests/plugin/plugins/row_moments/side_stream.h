#pragma once

#include <cuda_runtime_api.h>

/// A second stream of work inside one enqueue. fork() lets it start after what the main stream holds, join() lets the
/// main stream go on after it. With events alone, so that a capture of the main stream takes the side stream along.
class SideStream
{
public:
    SideStream() = default;
    SideStream(SideStream const&) = delete;
    SideStream& operator=(SideStream const&) = delete;
    ~SideStream() { destroy(); }

    /// Does nothing where it is there already. Creates handles: not for enqueue.
    cudaError_t create() noexcept
    {
        if (mStream != nullptr)
        {
            return cudaSuccess;
        }
        cudaError_t status = cudaEventCreateWithFlags(&mForked, cudaEventDisableTiming);
        if (status == cudaSuccess)
        {
            status = cudaEventCreateWithFlags(&mDone, cudaEventDisableTiming);
        }
        if (status == cudaSuccess)
        {
            status = cudaStreamCreateWithFlags(&mStream, cudaStreamNonBlocking);
        }
        if (status != cudaSuccess)
        {
            destroy();
        }
        return status;
    }

    cudaError_t fork(cudaStream_t main) noexcept
    {
        cudaError_t const status = cudaEventRecord(mForked, main);
        return status == cudaSuccess ? cudaStreamWaitEvent(mStream, mForked, 0) : status;
    }

    cudaError_t join(cudaStream_t main) noexcept
    {
        cudaError_t const status = cudaEventRecord(mDone, mStream);
        return status == cudaSuccess ? cudaStreamWaitEvent(main, mDone, 0) : status;
    }

    cudaStream_t get() const noexcept { return mStream; }

private:
    void destroy() noexcept
    {
        if (mStream != nullptr)
        {
            static_cast<void>(cudaStreamDestroy(mStream));
        }
        if (mDone != nullptr)
        {
            static_cast<void>(cudaEventDestroy(mDone));
        }
        if (mForked != nullptr)
        {
            static_cast<void>(cudaEventDestroy(mForked));
        }
        mStream = nullptr;
        mDone = mForked = nullptr;
    }

    cudaStream_t mStream{nullptr};
    cudaEvent_t mForked{nullptr};
    cudaEvent_t mDone{nullptr};
};
