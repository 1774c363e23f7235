// Shows a RowsRuntime shapes, through the base class, and lets it enqueue.
// Request: "RANK EXTENT..." for each shape.
#include "rows_runtime.h"

#include "report.h"
#include <type_traits>

static_assert(std::is_base_of<nvinfer1::IPluginV3OneRuntime, RowsRuntime>::value,
    "RowsRuntime must derive from nvinfer1::IPluginV3OneRuntime");

static long long gRows = -1, gColumns = -1;

int32_t launchRows(int64_t rows, int64_t columns, float const*, float*, cudaStream_t)
{
    gRows = rows;
    gColumns = columns;
    return 0;
}

int32_t launchScale(int32_t, float const*, float*, cudaStream_t)
{
    return 0;
}

int main(int argc, char** argv)
{
    grader::Channel channel(argc, argv);
    std::istringstream request(harness::receive(channel));
    harness::Report report;
    RowsRuntime plugin;
    nvinfer1::IPluginV3OneRuntime& runtime = plugin;
    std::ostringstream seen;
    int32_t status = 0;
    for (int32_t rank; request >> rank;)
    {
        nvinfer1::PluginTensorDesc in[2]{}, out[2]{};
        for (int64_t& extent : in[0].dims.d) extent = 7; // beyond the rank: not the plugin's business
        in[0].dims.nbDims = rank;
        for (int32_t k = 0; k < rank; ++k) request >> in[0].dims.d[k];
        out[0] = in[0];
        void const* inputs[1]{in};
        void* outputs[1]{out};
        gRows = gColumns = -1;
        status |= runtime.onShapeChange(in, 1, out, 1);
        status |= runtime.enqueue(in, out, inputs, outputs, nullptr, nullptr);
        seen << gRows << ' ' << gColumns << ' ';
    }
    report.add("status", status);
    report.add("seen", seen.str());
    report.send(channel);
    return 0;
}
