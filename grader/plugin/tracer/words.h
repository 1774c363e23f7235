// TensorRT's structures as JSON, in the words of a spec: "float32", "linear", extents as lists.
#pragma once

#include <NvInferRuntime.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "json_text.h"

namespace tracer {

namespace json = grader::json;
using nvinfer1::DynamicPluginTensorDesc;
using nvinfer1::PluginTensorDesc;

inline std::string words(bool value) { return json::boolean(value); }
inline std::string words(int32_t value) { return json::number(int64_t{value}); }
inline std::string words(size_t value) { return json::number(static_cast<int64_t>(value)); }
inline std::string words(const char* value) { return json::text(value); }

// A number's name, or the number itself where this table has none (a later TensorRT may know more).
template <class Enum, int64_t N>
std::string named(Enum value, const char* const (&names)[N]) {
  const auto number = static_cast<int64_t>(value);
  return number >= 0 && number < N ? json::text(names[number]) : json::number(number);
}

// The numbers of DataType and TensorFormat are the same in the headers of 10.0 to 10.14.
inline std::string words(nvinfer1::DataType type) {
  static constexpr const char* names[] = {"float32", "float16",  "int8",  "int32", "bool",   "uint8",
                                          "float8",  "bfloat16", "int64", "int4",  "float4", "e8m0"};
  return named(type, names);
}

inline std::string words(nvinfer1::TensorFormat format) {
  static constexpr const char* names[] = {"linear", "chw2", "hwc8",       "chw4",     "chw16", "chw32", "dhwc8",
                                          "cdhw32", "hwc",  "dla_linear", "dla_hwc4", "hwc16", "dhwc"};
  return named(format, names);
}

inline std::string words(const nvinfer1::Dims& dims) {
  if (dims.nbDims < 0 || dims.nbDims > nvinfer1::Dims::MAX_DIMS) return "null";
  return json::list(dims.nbDims, [&](int64_t i) { return json::number(int64_t{dims.d[i]}); });
}

inline json::Object parts(const PluginTensorDesc& desc) {
  json::Object said;
  return said.add("type", words(desc.type)).add("format", words(desc.format)).add("dims", words(desc.dims));
}

inline std::string words(const PluginTensorDesc& desc) { return parts(desc).str(); }

inline std::string words(const DynamicPluginTensorDesc& desc) {
  return parts(desc.desc).add("min", words(desc.min)).add("opt", words(desc.opt)).add("max", words(desc.max)).str();
}

// An expression that is no constant is null: what it stands for is not to be had from outside.
inline std::string words(const nvinfer1::DimsExprs& shape) {
  if (shape.nbDims < 0 || shape.nbDims > nvinfer1::Dims::MAX_DIMS) return "null";
  return json::list(shape.nbDims, [&](int64_t i) {
    const nvinfer1::IDimensionExpr* extent = shape.d[i];
    return extent != nullptr && extent->isConstant() ? json::number(int64_t{extent->getConstantValue()}) : "null";
  });
}

template <class T>
std::string words(const T* items, int64_t count) {
  return json::list(items == nullptr ? 0 : count, [&](int64_t i) { return words(items[i]); });
}

// [[name, PluginFieldType, length, bytes as hexadecimal digits or null], ...]. At most 64 bytes of a field are shown.
inline std::string words(const nvinfer1::PluginFieldCollection* fields) {
  if (fields == nullptr) return "null";
  return json::list(fields->fields == nullptr ? 0 : fields->nbFields, [&](int64_t i) {
    const nvinfer1::PluginField& field = fields->fields[i];
    // Bytes by PluginFieldType: half, float, double, int8, int16, int32, char, Dims, unknown, bfloat16, int64, float8.
    static constexpr int64_t sizes[] = {2, 4, 8, 1, 2, 4, 1, int64_t{sizeof(nvinfer1::Dims)}, 1, 2, 8, 1};
    const auto type = static_cast<int64_t>(field.type);
    const int64_t bytes = type < 0 || type >= int64_t{std::size(sizes)} ? 0 : sizes[type] * field.length;
    std::string data = field.data == nullptr ? "null" : "\"";
    for (int64_t at = 0; field.data != nullptr && at < std::min<int64_t>(bytes, 64); ++at) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", static_cast<const unsigned char*>(field.data)[at]);
      data += digits;
    }
    if (field.data != nullptr) data += '"';
    return "[" + json::text(field.name) + ", " + json::number(type) + ", " + json::number(int64_t{field.length}) + ", " +
           data + "]";
  });
}

}  // namespace tracer
