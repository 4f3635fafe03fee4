// Connected components of a graph whose edges come one by one: union-find with halving of paths.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <numeric>
#include <vector>

namespace clack {

class Components {
 public:
  void reset(std::size_t count) {
    parent_.resize(count);
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int size() const { return static_cast<int>(parent_.size()); }

  // The representative of a component: its smallest member.
  int find(int i) {
    while (parent(i) != i) {
      parent(i) = parent(parent(i));
      i = parent(i);
    }
    return i;
  }
  void join(int i, int j) {
    const int a = find(i), b = find(j);
    parent(std::max(a, b)) = std::min(a, b);
  }

  // The members of each component, ascending; components by their smallest member.
  std::vector<std::vector<int>> lists() {
    std::vector<std::vector<int>> lists;
    std::vector<int> number(parent_.size());
    for (int i = 0; i < size(); ++i) {
      const auto root = static_cast<std::size_t>(find(i));
      if (static_cast<int>(root) == i) {
        number[root] = static_cast<int>(lists.size());
        lists.emplace_back();
      }
      lists[static_cast<std::size_t>(number[root])].push_back(i);
    }
    return lists;
  }

 private:
  int& parent(int i) {
    assert(i >= 0 && i < size());
    return parent_[static_cast<std::size_t>(i)];
  }

  std::vector<int> parent_;
};

}  // namespace clack
