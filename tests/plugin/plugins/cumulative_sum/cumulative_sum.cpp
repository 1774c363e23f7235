// CumulativeSum: a context owns four bytes on the device, from the allocator of its resource context, so that the memory
// counts as TensorRT's. What the kernel needs to know of the device is asked once, when the context is attached.
#include "cumulative_sum_kernel.h"

#include <NvInferRuntime.h>
#include <cstring>
#include <memory>
#include <new>

using namespace nvinfer1;

namespace
{
constexpr char const* kName = "CumulativeSum";
constexpr char const* kVersion = "1";
constexpr char const* kNamespace = "course";

ILoggerFinder* gLoggerFinder = nullptr;

void complain(char const* text) noexcept
{
    if (ILogger* logger = gLoggerFinder == nullptr ? nullptr : gLoggerFinder->findLogger())
    {
        logger->log(ILogger::Severity::kERROR, text);
    }
}

/// Four bytes at 0 on the device, from an IGpuAllocator, or from cudaMalloc where there is none.
class Ticket
{
public:
    Ticket() = default;
    Ticket(Ticket const&) = delete;
    Ticket& operator=(Ticket const&) = delete;

    ~Ticket()
    {
        if (mData == nullptr)
        {
            return;
        }
        if (mAllocator != nullptr)
        {
            mAllocator->deallocateAsync(mData, nullptr);
        }
        else
        {
            static_cast<void>(cudaFree(mData));
        }
    }

    bool make(IGpuAllocator* allocator) noexcept
    {
        if (mData == nullptr)
        {
            void* memory = nullptr;
            if (allocator != nullptr)
            {
                memory = allocator->allocateAsync(sizeof(int32_t), 0, 0, nullptr);
            }
            else if (cudaMalloc(&memory, sizeof(int32_t)) != cudaSuccess)
            {
                return false;
            }
            mData = static_cast<int32_t*>(memory);
            mAllocator = allocator;
        }
        return mData != nullptr && cudaMemset(mData, 0, sizeof(int32_t)) == cudaSuccess;
    }

    int32_t* get() const noexcept { return mData; }

private:
    int32_t* mData{nullptr};
    IGpuAllocator* mAllocator{nullptr};
};

class CumulativeSum final : public IPluginV3,
                            public IPluginV3OneCore,
                            public IPluginV3OneBuild,
                            public IPluginV3OneRuntime
{
public:
    explicit CumulativeSum(int32_t exclusive) noexcept
        : mExclusive(exclusive)
    {
    }

    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override
    {
        switch (type)
        {
        case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
        case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
        case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }

    CumulativeSum* clone() noexcept override { return new (std::nothrow) CumulativeSum(mExclusive); }

    char const* getPluginName() const noexcept override { return kName; }
    char const* getPluginVersion() const noexcept override { return kVersion; }
    char const* getPluginNamespace() const noexcept override { return kNamespace; }
    int32_t getNbOutputs() const noexcept override { return 1; }

    int32_t getOutputDataTypes(
        DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes, int32_t nbInputs) const noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1)
        {
            return -1;
        }
        outputTypes[0] = inputTypes[0];
        return 0;
    }

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t, DimsExprs* outputs,
        int32_t nbOutputs, IExprBuilder&) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1 || inputs[0].nbDims < 1)
        {
            return -1;
        }
        outputs[0] = inputs[0];
        return 0;
    }

    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1 || inOut[pos].desc.format != TensorFormat::kLINEAR)
        {
            return false;
        }
        DataType const type = inOut[pos].desc.type;
        return pos == 0 ? type == DataType::kINT32 || type == DataType::kINT64 || type == DataType::kFLOAT
                        : type == inOut[0].desc.type;
    }

    int32_t configurePlugin(
        DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override
    {
        return 0;
    }

    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override
    {
        return ready(nullptr) ? 0 : -1;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        Dims const& dims = inputDesc[0].dims;
        int64_t rows = 1;
        for (int32_t i = 0; i + 1 < dims.nbDims; ++i)
        {
            rows *= dims.d[i];
        }
        cumsum::Element const element = inputDesc[0].type == DataType::kINT32 ? cumsum::Element::kInt32
            : inputDesc[0].type == DataType::kINT64                           ? cumsum::Element::kInt64
                                                                              : cumsum::Element::kFloat;
        if (!mReady)
        {
            return -1;
        }
        cudaError_t const status = cumsum::run(mMachine, element, inputs[0], outputs[0], rows, dims.d[dims.nbDims - 1],
            mExclusive != 0, mTicket.get(), stream);
        if (status != cudaSuccess)
        {
            complain(cudaGetErrorString(status));
        }
        return status == cudaSuccess ? 0 : -1;
    }

    IPluginV3* attachToContext(IPluginResourceContext* context) noexcept override
    {
        std::unique_ptr<CumulativeSum> attached{clone()};
        return attached && attached->ready(context == nullptr ? nullptr : context->getGpuAllocator())
            ? attached.release()
            : nullptr;
    }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        mField = {"exclusive", &mExclusive, PluginFieldType::kINT32, 1};
        mCollection = {1, &mField};
        return &mCollection;
    }

private:
    bool ready(IGpuAllocator* allocator) noexcept
    {
        if (!mReady)
        {
            mReady = cumsum::prepare(mMachine) == cudaSuccess && mTicket.make(allocator);
        }
        return mReady;
    }

    int32_t const mExclusive;
    bool mReady{false};
    cumsum::Machine mMachine{};
    Ticket mTicket;
    PluginField mField;
    PluginFieldCollection mCollection{};
};

// exclusive: 0 (the default) or 1, one int32. Unknown fields are told to the logger and ignored.
class CumulativeSumCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return kName; }
    char const* getPluginVersion() const noexcept override { return kVersion; }
    char const* getPluginNamespace() const noexcept override { return kNamespace; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mCollection; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const* fc, TensorRTPhase) noexcept override
    {
        int32_t exclusive = 0;
        for (int32_t i = 0; fc != nullptr && fc->fields != nullptr && i < fc->nbFields; ++i)
        {
            PluginField const& field = fc->fields[i];
            if (field.name == nullptr || std::strcmp(field.name, "exclusive") != 0)
            {
                complain("CumulativeSum: a field that is not known is ignored");
                continue;
            }
            if (field.type != PluginFieldType::kINT32 || field.length != 1 || field.data == nullptr)
            {
                complain("CumulativeSum: exclusive must be one int32");
                return nullptr;
            }
            std::memcpy(&exclusive, field.data, sizeof exclusive);
        }
        return exclusive == 0 || exclusive == 1 ? new (std::nothrow) CumulativeSum(exclusive) : nullptr;
    }

private:
    PluginField mField{"exclusive", nullptr, PluginFieldType::kINT32, 1};
    PluginFieldCollection mCollection{1, &mField};
};
} // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static CumulativeSumCreator creator;
    static IPluginCreatorInterface* const list[] = {&creator};
    nbCreators = 1;
    return list;
}

extern "C" void setLoggerFinder(ILoggerFinder* finder)
{
    gLoggerFinder = finder;
}
