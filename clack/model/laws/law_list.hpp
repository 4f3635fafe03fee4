// All laws by name, with their parameters: what scenes, `clack list laws` and other fronts read.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "clack/model/law.hpp"
#include "clack/model/laws/law.hpp"

namespace clack {

// A contact has at most one law of each kind; they act together. A link is a law by itself.
enum class LawKind { normal, friction, cohesion, link };
// The keys of a scene file, in the order of the enumeration.
const std::vector<std::string_view>& law_kind_names();

struct LawParameter {
  enum class Kind { number, coefficient, flag };  // a coefficient may be a formula of `slip`

  std::string_view name, unit, meaning;
  double fallback = kRequired;
  double low = 0, high = std::numeric_limits<double>::infinity();
  bool low_open = false;  // low itself is not allowed
  Kind kind = Kind::number;

  static constexpr double kRequired = std::numeric_limits<double>::quiet_NaN();
  bool is_required() const { return fallback != fallback; }
};

// The values of a law's parameters.
class LawValues {
 public:
  void set(std::string_view name, FrictionCoefficient value);
  double number(std::string_view name) const { return coefficient(name).at(0); }
  bool flag(std::string_view name) const { return number(name) != 0; }
  const FrictionCoefficient& coefficient(std::string_view name) const;

 private:
  std::map<std::string, FrictionCoefficient, std::less<>> values_;
};

struct LawInfo {
  LawKind kind;
  std::string_view name;
  std::string_view summary;  // one line
  std::string_view reference;
  std::vector<LawParameter> parameters;
  // May throw InputError for values that do not go together.
  LawPtr (*make)(const LawValues& values);
};

// What a law of links is without its strength: a joint that holds on positions.
enum class RigidLink { none, hinge, glue, wire };
// Of a law that cannot break; a wire beside the length [m] at which it is taut.
RigidLink rigid_link(const Law& law, double& length);

const std::vector<LawInfo>& law_list();
const LawInfo* find_law(LawKind kind, std::string_view name);
// Numbers by name, the others as they stand by default. Throws InputError for what is not known,
// not allowed or missing.
LawPtr make_law(LawKind kind, std::string_view name, const std::map<std::string, double>& numbers);
// One law of several: parts in any order, links alone.
LawPtr combine_laws(LawPtr normal, LawPtr friction, LawPtr cohesion);

// The families, each in its own file.
std::vector<LawInfo> normal_laws();
std::vector<LawInfo> friction_laws();
std::vector<LawInfo> cohesion_laws();
std::vector<LawInfo> link_laws();

// How far a link between rigid points is from what it holds [m]: ties by `jump`, the way of the
// points from each other since the start, rigid wires by `gap` beyond their length; 0 for others.
double link_error(const Law& law, double gap, double jump);

}  // namespace clack
