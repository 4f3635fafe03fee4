#include "clack/solve/auto/elimination.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace clack {
namespace {

// Groups of contacts with equal closed neighbourhoods, and the graph between the groups.
struct Quotient {
  std::vector<std::vector<int>> members;
  std::vector<std::vector<int>> neighbours;  // sorted, without the group itself
};

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

Quotient merge_twins(std::span<const int> begin, std::span<const int> column) {
  const std::vector<int> group = find_twins(begin, column);
  Quotient quotient;
  for (int i = 0; i < static_cast<int>(group.size()); ++i) {
    if (group[i] == static_cast<int>(quotient.members.size())) quotient.members.emplace_back();
    quotient.members[group[i]].push_back(i);
  }
  for (std::size_t g = 0; g < quotient.members.size(); ++g) {
    const int head = quotient.members[g][0];
    std::vector<int> list;
    for (int k = begin[head]; k < begin[head + 1]; ++k) {
      if (group[column[k]] != static_cast<int>(g)) list.push_back(group[column[k]]);
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    quotient.neighbours.push_back(std::move(list));
  }
  return quotient;
}

// Position of each group in the order of approximate minimum degree.
std::vector<int> minimum_degree(const Quotient& quotient) {
  const int n = static_cast<int>(quotient.members.size());
  Eigen::SparseMatrix<double> lower(n, n);  // with its diagonal
  std::vector<int> sizes(n, 1);
  for (int j = 0; j < n; ++j) {
    for (int i : quotient.neighbours[j]) sizes[j] += i > j;
  }
  lower.reserve(sizes);
  for (int j = 0; j < n; ++j) {
    lower.insert(j, j) = 1;
    for (int i : quotient.neighbours[j]) {
      if (i > j) lower.insert(i, j) = 1;
    }
  }
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(lower.selfadjointView<Eigen::Lower>(), permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

// Groups of groups while fronts are built: pivots and border as groups.
struct Node {
  std::vector<int> pivots, border;
  int parent = -1;
  int pivot_contacts = 0, border_contacts = 0;
};

std::vector<Node> symbolic(const Quotient& quotient, const std::vector<int>& order) {
  const int n = static_cast<int>(order.size());
  std::vector<int> position(n);
  for (int k = 0; k < n; ++k) position[order[k]] = k;
  std::vector<Node> nodes(n);
  std::vector<std::vector<int>> children(n);
  std::vector<int> mark(n, -1);
  for (int k = 0; k < n; ++k) {
    Node& node = nodes[k];
    const int g = order[k];
    node.pivots = {g};
    mark[g] = k;
    auto add = [&](int other) {
      if (position[other] > k && mark[other] != k) {
        mark[other] = k;
        node.border.push_back(other);
      }
    };
    for (int other : quotient.neighbours[g]) add(other);
    for (int child : children[k]) {
      for (int other : nodes[child].border) add(other);
    }
    node.pivot_contacts = static_cast<int>(quotient.members[g].size());
    for (int other : node.border)
      node.border_contacts += static_cast<int>(quotient.members[other].size());
    int first = n;
    for (int other : node.border) first = std::min(first, position[other]);
    if (first < n) {
      node.parent = first;
      children[first].push_back(k);
    }
  }
  return nodes;
}

double front_work(double pivots, double border) {
  const double all = pivots + border;
  // sum over pivots of the square of what is left
  return (all * (all + 1) * (2 * all + 1) - border * (border + 1) * (2 * border + 1)) / 6;
}

// Merges a child into its parent where the zeros that appear cost less than a front of its own.
void amalgamate(std::vector<Node>& nodes, int dim, std::vector<int>& merged_into) {
  const int n = static_cast<int>(nodes.size());
  merged_into.assign(n, -1);
  constexpr double kFrontCost = 1000;  // multiply-adds that handling one more front is worth
  for (int k = 0; k < n; ++k) {
    int parent = nodes[k].parent;
    if (parent < 0) continue;
    while (merged_into[parent] >= 0) parent = merged_into[parent];
    nodes[k].parent = parent;
    Node& child = nodes[k];
    Node& target = nodes[parent];
    const double separate = front_work(dim * child.pivot_contacts, dim * child.border_contacts) +
                            front_work(dim * target.pivot_contacts, dim * target.border_contacts);
    const double together = front_work(dim * (child.pivot_contacts + target.pivot_contacts),
                                       dim * target.border_contacts);
    if (together > separate + kFrontCost + 0.05 * separate) continue;
    target.pivots.insert(target.pivots.begin(), child.pivots.begin(), child.pivots.end());
    target.pivot_contacts += child.pivot_contacts;
    merged_into[k] = parent;
  }
}

// Fronts that are left, children right before their parent, so that their updates can live on a
// stack.
std::vector<int> postorder(const std::vector<Node>& nodes, const std::vector<int>& merged_into) {
  const int n = static_cast<int>(nodes.size());
  std::vector<std::vector<int>> children(n);
  std::vector<int> stack, order;
  for (int k = n - 1; k >= 0; --k) {
    if (merged_into[k] >= 0) continue;
    if (nodes[k].parent >= 0) {
      children[nodes[k].parent].push_back(k);
    } else {
      stack.push_back(k);
    }
  }
  while (!stack.empty()) {
    const int k = stack.back();
    stack.pop_back();
    order.push_back(k);
    stack.insert(stack.end(), children[k].begin(), children[k].end());
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// Parents of fronts that were merged are those that took them in.
void settle_parents(std::vector<Node>& nodes, const std::vector<int>& merged_into) {
  for (Node& node : nodes) {
    while (node.parent >= 0 && merged_into[node.parent] >= 0)
      node.parent = merged_into[node.parent];
  }
}

Elimination expand(const Quotient& quotient, std::vector<Node>& nodes,
                   const std::vector<int>& merged_into, int dim) {
  settle_parents(nodes, merged_into);
  const std::vector<int> order = postorder(nodes, merged_into);
  Elimination plan;
  std::vector<int> index(nodes.size(), -1), group_begin(quotient.members.size());
  for (int k : order) {
    index[k] = static_cast<int>(plan.fronts.size());
    const int first = static_cast<int>(plan.order.size());
    for (int g : nodes[k].pivots) {
      group_begin[g] = static_cast<int>(plan.order.size());
      plan.order.insert(plan.order.end(), quotient.members[g].begin(), quotient.members[g].end());
    }
    plan.fronts.push_back({first, static_cast<int>(plan.order.size()), 0, 0, -1, 0, 0});
  }
  for (int k : order) {
    Front& front = plan.fronts[index[k]];
    front.border_begin = static_cast<int>(plan.border.size());
    for (int g : nodes[k].border) {
      for (std::size_t m = 0; m < quotient.members[g].size(); ++m)
        plan.border.push_back(group_begin[g] + static_cast<int>(m));
    }
    front.border_end = static_cast<int>(plan.border.size());
    std::sort(plan.border.begin() + front.border_begin, plan.border.end());
    plan.flops += front_work(static_cast<double>(dim) * (front.last - front.first),
                             static_cast<double>(dim) * (front.border_end - front.border_begin));
    if (nodes[k].parent < 0) continue;
    front.parent = index[nodes[k].parent];
    ++plan.fronts[front.parent].children;
  }
  for (auto front = plan.fronts.rbegin(); front != plan.fronts.rend(); ++front) {
    if (front->parent >= 0) front->depth = plan.fronts[front->parent].depth + 1;
  }
  return plan;
}

Elimination single_front(int n, int dim) {
  Elimination plan;
  plan.order.resize(n);
  std::iota(plan.order.begin(), plan.order.end(), 0);
  plan.fronts.push_back({0, n, 0, 0, -1, 0, 0});
  plan.flops = front_work(static_cast<double>(dim) * n, 0);
  return plan;
}

}  // namespace

std::vector<int> find_twins(std::span<const int> begin, std::span<const int> column) {
  const int n = static_cast<int>(begin.size()) - 1;
  std::vector<int> group(n, -1);
  std::unordered_map<std::uint64_t, std::vector<int>> heads;  // first members, by hash
  auto same = [&](int a, int b) {
    return std::equal(column.begin() + begin[a], column.begin() + begin[a + 1],
                      column.begin() + begin[b], column.begin() + begin[b + 1]);
  };
  int groups = 0;
  for (int i = 0; i < n; ++i) {
    std::uint64_t hash = 0;
    for (int k = begin[i]; k < begin[i + 1]; ++k)
      hash += mix(static_cast<std::uint64_t>(column[k]) + 1);
    std::vector<int>& candidates = heads[hash];
    const auto head =
        std::find_if(candidates.begin(), candidates.end(), [&](int c) { return same(c, i); });
    if (head != candidates.end()) {
      group[i] = group[*head];
      continue;
    }
    group[i] = groups++;
    candidates.push_back(i);
  }
  return group;
}

Elimination plan_elimination(std::span<const int> begin, std::span<const int> column, int dim) {
  const int n = static_cast<int>(begin.size()) - 1;
  if (n * dim <= 36) return single_front(n, dim);  // dense is cheaper than any plan
  const Quotient quotient = merge_twins(begin, column);
  std::vector<Node> nodes = symbolic(quotient, minimum_degree(quotient));
  std::vector<int> merged_into;
  amalgamate(nodes, dim, merged_into);
  return expand(quotient, nodes, merged_into, dim);
}

}  // namespace clack
