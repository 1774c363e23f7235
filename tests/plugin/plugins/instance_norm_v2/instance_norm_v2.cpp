#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // the V2 interfaces, on purpose

#include "plane_norm_kernel.h"
#include "serialize.hpp"

#include "NvInferRuntime.h"
#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace nvinfer1;

namespace
{
char const* const kPLANE_NORM_NAME{"PlaneNorm_TRT"};
char const* const kPLANE_NORM_VERSION{"1"};
constexpr uint32_t kBLOB_MAGIC{0x4D4E4C50U}; // "PLNM"
constexpr uint32_t kBLOB_VERSION{3U};

struct PlaneNormParameters
{
    float epsilon{1e-5F};
    int32_t relu{0};

    bool valid() const noexcept
    {
        return epsilon >= 0.F && std::isfinite(epsilon) && (relu == 0 || relu == 1);
    }
};

int64_t planesOf(Dims const& d) noexcept
{
    return d.d[0] * d.d[1];
}
} // namespace

class PlaneNormPlugin : public IPluginV2DynamicExt
{
public:
    PlaneNormPlugin(PlaneNormParameters const& parameters, std::string const& nameSpace)
        : mParameters(parameters)
        , mNamespace(nameSpace)
    {
    }
    PlaneNormPlugin() = delete;

    // IPluginV2DynamicExt
    IPluginV2DynamicExt* clone() const noexcept override
    {
        try
        {
            return std::make_unique<PlaneNormPlugin>(mParameters, mNamespace).release();
        }
        catch (std::exception const& e)
        {
            return nullptr;
        }
    }

    DimsExprs getOutputDimensions(
        int32_t outputIndex, DimsExprs const* inputs, int32_t nbInputs, IExprBuilder& exprBuilder) noexcept override
    {
        DimsExprs output(inputs[0]);
        if (outputIndex == 1)
        {
            output.nbDims = 2;
        }
        return output;
    }

    bool supportsFormatCombination(
        int32_t pos, PluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 2 || inOut[pos].format != TensorFormat::kLINEAR)
        {
            return false;
        }
        switch (pos)
        {
        case 0: return inOut[0].type == DataType::kFLOAT || inOut[0].type == DataType::kHALF;
        case 1: return inOut[1].type == inOut[0].type;
        default: return inOut[pos].type == DataType::kFLOAT;
        }
    }

    void configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs, DynamicPluginTensorDesc const* out,
        int32_t nbOutputs) noexcept override
    {
    }

    size_t getWorkspaceSize(PluginTensorDesc const* inputs, int32_t nbInputs, PluginTensorDesc const* outputs,
        int32_t nbOutputs) const noexcept override
    {
        return static_cast<size_t>(planesOf(inputs[0].dims)) * sizeof(PlaneStatistics);
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc, void const* const* inputs,
        void* const* outputs, void* workspace, cudaStream_t stream) noexcept override
    {
        Dims const& d = inputDesc[0].dims;
        int64_t size{1};
        for (int32_t i = 2; i < d.nbDims; ++i)
        {
            size *= d.d[i];
        }
        cudaError_t const status = planeNorm(stream, inputDesc[0].type == DataType::kHALF, inputs[0], outputs[0],
            static_cast<float*>(outputs[1]), static_cast<PlaneStatistics*>(workspace), planesOf(d), size,
            mParameters.epsilon, mParameters.relu != 0);
        return status == cudaSuccess ? 0 : 1;
    }

    // IPluginV2Ext
    DataType getOutputDataType(int32_t index, DataType const* inputTypes, int32_t nbInputs) const noexcept override
    {
        return index == 0 ? inputTypes[0] : DataType::kFLOAT;
    }

    // IPluginV2
    char const* getPluginType() const noexcept override
    {
        return kPLANE_NORM_NAME;
    }

    char const* getPluginVersion() const noexcept override
    {
        return kPLANE_NORM_VERSION;
    }

    int32_t getNbOutputs() const noexcept override
    {
        return 2;
    }

    int32_t initialize() noexcept override
    {
        return 0;
    }

    void terminate() noexcept override {}

    size_t getSerializationSize() const noexcept override
    {
        return sizeof(kBLOB_MAGIC) + sizeof(kBLOB_VERSION) + sizeof(mParameters.epsilon) + sizeof(mParameters.relu);
    }

    void serialize(void* buffer) const noexcept override
    {
        char* d = static_cast<char*>(buffer);
        writeValue(d, kBLOB_MAGIC);
        writeValue(d, kBLOB_VERSION);
        writeValue(d, mParameters.epsilon);
        writeValue(d, mParameters.relu);
    }

    void destroy() noexcept override
    {
        delete this;
    }

    void setPluginNamespace(char const* pluginNamespace) noexcept override
    {
        mNamespace = pluginNamespace ? pluginNamespace : "";
    }

    char const* getPluginNamespace() const noexcept override
    {
        return mNamespace.c_str();
    }

