#include "clack/core/formula/subgraph.hpp"

#include <algorithm>

namespace clack::formula {
namespace {

constexpr std::size_t kMaxSparsity =
    8;  // indices for each node, beyond which a table wastes memory

}  // namespace

Descent::Descent(const Graph& graph, std::span<const Expr> roots)
    : graph_(&graph), heap_(roots.begin(), roots.end()) {
  std::make_heap(heap_.begin(), heap_.end());
}

Expr Descent::pop() {
  const Expr e = top();
  while (!heap_.empty() && heap_.front() == e) {
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
  }
  return e;
}

void Descent::push(Expr e) {
  heap_.push_back(e);
  std::push_heap(heap_.begin(), heap_.end());
}

void Descent::push_operands(Expr e) {
  const Node& n = graph_->node(e);
  for (const Expr operand : {n.a, n.b, n.c}) {
    if (operand != kNone) push(operand);
  }
}

Subgraph::Subgraph(const Graph& graph, std::span<const Expr> roots) {
  for (Descent walk(graph, roots); !walk.done(); walk.pop_and_expand()) {
    nodes_.push_back(walk.top());
  }
  std::reverse(nodes_.begin(), nodes_.end());
  if (nodes_.empty()) return;
  const auto range = static_cast<std::size_t>(nodes_.back() - nodes_.front()) + 1;
  if (range > kMaxSparsity * nodes_.size()) return;
  positions_.assign(range, -1);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    positions_[static_cast<std::size_t>(nodes_[i] - nodes_.front())] = static_cast<std::int32_t>(i);
  }
}

bool Subgraph::contains(Expr e) const {
  if (nodes_.empty() || e < nodes_.front() || e > nodes_.back()) return false;
  const std::size_t i = position(e);
  return i < nodes_.size() && nodes_[i] == e;
}

std::size_t Subgraph::position(Expr e) const {
  if (!positions_.empty()) {
    return static_cast<std::size_t>(positions_[static_cast<std::size_t>(e - nodes_.front())]);
  }
  return static_cast<std::size_t>(std::lower_bound(nodes_.begin(), nodes_.end(), e) -
                                  nodes_.begin());
}

}  // namespace clack::formula
