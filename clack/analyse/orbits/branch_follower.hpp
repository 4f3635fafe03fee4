// The one mechanism by which branches are followed: predictor, corrector, control of the step,
// special points between two orbits, the end on a bound (eq:arclength). What the orbits are and
// which equations they solve is the subject's: shooting (continuation.cpp) or harmonic balance.
#pragma once

#include <memory>

#include "clack/analyse/orbits/continuation.hpp"
#include "clack/analyse/orbits/path_equations.hpp"

namespace clack {

// A solution with the equations that it satisfies and the direction of the branch there.
struct BranchPlace {
  Orbit orbit;
  std::shared_ptr<PathEquations> equations;
  Vector X, tangent;  // tangent over the scale of X
  double speed = 0;   // of the coordinate along the branch
};

// A kind of point that lies where a function of the place passes zero.
struct SpecialFunction {
  PointKind kind;
  std::function<double(const BranchPlace&)> value;
};

class BranchSubject {
 public:
  virtual ~BranchSubject() = default;

  virtual std::shared_ptr<PathEquations> equations(const Orbit& orbit) const = 0;
  // The orbit of a solution X. Returns why it is none, in words; of an orbit that takes another
  // course than its equations say, orbit.good() and not orbit.admissible.
  virtual std::string accept(PathEquations& equations, const Vector& X, const NewtonResult& newton,
                             Orbit& orbit) const = 0;
  virtual double coordinate(const Orbit& orbit) const = 0;
  virtual double coordinate_speed(const BranchPlace& place) const = 0;
  // The same where the branch begins: it is followed in the direction in which this rises, or falls.
  virtual double first_speed(const BranchPlace& place) const { return place.speed; }
  virtual double tolerance() const = 0;
  virtual int max_iterations() const = 0;

  virtual std::vector<SpecialFunction> special_functions() const;  // folds
  // The same orbit described anew where that helps to go on; false where it need not be.
  virtual bool describe_anew(Orbit& /*orbit*/) const { return false; }
  // Why the branch ends with this orbit, in words; empty where it goes on.
  virtual std::string end(const Orbit& /*orbit*/) const { return {}; }
  // What a message says of the last orbit beside its coordinate.
  virtual std::string remark(const Orbit& /*orbit*/) const { return {}; }
};

// From an orbit that has been found.
Branch follow_branch(const BranchSubject& subject, const Orbit& start,
                     const ContinuationOptions& options);

}  // namespace clack
