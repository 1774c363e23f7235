#include "descriptors.h"

#include <algorithm>

using nvinfer1::PluginField;
using nvinfer1::PluginFieldCollection;
using nvinfer1::PluginFieldType;

namespace host {
namespace {

constexpr int64_t kMostFields = 4096;
constexpr int64_t kMostBytes = 64 << 20;  // of a field
constexpr int64_t kMostBytesOfAll = 256 << 20;

}  // namespace

int64_t halfBytes(PluginFieldType type) {
  switch (type) {
    case PluginFieldType::kFLOAT16:
    case PluginFieldType::kBF16:
    case PluginFieldType::kINT16: return 4;
    case PluginFieldType::kFLOAT32:
    case PluginFieldType::kINT32: return 8;
    case PluginFieldType::kFLOAT64:
    case PluginFieldType::kINT64: return 16;
    case PluginFieldType::kINT8:
    case PluginFieldType::kCHAR:
    case PluginFieldType::kUNKNOWN:
    case PluginFieldType::kFP8: return 2;
    case PluginFieldType::kINT4:
    case PluginFieldType::kFP4: return 1;
    case PluginFieldType::kDIMS: return 2 * static_cast<int64_t>(sizeof(nvinfer1::Dims));
  }
  return 0;
}

namespace {

Value valueOf(const PluginField& field, int64_t& left) {
  const int64_t unit = halfBytes(field.type);
  const int64_t bytes = (unit * field.length + 1) / 2;
  const char* problem = nullptr;
  if (unit == 0) problem = "type";
  else if (field.length < 0 || bytes > std::min(kMostBytes, left)) problem = "length";
  const bool readable = problem == nullptr && field.data != nullptr;
  if (readable) left -= bytes;
  return List{Value(field.name), static_cast<int32_t>(field.type), field.length,
              readable ? Value::bytes(field.data, static_cast<uint64_t>(bytes)) : Value(), Value(problem)};
}

}  // namespace

nvinfer1::Dims dimsOf(const Value& extents) {
  nvinfer1::Dims dims{};
  dims.nbDims = extents.isNull() ? -1 : static_cast<int32_t>(std::min<uint64_t>(extents.size(), nvinfer1::Dims::MAX_DIMS));
  for (int32_t i = 0; i < dims.nbDims; ++i) dims.d[i] = extents[static_cast<uint64_t>(i)].integer();
  return dims;
}

Value valueOf(const nvinfer1::Dims& dims) {
  List extents;
  for (int32_t i = 0; i < std::clamp(dims.nbDims, 0, nvinfer1::Dims::MAX_DIMS); ++i) extents.push_back(dims.d[i]);
  return dims.nbDims == static_cast<int32_t>(extents.size()) ? Value(extents) : Value();
}

nvinfer1::PluginTensorDesc descriptorOf(const Value& value) {
  nvinfer1::PluginTensorDesc descriptor{};
  descriptor.type = static_cast<nvinfer1::DataType>(value[0].small());
  descriptor.format = static_cast<nvinfer1::TensorFormat>(value[1].small());
  descriptor.dims = dimsOf(value[2]);
  descriptor.scale = static_cast<float>(value[3].number());
  return descriptor;
}

nvinfer1::DynamicPluginTensorDesc dynamicDescriptorOf(const Value& value) {
  nvinfer1::DynamicPluginTensorDesc descriptor{};
  descriptor.desc = descriptorOf(value);
  descriptor.min = dimsOf(value[4]);
  descriptor.opt = dimsOf(value[5]);
  descriptor.max = dimsOf(value[6]);
  return descriptor;
}

Descriptors descriptorsOf(const char* what, const Value& values) {
  Descriptors made(what, values.size());
  for (size_t i = 0; i < made.size(); ++i) made[i] = descriptorOf(values[i]);
  return made;
}

DynamicDescriptors dynamicDescriptorsOf(const char* what, const Value& values) {
  DynamicDescriptors made(what, values.size());
  for (size_t i = 0; i < made.size(); ++i) made[i] = dynamicDescriptorOf(values[i]);
  return made;
}

LentArray<void*> addressesOf(const char* what, const Value& addresses) {
  LentArray<void*> made(what, addresses.size());
  for (size_t i = 0; i < made.size(); ++i) made[i] = reinterpret_cast<void*>(addresses[i].integer());
  return made;
}

Fields::Fields(const Value& fields) {
  if (fields.isNull()) return;  // no collection at all
  const auto keep = [this](char* data) { return lent_.push_back(data), data; };
  collection_ = reinterpret_cast<PluginFieldCollection*>(
      keep(lend("the field collection", sizeof(PluginFieldCollection), alignof(PluginFieldCollection))));
  collection_->nbFields = static_cast<int32_t>(fields.size());
  if (fields.size() == 0) return;
  auto* rows = reinterpret_cast<PluginField*>(
      keep(lend("the fields", fields.size() * sizeof(PluginField), alignof(PluginField))));
  collection_->fields = rows;
  for (uint64_t i = 0; i < fields.size(); ++i) {
    const Value& field = fields[i];
    if (!field[0].isNull()) {
      const std::string& name = field[0].text();
      char* kept = keep(lend("a field's name", name.size() + 1, 1));
      std::memcpy(kept, name.c_str(), name.size() + 1);
      rows[i].name = kept;
    }
    if (!field[3].isNull()) {
      const std::string& bytes = field[3].text();
      // Aligned as an array of its elements would be, and against the page without access where that allows it.
      const size_t alignment = bytes.size() % 8 == 0 ? 8 : bytes.size() % 4 == 0 ? 4 : bytes.size() % 2 == 0 ? 2 : 1;
      char* kept = keep(lend("a field's data", bytes.size(), alignment));
      std::memcpy(kept, bytes.data(), bytes.size());
      rows[i].data = kept;
    }
    rows[i].type = static_cast<PluginFieldType>(field[1].small());
    rows[i].length = field[2].small();
  }
}

Fields::~Fields() {
  for (char* data : lent_) takeBack(data);
}

Value valueOf(const PluginFieldCollection* fields) {
  if (fields == nullptr) return Value();
  List rows;
  if (fields->fields == nullptr) return rows;
  const int64_t count = std::clamp<int64_t>(fields->nbFields, 0, kMostFields);
  int64_t left = kMostBytesOfAll;
  for (int64_t i = 0; i < count; ++i) rows.push_back(valueOf(fields->fields[i], left));
  return rows;
}

}  // namespace host
