// One contact whose relative motion is imposed: what its law answers, without a solver.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "clack/model/laws/law_list.hpp"

namespace clack::test {

// Moves a contact by given ways and keeps its law's memory.
class LawDrive {
 public:
  LawDrive(LawPtr law, int tangents, double area = 1, double end_weight = 0.5)
      : law_(std::move(law)) {
    contact_.tangents = tangents;
    contact_.area = area;
    contact_.end_weight = end_weight;
    for (const LawVariable& variable : law_->variables(tangents, 0)) {
      names_.push_back(variable.name);
      memory_.push_back(variable.initial);
    }
  }

  // One step; returns the bonds' force on each row, mean over the step [N].
  std::array<double, 3> move(double h, std::array<double, 3> way) {
    const std::vector<double> start = memory_;
    contact_.h = h;
    contact_.memory = start;
    contact_.gap = gap_;
    contact_.closed = false;  // bonds alone
    contact_.pass = 1;        // u is the answer, not a guess
    for (int k = 0; k < contact_.rows(); ++k)
      contact_.u[k] =
          (way[k] / h - (1 - contact_.end_weight) * contact_.u_start[k]) / contact_.end_weight;
    statement_.clear();
    law_->prepare(contact_, statement_);
    std::array<double, 3> force{};
    contact_.r = statement_.shift;
    for (int b = 0; b < statement_.count; ++b) {
      const LawBlock& block = statement_.blocks[b];
      for (int i = 0; i < block.dim; ++i) {
        double x = block.offset[i];
        for (int k = 0; k < contact_.rows(); ++k) x += block.map[i][k] * contact_.u[k];
        double y = -x / block.compliance[i];
        if (!block.free) y = std::max(y, 0.0);
        for (int k = 0; k < contact_.rows(); ++k) contact_.r[k] += block.map[i][k] * y;
      }
    }
    law_->update(contact_, memory_);
    for (int k = 0; k < contact_.rows(); ++k) {
      force[k] = contact_.r[k] / h;
      work_ -= force[k] * way[k];
    }
    gap_ += way[0];
    contact_.u_start = contact_.u;
    return force;
  }

  double value(const std::string& name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return memory_[i];
    }
    return std::nan("");
  }
  double work() const { return work_; }  // done on the bond, by its impulses [J]
  double gap() const { return gap_; }
  bool alive() {
    contact_.memory = memory_;
    return law_->reach(contact_) > 0;
  }
  const LawStatement& statement() const { return statement_; }

 private:
  LawPtr law_;
  ContactSituation contact_;
  LawStatement statement_;
  std::vector<std::string> names_;
  std::vector<double> memory_;
  double gap_ = 0, work_ = 0;
};

// The cohesive zones of the tests: stiffnesses and strengths that differ by mode.
inline std::map<std::string, double> zone_numbers(const std::string& law) {
  if (law == "raous-cangemi-cocou") return {{"c_n", 2e6}, {"c_t", 5e5}, {"w", 30}};
  return {{"c_n", 2e6}, {"c_t", 5e5}, {"s_1", 4e3}, {"s_2", 3e3}, {"G_1", 30}, {"G_2", 70}};
}
inline LawPtr zone(const std::string& law, std::map<std::string, double> others = {}) {
  others.merge(zone_numbers(law));
  return make_law(LawKind::cohesion, law, others);
}

}  // namespace clack::test
