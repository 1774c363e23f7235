#include "expressions.h"

#include <algorithm>
#include <new>

#include "guarded.h"

using nvinfer1::DimensionOperation;
using nvinfer1::IDimensionExpr;

namespace host {
namespace {

constexpr size_t kMost = 8192;  // expressions of one call

int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

// An operation on constants is a build-time constant (IDimensionExpr::isConstant). False where there is no result.
bool fold(DimensionOperation operation, int64_t a, int64_t b, int64_t& result) {
  switch (operation) {
    case DimensionOperation::kSUM: return !__builtin_add_overflow(a, b, &result);
    case DimensionOperation::kPROD: return !__builtin_mul_overflow(a, b, &result);
    case DimensionOperation::kMAX: return result = std::max(a, b), true;
    case DimensionOperation::kMIN: return result = std::min(a, b), true;
    case DimensionOperation::kSUB: return !__builtin_sub_overflow(a, b, &result);
    case DimensionOperation::kEQUAL: return result = a == b, true;
    case DimensionOperation::kLESS: return result = a < b, true;
    case DimensionOperation::kFLOOR_DIV: return b != 0 && (result = floorDiv(a, b), true);
    case DimensionOperation::kCEIL_DIV: return b != 0 && (result = -floorDiv(-a, b), true);
  }
  return false;
}

}  // namespace

struct Expressions::Node final : public IDimensionExpr, public nvinfer1::apiv::VDimensionExpr {
  explicit Node(char kind) : kind(kind) { mImpl = this; }
  Node(const Node& other)
      : kind(other.kind), value(other.value), left(other.left), right(other.right), number(other.number) {
    mImpl = this;
  }

  bool isConstant() const override { return kind == 'c'; }
  int64_t getConstantValue() const override { return kind == 'c' ? value : INT64_MIN; }
  bool isSizeTensor() const override { return kind == 'z'; }
  const IDimensionExpr* expression() const { return this; }

  char kind;                    // as in nodes()
  int64_t value = 0;            // of a constant; the number of the name, the operation or the output
  int64_t left = 0, right = 0;  // numbers of nodes, -1 for none
  int64_t number = 0;
};

Expressions::Expressions() : arena_(lend("the dimension expressions", kMost * sizeof(Node), alignof(Node))) { mImpl = this; }

Expressions::~Expressions() { takeBack(arena_); }

const IDimensionExpr* Expressions::add(const Node& node) {
  if (count_ == kMost) return nullptr;
  Node* made = new (arena_ + count_ * sizeof(Node)) Node(node);
  made->number = static_cast<int64_t>(count_++);
  return made->expression();
}

const Expressions::Node* Expressions::find(const IDimensionExpr* expression) const {
  for (size_t i = 0; i < count_; ++i) {
    const Node* node = reinterpret_cast<const Node*>(arena_) + i;
    if (node->expression() == expression) return node;
  }
  return nullptr;
}

const IDimensionExpr* Expressions::extent(const Value& value) {
  if (value.kind() == Value::Kind::kInteger) return constant(value.integer());
  names_.push_back(value.text());
  Node node('s');
  node.value = static_cast<int64_t>(names_.size()) - 1;
  return add(node);
}

Value Expressions::nodes() const {
  List rows;
  for (size_t i = 0; i < count_; ++i) {
    const Node& node = reinterpret_cast<const Node*>(arena_)[i];
    const Value kind(std::string(1, node.kind));
    const auto operand = [](int64_t number) { return number < 0 ? Value() : Value(number); };
    switch (node.kind) {
      case 'c': rows.push_back(List{kind, node.value}); break;
      case 's': rows.push_back(List{kind, names_[static_cast<size_t>(node.value)]}); break;
      default: rows.push_back(List{kind, node.value, operand(node.left), operand(node.right)});
    }
  }
  return rows;
}

Value Expressions::numberOf(const IDimensionExpr* expression) const {
  const Node* node = find(expression);
  return node == nullptr ? Value() : Value(node->number);
}

const IDimensionExpr* Expressions::constant(int64_t value) {
  Node node('c');
  node.value = value;
  return add(node);
}

const IDimensionExpr* Expressions::operation(DimensionOperation operation, const IDimensionExpr& first,
                                             const IDimensionExpr& second) {
  if (static_cast<uint32_t>(operation) > static_cast<uint32_t>(DimensionOperation::kCEIL_DIV)) return nullptr;
  const Node* left = find(&first);
  const Node* right = find(&second);
  int64_t folded = 0;
  if (left != nullptr && right != nullptr && left->isConstant() && right->isConstant() &&
      fold(operation, left->value, right->value, folded)) {
    return constant(folded);
  }
  Node node('o');
  node.value = static_cast<int64_t>(operation);
  node.left = left == nullptr ? -1 : left->number;
  node.right = right == nullptr ? -1 : right->number;
  return add(node);
}

const IDimensionExpr* Expressions::declareSizeTensor(int32_t output, const IDimensionExpr& opt, const IDimensionExpr& upper) {
  Node node('z');
  node.value = output;
  node.left = find(&opt) == nullptr ? -1 : find(&opt)->number;
  node.right = find(&upper) == nullptr ? -1 : find(&upper)->number;
  return add(node);
}

void fillShapes(Expressions& builder, const Value& shapes, nvinfer1::DimsExprs* to) {
  for (uint64_t i = 0; i < shapes.size(); ++i) {
    const uint64_t rank = std::min<uint64_t>(shapes[i].size(), nvinfer1::Dims::MAX_DIMS);
    to[i].nbDims = static_cast<int32_t>(rank);
    for (uint64_t k = 0; k < rank; ++k) to[i].d[k] = builder.extent(shapes[i][k]);
  }
}

Value shapeValue(const Expressions& builder, const nvinfer1::DimsExprs& shape) {
  if (shape.nbDims < 0 || shape.nbDims > nvinfer1::Dims::MAX_DIMS) return Value();
  List row;
  for (int32_t k = 0; k < shape.nbDims; ++k) row.push_back(builder.numberOf(shape.d[k]));
  return row;
}

}  // namespace host
