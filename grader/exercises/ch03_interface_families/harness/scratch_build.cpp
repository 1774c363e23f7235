// Asks a ScratchBuild what TensorRT asks, through the base class.
// Request: "workspace", then "RANK MAX..." for each shape; or "cache".
#include "scratch_build.h"

#include "report.h"
#include <type_traits>

static_assert(std::is_base_of<nvinfer1::IPluginV3OneBuild, ScratchBuild>::value,
    "ScratchBuild must derive from nvinfer1::IPluginV3OneBuild");

// An input whose max is told; what else is in it is wrong for anyone who takes it.
static nvinfer1::DynamicPluginTensorDesc input(int32_t rank, std::istringstream& request)
{
    nvinfer1::DynamicPluginTensorDesc one{};
    one.desc.type = nvinfer1::DataType::kFLOAT;
    one.desc.format = nvinfer1::TensorFormat::kLINEAR;
    for (nvinfer1::Dims* dims : {&one.desc.dims, &one.min, &one.opt, &one.max})
    {
        dims->nbDims = rank;
        for (int64_t& extent : dims->d) extent = dims == &one.desc.dims ? -1 : 3;
    }
    for (int32_t k = 0; k < rank; ++k)
    {
        request >> one.max.d[k];
        one.min.d[k] = one.max.d[k] > 0;
        one.opt.d[k] = (one.max.d[k] + 1) / 2;
    }
    return one;
}

int main(int argc, char** argv)
{
    grader::Channel channel(argc, argv);
    std::istringstream request(harness::receive(channel));
    harness::Report report;
    ScratchBuild plugin;
    nvinfer1::IPluginV3OneBuild& build = plugin;
    std::string what;
    request >> what;
    if (what == "workspace")
    {
        std::ostringstream bytes;
        for (int32_t rank; request >> rank;)
        {
            nvinfer1::DynamicPluginTensorDesc in[2]{input(rank, request), {}}, out[2]{};
            bytes << build.getWorkspaceSize(in, 1, out, 1) << ' ';
        }
        report.add("bytes", bytes.str());
    }
    else
    {
        char const* first = build.getTimingCacheID();
        report.add("null", first == nullptr);
        report.add("id", std::string(first == nullptr ? "" : first));
    }
    report.send(channel);
    return 0;
}
