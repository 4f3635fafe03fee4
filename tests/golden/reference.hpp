// Published runs of another code, as tests read them. The files are not part of the project.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/physics/support.hpp"

namespace clack::test {

// Rows of a reference file: its first line says how many rows and columns follow.
inline Matrix read_reference(const std::string& name) {
  std::ifstream file(std::string(CLACK_SHARED_DIR "/trajectories/") + name + ".ref");
  int rows = 0, columns = 0;
  file >> rows >> columns;
  Matrix result = Matrix::Constant(rows, columns, NAN);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) file >> result(i, j);
  }
  return result;
}

inline bool has_reference(const std::string& name) {
  return std::filesystem::exists(std::string(CLACK_SHARED_DIR "/trajectories/") + name + ".ref");
}

// Largest difference over the rows from the second to `last`, of what `columns` gives for a state.
template <class Columns>
double largest_difference(const Scene& scene, const Matrix& reference, Columns columns,
                          int last = -1) {
  Simulation simulation(scene.system, scene.initial, scene.options);
  double worst = 0;
  if (last < 0) last = static_cast<int>(reference.rows()) - 1;
  for (int row = 1; row <= last; ++row) {
    if (simulation.step() != Status::converged) return HUGE_VAL;
    for (const auto& [column, value] : columns(simulation)) {
      const double difference = std::abs(value - reference(row, column));
      if (!(difference <= worst)) worst = difference;
    }
  }
  return worst;
}

using Columns = std::vector<std::pair<int, double>>;

#define CLACK_NEEDS_REFERENCE(name)      \
  if (!clack::test::has_reference(name)) \
  GTEST_SKIP() << "no " << CLACK_SHARED_DIR << "/trajectories/" << name << ".ref"

}  // namespace clack::test
