#include "resources.h"

#include <mutex>
#include <vector>

#include "cuda.h"

using namespace nvinfer1;

namespace host {
namespace {

constexpr size_t kMostMessages = 1000;
constexpr size_t kLongestMessage = 2000;

class Logger final : public ILogger {
 public:
  void log(Severity severity, AsciiChar const* text) noexcept override {
    const std::lock_guard<std::mutex> hold(lock_);
    if (messages_.size() >= kMostMessages) return;
    std::string kept = text == nullptr ? "(null)" : text;
    if (kept.size() > kLongestMessage) kept.resize(kLongestMessage);
    messages_.push_back(List{static_cast<int32_t>(severity), std::move(kept)});
  }
  Value take() {
    const std::lock_guard<std::mutex> hold(lock_);
    List taken;
    taken.swap(messages_);
    return taken;
  }

 private:
  std::mutex lock_;
  List messages_;
};

Logger& theLogger() {
  static Logger logger;
  return logger;
}

class Finder final : public ILoggerFinder {
 public:
  ILogger* findLogger() override { return &theLogger(); }
};

class Allocator final : public IGpuAllocator {
 public:
  void* allocate(uint64_t size, uint64_t, AllocatorFlags) noexcept override {
    return size == 0 ? nullptr : cudaAllocate(size);
  }
  bool deallocate(void* memory) noexcept override { return cudaDeallocate(memory); }
  void* allocateAsync(uint64_t size, uint64_t, AllocatorFlags, cudaStream_t stream) noexcept override {
    return size == 0 ? nullptr : cudaAllocateOn(size, stream);
  }
  bool deallocateAsync(void* memory, cudaStream_t stream) noexcept override { return cudaDeallocateOn(memory, stream); }
};

class ResourceContext final : public IPluginResourceContext {
 public:
  IGpuAllocator* getGpuAllocator() const noexcept override { return allocator_.get(); }
  IErrorRecorder* getErrorRecorder() const noexcept override { return nullptr; }  // as where the application sets none

 private:
  const std::unique_ptr<IGpuAllocator> allocator_ = newAllocator();
};

}  // namespace

ILogger& logger() { return theLogger(); }

ILoggerFinder& loggerFinder() {
  static Finder finder;
  return finder;
}

Value takeMessages() { return theLogger().take(); }

std::unique_ptr<IPluginResourceContext> newResourceContext() { return std::make_unique<ResourceContext>(); }

std::unique_ptr<IGpuAllocator> newAllocator() { return std::make_unique<Allocator>(); }

}  // namespace host
