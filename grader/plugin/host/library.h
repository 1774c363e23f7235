// The plugin library, NVIDIA's registry, and the creators that the one brings into the other.
#pragma once

#include <string>

#include "value.h"

namespace host {

std::string openRegistry(const char* path);  // libnvinfer_lean.so.10; empty on success, else why not

// What TensorRT's loadLibrary does, step by step, so that a step that does not return is known. The results are those of
// `Loaded` in grader/plugin/records.py.
Value openLibrary(const std::string& path);
Value giveLogger();    // setLoggerFinder
Value listCreators();  // getCreators, and loadLibrary itself
Value closeLibrary();

Value creatorFacts(int64_t creator);                       // [kind, major, name, version, namespace, fields]
Value lookUp(const Value& name, const Value& version, const Value& pluginNamespace);  // a creator's number or null
Value registerCreator(int64_t creator, const Value& pluginNamespace);                 // whether the registry took it
Value createPlugin(const Value& arguments);       // [creator, layer's name, fields, phase] -> [number, address] or null
Value deserializePlugin(const Value& arguments);  // [creator, layer's name, bytes] -> the same
Value manyLives(const Value& arguments);  // [creator, name, fields, lives, [inputs, outputs, run's arguments] or null]

}  // namespace host
