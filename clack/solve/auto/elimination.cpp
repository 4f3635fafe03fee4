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
  const int n = static_cast<int>(begin.size()) - 1;
  std::vector<int> group(n, -1);
  std::unordered_map<std::uint64_t, std::vector<int>> by_hash;  // group heads
  Quotient quotient;
  auto same = [&](int a, int b) {
    return std::equal(column.begin() + begin[a], column.begin() + begin[a + 1],
                      column.begin() + begin[b], column.begin() + begin[b + 1]);
  };
  for (int i = 0; i < n; ++i) {
    std::uint64_t hash = 0;
    for (int k = begin[i]; k < begin[i + 1]; ++k) hash += mix(static_cast<std::uint64_t>(column[k]) + 1);
    std::vector<int>& heads = by_hash[hash];
    for (int head : heads) {
      if (same(head, i)) {
        group[i] = group[head];
        break;
      }
    }
    if (group[i] < 0) {
      group[i] = static_cast<int>(quotient.members.size());
      quotient.members.emplace_back();
      heads.push_back(i);
    }
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
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 1.0);
    for (int j : quotient.neighbours[i]) entries.emplace_back(i, j, 1.0);
  }
  Eigen::SparseMatrix<double> pattern(n, n);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern, permutation);
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
    for (int other : node.border) node.border_contacts += static_cast<int>(quotient.members[other].size());
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
  constexpr double kFrontCost = 1500;  // multiply-adds that handling one more front is worth
  for (int k = 0; k < n; ++k) {
    int parent = nodes[k].parent;
    if (parent < 0) continue;
    while (merged_into[parent] >= 0) parent = merged_into[parent];
    nodes[k].parent = parent;
    Node& child = nodes[k];
    Node& target = nodes[parent];
    const double separate = front_work(dim * child.pivot_contacts, dim * child.border_contacts) +
                            front_work(dim * target.pivot_contacts, dim * target.border_contacts);
    const double together =
        front_work(dim * (child.pivot_contacts + target.pivot_contacts), dim * target.border_contacts);
    if (together > separate + kFrontCost + 0.05 * separate) continue;
    target.pivots.insert(target.pivots.begin(), child.pivots.begin(), child.pivots.end());
    target.pivot_contacts += child.pivot_contacts;
    merged_into[k] = parent;
  }
}

// Children right before their parent, so that their updates can live on a stack.
void sort_postorder(Elimination& plan) {
  const int n = static_cast<int>(plan.fronts.size());
  std::vector<std::vector<int>> children(n);
  std::vector<int> stack;
  for (int k = n - 1; k >= 0; --k) {
    if (plan.fronts[k].parent >= 0) {
      children[plan.fronts[k].parent].push_back(k);
    } else {
      stack.push_back(k);
    }
  }
  std::vector<int> reversed;  // parents before children
  while (!stack.empty()) {
    const int k = stack.back();
    stack.pop_back();
    reversed.push_back(k);
    stack.insert(stack.end(), children[k].begin(), children[k].end());
  }
  std::vector<int> index(n);
  for (int k = 0; k < n; ++k) index[reversed[k]] = n - 1 - k;
  std::vector<Front> sorted(n);
  for (int k = 0; k < n; ++k) {
    sorted[index[k]] = std::move(plan.fronts[k]);
    if (sorted[index[k]].parent >= 0) sorted[index[k]].parent = index[sorted[index[k]].parent];
  }
  plan.fronts = std::move(sorted);
}

Elimination expand(const Quotient& quotient, const std::vector<Node>& nodes,
                   const std::vector<int>& merged_into, int dim) {
  const int n = static_cast<int>(nodes.size());
  Elimination plan;
  std::vector<int> index(n, -1);
  for (int k = 0; k < n; ++k) {
    if (merged_into[k] >= 0) continue;
    index[k] = static_cast<int>(plan.fronts.size());
    Front front;
    for (int g : nodes[k].pivots) {
      front.pivots.insert(front.pivots.end(), quotient.members[g].begin(), quotient.members[g].end());
    }
    for (int g : nodes[k].border) {
      front.border.insert(front.border.end(), quotient.members[g].begin(), quotient.members[g].end());
    }
    const int all = static_cast<int>(front.pivots.size() + front.border.size());
    plan.largest = std::max(plan.largest, all);
    plan.flops += front_work(static_cast<double>(dim) * front.pivots.size(), static_cast<double>(dim) * front.border.size());
    plan.fronts.push_back(std::move(front));
  }
  for (int k = 0; k < n; ++k) {
    if (merged_into[k] >= 0 || nodes[k].parent < 0) continue;
    int parent = nodes[k].parent;
    while (merged_into[parent] >= 0) parent = merged_into[parent];
    plan.fronts[index[k]].parent = index[parent];
  }
  sort_postorder(plan);
  return plan;
}

Elimination single_front(int n, int dim) {
  Elimination plan;
  plan.fronts.resize(1);
  plan.fronts[0].pivots.resize(n);
  std::iota(plan.fronts[0].pivots.begin(), plan.fronts[0].pivots.end(), 0);
  plan.flops = front_work(static_cast<double>(dim) * n, 0);
  plan.largest = n;
  return plan;
}

}  // namespace

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
