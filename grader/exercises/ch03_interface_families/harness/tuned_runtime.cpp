// Tells a TunedRuntime the tactics that TensorRT chose, through the base class, and lets it enqueue.
// Request: "TACTIC ANSWER" pairs: what setTactic is told (-1: it is not called), and what the launcher returns.
#include "tuned_runtime.h"

#include "report.h"
#include <type_traits>

static_assert(std::is_base_of<nvinfer1::IPluginV3OneRuntime, TunedRuntime>::value,
    "TunedRuntime must derive from nvinfer1::IPluginV3OneRuntime");

static int32_t gVersion = -1, gAnswer = 0, gLaunches = 0;

int32_t launchScale(int32_t version, float const*, float*, cudaStream_t)
{
    gVersion = version;
    ++gLaunches;
    return gAnswer;
}

int32_t launchRows(int64_t, int64_t, float const*, float*, cudaStream_t)
{
    return 0;
}

int main(int argc, char** argv)
{
    grader::Channel channel(argc, argv);
    std::istringstream request(harness::receive(channel));
    harness::Report report;
    TunedRuntime plugin;
    nvinfer1::IPluginV3OneRuntime& runtime = plugin;
    std::ostringstream versions, statuses;
    int32_t set = 0;
    for (int32_t tactic; request >> tactic >> gAnswer;)
    {
        if (tactic >= 0) set |= runtime.setTactic(tactic);
        nvinfer1::PluginTensorDesc in{}, out{};
        void const* inputs[1]{&in};
        void* outputs[1]{&out};
        gVersion = -1;
        statuses << runtime.enqueue(&in, &out, inputs, outputs, nullptr, nullptr) << ' ';
        versions << gVersion << ' ';
    }
    report.add("set", set);
    report.add("launches", gLaunches);
    report.add("versions", versions.str());
    report.add("statuses", statuses.str());
    report.send(channel);
    return 0;
}
