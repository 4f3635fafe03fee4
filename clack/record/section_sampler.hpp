// Follows a run step by step: counts impacts and sticks, measures how long contacts are closed,
// stick and slide, and takes the points of a Poincare section.
//
// Under event-driven impacts and sticks of formulas and matrices are those that the scheme locates,
// with states at their instants; elsewhere they are known to a step.
#pragma once

#include "clack/record/run.hpp"
#include "clack/record/sweep.hpp"

namespace clack {

class SectionSampler {
 public:
  struct Plan {
    SweepSection section = SweepSection::none;
    std::string contact;        // of impacts; empty: any
    double from = 0;            // end of the transient [s]
    long steps_per_period = 0;  // of a section at equal times
    int keep = 0;
  };

  SectionSampler(const Scene& scene, Plan plan);

  void start(const Run& run);  // before the first step
  void add(Run& run);          // after each step
  bool full() const { return static_cast<int>(points_.size()) >= plan_.keep; }
  void finish(SweepRow& row) const;

 private:
  void add_located(Run& run, double before);
  void add_step(const Run& run, double before);
  void add_impact(double t, const Vector& q, const Vector& v, const EventRow& event);
  void add_time(double duration, bool closed, bool sticks, bool slides);
  void cover(const Run& run);

  const Scene& scene_;
  Plan plan_;
  bool located_;
  std::vector<int> contact_of_;  // by id of an event: index among the system's contacts, or -1
  std::vector<char> friction_;   // of stated contacts
  std::vector<char> sticking_;   // by contact, in the flow before
  bool begun_ = false;           // there was a flow before
  double before_ = 0;
  long impacts_ = 0, sticks_ = 0;
  double time_ = 0, closed_ = 0, stick_time_ = 0, slide_time_ = 0;  // after the transient [s]
  MotionSize size_;
  std::vector<SectionPoint> points_;
  ContactRowList rows_;
};

}  // namespace clack
