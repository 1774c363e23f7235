// Part of the kit: the way from a plugin to the application's log.
//
// A plugin library has no logger of its own. TensorRT hands it an ILoggerFinder, through setLoggerFinder(), when the
// library is loaded; the finder gives the logger of whoever is calling (NvInferRuntime.h 10.14, ILoggerFinder).
#pragma once

#include <NvInferRuntime.h>

namespace kit __attribute__((visibility("hidden")))
{
inline nvinfer1::ILoggerFinder*& finder() noexcept
{
    static nvinfer1::ILoggerFinder* kept = nullptr;
    return kept;
}

// Call it in setLoggerFinder(). The finder is TensorRT's and lives as long as it needs to: do not delete it.
inline void keepLoggerFinder(nvinfer1::ILoggerFinder* given) noexcept
{
    finder() = given;
}

// Say something, in the thread in which TensorRT called the plugin. Nobody hears it where there is no logger.
inline void log(nvinfer1::ILogger::Severity severity, char const* text) noexcept
{
    nvinfer1::ILogger* const logger = finder() == nullptr ? nullptr : finder()->findLogger();
    if (logger != nullptr)
    {
        logger->log(severity, text);
    }
}

inline void logError(char const* text) noexcept
{
    log(nvinfer1::ILogger::Severity::kERROR, text);
}
} // namespace kit
