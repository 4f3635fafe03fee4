// Towers of planks (Kapla).
#pragma once

#include "clack/model/samples/sample.hpp"

namespace clack {

enum class TowerKind {
  log_cabin,  // levels of parallel planks, crosswise in turn, the outer ones flush with the ends
  square      // levels of four planks, each with an end on the next one's side, mirrored in turn
};

// The tower stands on z = 0 about the z axis.
struct TowerOptions {
  TowerKind kind = TowerKind::log_cabin;
  Vector3 plank = {0.12, 0.024, 0.008};  // length, width, height as it lies [m]
  int levels = 10;
  int planks = 2;  // of a level of the log cabin
  double gap = 0;  // between planks of a square [m]; levels touch

  void validate() const;
};

// Suffixes "level1_1", ... from below.
Sample make_tower(const TowerOptions& options);

}  // namespace clack
