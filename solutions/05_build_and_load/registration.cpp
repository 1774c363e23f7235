// registration.cpp: how TensorRT finds the creator of ScaleShift when it loads this library.
#include "scale_shift.h"

#include "common/log.h"

#include <cstdint>

using namespace nvinfer1;

// YOUR TURN 1: the name, the version and the namespace that the contract asks for.
Identity const kIDENTITY{"ScaleShift", "2", "course.load"};
// END

// YOUR TURN 2: the two functions that IPluginRegistry::loadLibrary() looks for. getCreators() gives the list of creators
// and how many there are; setLoggerFinder() hands what it is given to kit::keepLoggerFinder(), so that the plugin can
// say in TensorRT's log why it refuses an attribute.
#define ENTRY_POINT extern "C" __attribute__((visibility("default")))

ENTRY_POINT IPluginCreatorInterface* const* getCreators(int32_t& count)
{
    static ScaleShiftCreator creator;
    static IPluginCreatorInterface* const list[] = {&creator};
    count = 1;
    return list;
}

ENTRY_POINT void setLoggerFinder(ILoggerFinder* finder)
{
    kit::keepLoggerFinder(finder);
}
// END
