// Memory that grows and is handed out from its end; never cleared, never given back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace clack {

class GrowingStack {
 public:
  double* at(std::size_t begin) { return data_.data() + begin; }
  std::size_t push(std::size_t count) {
    const std::size_t begin = size_;
    size_ += count;
    if (data_.size() < size_) data_.resize(std::max(size_, 2 * data_.size()));
    return begin;
  }
  void cut(std::size_t size) { size_ = size; }

 private:
  std::vector<double> data_;
  std::size_t size_ = 0;
};

}  // namespace clack
