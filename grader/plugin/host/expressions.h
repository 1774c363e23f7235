// Dimension expressions as a plugin's shape method meets them: constants, unknown extents, operations, size tensors.
#pragma once

#include <string>
#include <vector>

#include <NvInferRuntime.h>

#include "value.h"

namespace host {

// Makes the expressions of one call. All of them are taken away with it, as TensorRT does (NvInferRuntime.h 10.14,
// IExprBuilder: values constructed by it are destroyed after the call).
class Expressions final : public nvinfer1::IExprBuilder, private nvinfer1::apiv::VExprBuilder {
 public:
  Expressions();
  ~Expressions() override;
  Expressions(const Expressions&) = delete;

  // An input's extent: a number, or the name of an unknown.
  const nvinfer1::IDimensionExpr* extent(const Value& value);
  // Everything that was made, in order: ["c", value], ["s", name], ["o", operation, left, right], ["z", output, opt, upper].
  // An operand is the number of an earlier node, or null for an expression that is not of this call.
  Value nodes() const;
  // The number of an expression; null for none and for what is not of this call.
  Value numberOf(const nvinfer1::IDimensionExpr* expression) const;

 private:
  struct Node;
  const nvinfer1::IDimensionExpr* add(const Node& node);
  const Node* find(const nvinfer1::IDimensionExpr* expression) const;

  const nvinfer1::IDimensionExpr* constant(int64_t value) override;
  const nvinfer1::IDimensionExpr* operation(nvinfer1::DimensionOperation operation, const nvinfer1::IDimensionExpr& first,
                                            const nvinfer1::IDimensionExpr& second) override;
  const nvinfer1::IDimensionExpr* declareSizeTensor(int32_t output, const nvinfer1::IDimensionExpr& opt,
                                                    const nvinfer1::IDimensionExpr& upper) override;

  char* arena_;  // of nodes
  size_t count_ = 0;
  std::vector<std::string> names_;
};

// The shapes of inputs, [[extent, ...], ...], as expressions; and an output's shape, [number of a node, ...], null where the
// plugin left it out or gave it a rank that does not exist.
void fillShapes(Expressions& builder, const Value& shapes, nvinfer1::DimsExprs* to);
Value shapeValue(const Expressions& builder, const nvinfer1::DimsExprs& shape);

}  // namespace host
