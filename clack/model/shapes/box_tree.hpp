// A fixed binary tree of bounding boxes over the items of a shape (triangles of a mesh).
#pragma once

#include <array>
#include <vector>

#include "clack/model/shapes/bounding_box.hpp"

namespace clack {

class BoxTree {
 public:
  BoxTree() = default;
  explicit BoxTree(const std::vector<BoundingBox>& boxes);

  // Calls visit(item) for every item whose box meets `box`, always in the same order.
  template <class Visit>
  void query(const BoundingBox& box, Visit&& visit) const {
    std::array<int, 64> stack;  // the tree is halved at every level: depth <= 32
    int depth = 0;
    if (!nodes_.empty()) stack[depth++] = 0;
    while (depth > 0) {
      const Node& node = nodes_[stack[--depth]];
      if (!node.box.overlaps(box)) continue;
      if (node.count > 0) {
        for (int i = 0; i < node.count; ++i)
          if (item_boxes_[node.first + i].overlaps(box)) visit(items_[node.first + i]);
      } else {
        stack[depth++] = node.first + 1;
        stack[depth++] = node.first;
      }
    }
  }

 private:
  struct Node {
    BoundingBox box;
    int first;  // first item, or the left child (the right one follows it)
    int count;  // of items; 0: two children
  };
  void build(int node, int begin, int end, const std::vector<BoundingBox>& boxes);

  std::vector<Node> nodes_;
  std::vector<int> items_;
  std::vector<BoundingBox> item_boxes_;  // in the order of items_
};

}  // namespace clack
