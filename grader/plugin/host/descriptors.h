// Tensor descriptors and fields, from the parent's values to the structures of TensorRT, lent to one call.
#pragma once

#include <cstddef>
#include <vector>

#include <NvInferRuntime.h>

#include "guarded.h"
#include "value.h"

namespace host {

nvinfer1::Dims dimsOf(const Value& extents);  // [extents]; a null has rank -1
Value valueOf(const nvinfer1::Dims& dims);

// [type, format, extents, scale]
nvinfer1::PluginTensorDesc descriptorOf(const Value& value);
// [type, format, extents, scale, min, opt, max]
nvinfer1::DynamicPluginTensorDesc dynamicDescriptorOf(const Value& value);

using Descriptors = LentArray<nvinfer1::PluginTensorDesc>;
using DynamicDescriptors = LentArray<nvinfer1::DynamicPluginTensorDesc>;
Descriptors descriptorsOf(const char* what, const Value& values);
DynamicDescriptors dynamicDescriptorsOf(const char* what, const Value& values);

LentArray<void*> addressesOf(const char* what, const Value& addresses);  // a null is a null pointer

// Bytes of an element of a field, in half bytes (kINT4 and kFP4 have one); 0 for a type that does not exist.
int64_t halfBytes(nvinfer1::PluginFieldType type);

// Fields, [name, type, length, bytes or null], each piece of memory lent: names and data fault once the call is over.
class Fields {
 public:
  explicit Fields(const Value& fields);
  ~Fields();
  Fields(const Fields&) = delete;
  const nvinfer1::PluginFieldCollection* get() const { return collection_; }

 private:
  std::vector<char*> lent_;
  nvinfer1::PluginFieldCollection* collection_ = nullptr;
};

// What a plugin gave out: [[name or null, type, length, bytes or null, problem], ...]; null for no collection.
// Data of a length or a type that makes no sense is not read; `problem` says why.
Value valueOf(const nvinfer1::PluginFieldCollection* fields);

}  // namespace host
