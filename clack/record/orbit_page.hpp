// What the page of periodic orbits shows (web/src/orbits.js): branches or families as curves, and
// of each point its motion over one period, its multipliers and its events.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clack/io/report/block.hpp"
#include "clack/record/orbit_states.hpp"

namespace clack {

struct OrbitPageEvent {
  double t = 0;      // after the start of the orbit [s]
  std::string kind;  // impact, close, open, stick or slip
  std::string contact;
};

struct OrbitPagePoint {
  int branch = 0;
  std::string kind;      // fold, period doubling, ..., grazing, end; empty: a point like others
  bool joined = false;   // to the point before it, by a line
  double parameter = 0;  // NaN where there is none
  double period = 0;     // [s]
  double energy = 0;     // [J]
  double closing = 0;    // NaN where it is not known
  int impacts = 0;
  double slowest_impact = 0;  // [m/s], infinite or NaN where there is none
  int stable = -1;            // 1 or 0; -1: not known
  std::string inadmissible;   // why the orbit is none; only where nothing else is shown
  std::vector<std::complex<double>> multipliers;
  int trivial = 0;           // of them
  Vector smallest, largest;  // coordinates over the period (nv); empty: from the motion
  std::vector<OrbitPageEvent> events;
  std::function<std::shared_ptr<const System>()> system;
  std::function<OrbitStates(const std::shared_ptr<const System>&)> motion;
};

struct OrbitPageBranch {
  std::string name;
  std::string stop;  // why it ended
  bool good = true;
};

struct OrbitPage {
  std::string title, scene;  // the scene as text
  std::vector<std::string> q_names, v_names;
  std::string parameter;   // what the curves are drawn over; empty: frequency
  bool is_family = false;  // energy over frequency
  std::vector<OrbitPageBranch> branches;
  std::vector<OrbitPagePoint> points;  // admissible ones, branch by branch
  long inadmissible = 0;               // solutions that were left out
};

struct OrbitPageLimits {
  std::size_t points = 2000;     // of the curves; special ones are always there
  std::size_t numbers = 750000;  // of all motions together; 4 bytes each
  std::size_t coordinates = 12;
  std::size_t multipliers = 40;  // of a point, the largest ones
};

// `label` names the parameter. Problem and branches must stay while the
// page is made.
OrbitPage make_branch_page(const OrbitProblem& problem, const std::vector<Branch>& branches,
                           const Scene& scene, BranchCoordinate over, const std::string& label);
OrbitPage make_single_orbit_page(const OrbitProblem& problem, const Orbit& orbit,
                                 const Scene& scene);

// A family in closed form, one solution after the other; those that are not admissible are counted
// and break the line. The modes must stay while the page is made.
class FamilyPage {
 public:
  FamilyPage(const Scene& scene, const std::string& name, bool joined);

  void add(const ImpactModes& modes, const ImpactMode& mode);
  void add(const LastingContactModes& modes, const LastingContactMode& mode);
  const OrbitPage& page() const { return page_; }

 private:
  bool accept(bool admissible);
  OrbitPagePoint& append(double period, double energy);

  OrbitPage page_;
  std::shared_ptr<const System> system_;
  std::string contact_;
  bool joined_, broken_ = true;
};

// Packed for the browser: `points`, a row a point of the curves, and `motions`.
struct OrbitPageData {
  nlohmann::json head;
  Block points, motions;
};
OrbitPageData pack_orbit_page(const OrbitPage& page, const OrbitPageLimits& limits = {});

// One self-contained HTML page.
std::string format_orbit_page(const OrbitPage& page, std::string_view page_template);

}  // namespace clack
