// The names of a scene's formulas and what they stand for.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "clack/core/formula/graph.hpp"
#include "clack/core/formula/parser.hpp"
#include "clack/core/types.hpp"
#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene_objects.hpp"

namespace clack {

// An interval of allowed numbers, with the words that say it.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  const char* words = "a finite number";
  bool high_open = false, whole = false;

  bool contains(double x) const {
    return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high) &&
           (!whole || x == std::floor(x));
  }
};
inline constexpr Range kAny{};
inline constexpr Range kPositive{0, std::numeric_limits<double>::infinity(), true, "a number > 0"};
inline constexpr Range kNonNegative{0, std::numeric_limits<double>::infinity(), false,
                                    "a number >= 0"};
inline constexpr Range kUnit{0, 1, false, "a number in [0, 1]"};

class Vocabulary {
 public:
  std::set<std::pair<bool, std::string>> labels;  // names of contacts and of measures, each once
  SceneObjects objects;                           // of the program that reads the scene
  formula::Graph graph;
  formula::Names parameters;  // names that stand for numbers
  formula::Names names;       // those, time, coordinates, velocities and definitions

  // The numbers of `parameters:`; each may be a formula of the others, in any order without cycles.
  // False where there is no map to read.
  bool read_parameters(const Field& field);
  // Complains and returns false if a name is reserved or malformed.
  bool check_name(const Field& field, const std::string& name) const;
  // Adds a name to `names`; complains and returns false if it is reserved, taken or malformed.
  bool add(const Field& field, const std::string& name, formula::Expr e);

  // A number: a literal or a formula of the parameters.
  std::optional<double> number(const Field& field, const Range& range = kAny);
  std::optional<long> integer(const Field& field, long low);
  // A formula over `allowed`; `what` says in a complaint what is expected.
  std::optional<formula::Expr> formula(const Field& field, const formula::Names& allowed,
                                       std::string_view what = "");
  std::optional<Vector> row(const Field& field, int size);                  // size < 0: any
  std::optional<Matrix> matrix(const Field& field, int rows, int columns);  // < 0: any
};

}  // namespace clack
