// Joints in a report: the list, curves of coordinates, rates and reactions, forces to be drawn.
//
// The rate of a coordinate is that of its row, x' = sum over both bodies of force . v + moment . Omega
// with the wrenches of a unit multiplier (docs/theory/joints.md): results hold none.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "clack/io/report/block.hpp"
#include "clack/io/results/results_reader.hpp"
#include "clack/model/joints/joint.hpp"

namespace clack {

class JointData {
 public:
  struct Curve {
    std::string group, name, unit;  // joint, joint_rate, reaction_force, ..., drive_work
  };

  JointData() = default;
  // Empty where there are no joints, and of results of older versions.
  JointData(const ResultsReader& reader, bool planar);

  bool empty() const { return joints_.empty(); }
  std::size_t size() const { return joints_.size(); }
  bool is_coordinate(int place) const;  // whether that number of q is one of a joint

  // By its name in q or as formulas of scenes name it: JOINT.angle, JOINT where it is the only one.
  bool has_coordinate(const std::string& name, const std::vector<std::string>& q_names) const;

  // Which curves there are: all where joints are few, else those of the coordinates that are wanted.
  // `limited`: whether some are left out for their number.
  void choose(const std::vector<std::string>& q_names, const std::vector<std::string>& wanted);
  bool limited() const { return limited_; }
  const std::vector<Curve>& curves() const { return curves_; }
  // Rows first to first + count, by curve.
  std::vector<std::vector<double>> read(const ResultsReader& reader, std::int64_t first,
                                        std::int64_t count) const;

  // Names, kinds, bodies and frames, of joints and of links that cannot break.
  void describe(Block& block) const;
  // Forces on the second bodies in the frame of the surroundings, of some rows with their q [N].
  void add_forces(const ResultsReader& reader, const std::vector<std::int64_t>& rows,
                  const std::vector<RowMatrix>& q, Block& block) const;

 private:
  struct Held {
    Joint joint;
    std::string kind;  // of a link its law's
    Eigen::Index row;  // in /joints
  };
  struct Coordinate {
    std::size_t joint;  // in joints_
    int place;          // in q
    JointCoordinate what;
  };
  void read_coordinates(const ResultsReader& reader, bool planar);
  std::string label(const Coordinate& coordinate) const;
  bool is_named(const Coordinate& coordinate, const std::string& name,
                const std::vector<std::string>& q_names) const;
  double rate(const Coordinate& coordinate, const double* q, const double* v) const;

  std::vector<Held> joints_;
  std::vector<Coordinate> coordinates_;
  std::vector<std::size_t> chosen_;  // coordinates with curves
  bool reactions_ = false, powers_ = false, limited_ = false;
  std::vector<Curve> curves_;
};

}  // namespace clack
