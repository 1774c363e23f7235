// Each test of interface_tests.h is there, and answers while the compiler runs. What it answers of which class is asked
// by interface_tests.py, of classes that are made anew for each run.
#include "interface_tests.h"

#include <NvInferRuntime.h>
#include <type_traits>

namespace grader_blank
{
class PlainBlank final : public nvinfer1::IPluginV3OneBuildV2
{
};
} // namespace grader_blank

#define GRADER_ASKS(test)                                                                                              \
    static_assert(std::is_same<decltype(test<grader_blank::PlainBlank>()), bool>::value, #test " must return bool");   \
    constexpr bool grader_##test = test<grader_blank::PlainBlank>();

GRADER_ASKS(ownFormatLimit)
GRADER_ASKS(ownTimingCacheId)
GRADER_ASKS(ownWorkspaceSize)
GRADER_ASKS(tacticsAgree)
GRADER_ASKS(ownAlias)

int main()
{
    return 0;
}
