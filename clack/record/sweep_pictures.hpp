// Pictures of a sweep: the bifurcation diagram and the measures over one key; basins, measures and
// stick and slip over two.
#pragma once

#include <string>
#include <vector>

#include "clack/record/sweep_tables.hpp"

namespace clack {

struct SweepPicture {
  std::string name;  // of its file
  std::string svg;
};

// Keys whose values are no numbers have no pictures.
std::vector<SweepPicture> make_pictures(const Sweep& sweep, const SweepResult& result);

}  // namespace clack