private:
    PlaneNormParameters mParameters;
    std::string mNamespace;
};

class PlaneNormPluginCreator : public IPluginCreator
{
public:
    PlaneNormPluginCreator()
    {
        mPluginAttributes.emplace_back(PluginField("epsilon", nullptr, PluginFieldType::kFLOAT32, 1));
        mPluginAttributes.emplace_back(PluginField("relu", nullptr, PluginFieldType::kINT32, 1));
        mFC.nbFields = static_cast<int32_t>(mPluginAttributes.size());
        mFC.fields = mPluginAttributes.data();
    }

    char const* getPluginName() const noexcept override
    {
        return kPLANE_NORM_NAME;
    }

    char const* getPluginVersion() const noexcept override
    {
        return kPLANE_NORM_VERSION;
    }

    PluginFieldCollection const* getFieldNames() noexcept override
    {
        return &mFC;
    }

    IPluginV2* createPlugin(char const* name, PluginFieldCollection const* fc) noexcept override
    {
        try
        {
            PlaneNormParameters parameters;
            for (int32_t i = 0; fc && fc->fields && i < fc->nbFields; ++i)
            {
                PluginField const& field = fc->fields[i];
                std::string const attrName{field.name ? field.name : ""};
                if (attrName != "epsilon" && attrName != "relu")
                {
                    continue;
                }
                auto const expected = attrName == "epsilon" ? PluginFieldType::kFLOAT32 : PluginFieldType::kINT32;
                if (field.type != expected || field.length != 1 || !field.data)
                {
                    return nullptr;
                }
                if (attrName == "epsilon")
                {
                    parameters.epsilon = *static_cast<float const*>(field.data);
                }
                else
                {
                    parameters.relu = *static_cast<int32_t const*>(field.data);
                }
            }
            return parameters.valid() ? new PlaneNormPlugin(parameters, mNamespace) : nullptr;
        }
        catch (std::exception const& e)
        {
            return nullptr;
        }
    }

    IPluginV2* deserializePlugin(char const* name, void const* serialData, size_t serialLength) noexcept override
    {
        try
        {
            char const* d = static_cast<char const*>(serialData);
            uint32_t magic{0};
            uint32_t version{0};
            PlaneNormParameters parameters;
            bool const complete = d && readValue(d, serialLength, magic) && readValue(d, serialLength, version)
                && readValue(d, serialLength, parameters.epsilon) && readValue(d, serialLength, parameters.relu)
                && serialLength == 0;
            if (!complete || magic != kBLOB_MAGIC || version != kBLOB_VERSION || !parameters.valid())
            {
                return nullptr;
            }
            return new PlaneNormPlugin(parameters, mNamespace);
        }
        catch (std::exception const& e)
        {
            return nullptr;
        }
    }

    void setPluginNamespace(char const* pluginNamespace) noexcept override
    {
        mNamespace = pluginNamespace ? pluginNamespace : "";
    }

    char const* getPluginNamespace() const noexcept override
    {
        return mNamespace.c_str();
    }

private:
    PluginFieldCollection mFC{};
    std::vector<PluginField> mPluginAttributes;
    std::string mNamespace;
};

REGISTER_TENSORRT_PLUGIN(PlaneNormPluginCreator);
