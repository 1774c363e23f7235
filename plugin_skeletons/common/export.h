// Part of the kit: the two entry points by which TensorRT 10 and later find what is in a plugin library.
//
//   #include "common/export.h"
//   KIT_EXPORT(PReluCreator, LeakyReluCreator)
//
// once in a library, outside any namespace. IPluginRegistry::loadLibrary() looks for both by their plain names, and
// lists what getCreators() gives. Creators are made when they are first asked for and live as long as the library.
#pragma once

#include "common/log.h"

#include <NvInferRuntime.h>
#include <cstdint>
#include <tuple>

namespace kit __attribute__((visibility("hidden")))
{
// One object of each class, and the list of them.
template <typename... Creators>
nvinfer1::IPluginCreatorInterface* const* creators(int32_t& count) noexcept
{
    static_assert(sizeof...(Creators) > 0, "a plugin library lists at least one creator");
    static std::tuple<Creators...> objects;
    static nvinfer1::IPluginCreatorInterface* const list[] = {&std::get<Creators>(objects)...}; // each class once
    count = static_cast<int32_t>(sizeof...(Creators));
    return list;
}
} // namespace kit

// C linkage, or their names would be mangled; default visibility, so that a build with -fvisibility=hidden shows them.
#define KIT_EXPORT(...)                                                                                                \
    extern "C" __attribute__((visibility("default"))) nvinfer1::IPluginCreatorInterface* const* getCreators(           \
        int32_t& count)                                                                                                \
    {                                                                                                                  \
        return kit::creators<__VA_ARGS__>(count);                                                                      \
    }                                                                                                                  \
    extern "C" __attribute__((visibility("default"))) void setLoggerFinder(nvinfer1::ILoggerFinder* finder)            \
    {                                                                                                                  \
        kit::keepLoggerFinder(finder);                                                                                 \
    }
