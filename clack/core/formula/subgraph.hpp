// Walks over the part of a Graph that an expression needs, without recursion.
#pragma once

#include <span>
#include <vector>

#include "clack/core/formula/graph.hpp"

namespace clack::formula {

// Visits the nodes under the roots once each, by descending index (every node before its operands).
// A heap of indices replaces marks, so the cost does not grow with the rest of the graph.
class Descent {
 public:
  Descent(const Graph& graph, std::span<const Expr> roots);
  Descent(const Graph& graph, Expr root) : Descent(graph, std::span<const Expr>(&root, 1)) {}

  [[nodiscard]] bool done() const { return heap_.empty(); }
  [[nodiscard]] Expr top() const { return heap_.front(); }
  Expr pop();  // takes the top off, with its duplicates
  void push(Expr e);
  void push_operands(Expr e);
  void pop_and_expand() { push_operands(pop()); }

 private:
  const Graph* graph_;
  std::vector<Expr> heap_;
};

// The nodes under the roots by ascending index (operands first), with their positions: by a table
// where the nodes fill a fair part of their range of indices, by bisection where they are sparse.
class Subgraph {
 public:
  Subgraph(const Graph& graph, std::span<const Expr> roots);
  Subgraph(const Graph& graph, Expr root) : Subgraph(graph, std::span<const Expr>(&root, 1)) {}

  [[nodiscard]] const std::vector<Expr>& nodes() const { return nodes_; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] bool contains(Expr e) const;
  [[nodiscard]] std::size_t position(Expr e) const;  // of a node that is contained

 private:
  std::vector<Expr> nodes_;
  std::vector<std::int32_t> positions_;  // of index nodes_.front() + i, -1 for none; may be empty
};

}  // namespace clack::formula
