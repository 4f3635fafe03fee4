#include "clack/model/shapes/box_tree.hpp"

#include <algorithm>
#include <numeric>

namespace clack {

namespace {
constexpr int kLeafItems = 4;
}

BoxTree::BoxTree(const std::vector<BoundingBox>& boxes) {
  if (boxes.empty()) return;
  items_.resize(boxes.size());
  std::iota(items_.begin(), items_.end(), 0);
  nodes_.reserve(2 * boxes.size());
  nodes_.emplace_back();
  build(0, 0, static_cast<int>(boxes.size()), boxes);
  for (const int item : items_) item_boxes_.push_back(boxes[item]);
}

void BoxTree::build(int node, int begin, int end, const std::vector<BoundingBox>& boxes) {
  BoundingBox box, centres;
  for (int i = begin; i < end; ++i) {
    box.include(boxes[items_[i]]);
    centres.include(boxes[items_[i]].centre());
  }
  nodes_[node] = {box, begin, end - begin};
  if (end - begin <= kLeafItems) return;
  int axis;
  (centres.upper - centres.lower).maxCoeff(&axis);
  const int middle = (begin + end) / 2;
  std::nth_element(items_.begin() + begin, items_.begin() + middle, items_.begin() + end,
                   [&](int a, int b) {
                     const double x = boxes[a].centre()[axis], y = boxes[b].centre()[axis];
                     return x < y || (x == y && a < b);
                   });
  const int children = static_cast<int>(nodes_.size());
  nodes_[node].first = children;
  nodes_[node].count = 0;
  nodes_.resize(nodes_.size() + 2);
  build(children, begin, middle, boxes);
  build(children + 1, middle, end, boxes);
}

}  // namespace clack
