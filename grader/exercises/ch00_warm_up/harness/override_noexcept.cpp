// Calls a ScratchLayer as a host does: through the base class.
// Requests: "workspace MIN MAX [MIN MAX ...]" or "enqueue WHAT", WHAT = nothing | runtime_error | bad_alloc | int.
#include "scratch_layer.h"

#include "report.h"
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <vector>

static std::string gThrow = "nothing";
static int gRuns = 0;

void runKernels(TensorDesc const*, void*)
{
    ++gRuns;
    if (gThrow == "runtime_error") throw std::runtime_error("the launch failed");
    if (gThrow == "bad_alloc") throw std::bad_alloc();
    if (gThrow == "int") throw 719;
}

static_assert(std::is_base_of<Layer, ScratchLayer>::value, "ScratchLayer must derive from Layer");

int main(int argc, char** argv)
{
    grader::Channel channel(argc, argv);
    std::istringstream request(harness::receive(channel));
    harness::Report report;
    std::unique_ptr<Layer> layer(new ScratchLayer());
    std::string what;
    request >> what;
    if (what == "workspace")
    {
        std::vector<DynamicTensorDesc> inputs;
        for (DynamicTensorDesc input{{-1}, 0, 0}; request >> input.min >> input.max;) inputs.push_back(input);
        report.add("bytes", static_cast<long long>(
                                layer->getWorkspaceSize(inputs.data(), static_cast<std::int32_t>(inputs.size()))));
    }
    else
    {
        request >> gThrow;
        TensorDesc input{8};
        report.add("status", static_cast<long long>(layer->enqueue(&input, nullptr)));
        report.add("runs", gRuns);
    }
    report.send(channel);
    return 0;
}
