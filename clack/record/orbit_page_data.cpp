// The numbers of the page of periodic orbits, thinned to its limits.
#include <algorithm>
#include <cmath>
#include <limits>

#include "clack/record/orbit_page.hpp"

namespace clack {
namespace {

using Json = nlohmann::json;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kStill = 1e-9;  // of the coordinate's size: a wall that moves less stands still

// Some `most` of `count`, evenly spaced, the first and the last with them; `always` in any case.
template <class Always>
std::vector<bool> thin(std::size_t count, std::size_t most, Always always) {
  std::vector<bool> kept(count, count <= most);
  if (count <= most) return kept;
  for (std::size_t i = 0; i < most; ++i)
    kept[i * (count - 1) / std::max<std::size_t>(1, most - 1)] = true;
  for (std::size_t i = 0; i < count; ++i)
    if (always(i)) kept[i] = true;
  return kept;
}

// All coordinates where they are few, else evenly spaced ones.
std::vector<int> choose_coordinates(std::size_t count, std::size_t most) {
  const std::vector<bool> kept = thin(count, most, [](std::size_t) { return false; });
  std::vector<int> chosen;
  for (std::size_t i = 0; i < count; ++i)
    if (kept[i]) chosen.push_back(static_cast<int>(i));
  return chosen;
}

// Where a contact acts on one coordinate alone and at the same place at all times.
struct Wall {
  int contact = 0, coordinate = 0;  // the coordinate by its place among the chosen ones
  double at = 0, side = 0;          // allowed are values on this side of it, +1 or -1
};

// The only coordinate on which a gap depends; -1: there are several.
int only_coordinate(const Matrix& H, int row) {
  int found = -1;
  const double size = H.col(row).cwiseAbs().maxCoeff();
  for (int j = 0; j < H.rows(); ++j) {
    if (std::abs(H(j, row)) <= 1e-12 * size) continue;
    if (found >= 0) return -1;
    found = j;
  }
  return found;
}

class Walls {
 public:
  Walls(const System& system, const OrbitStates& motion) : system_(system), motion_(motion) {}

  std::vector<Wall> find(const std::vector<int>& chosen) {
    std::vector<Wall> walls;
    int row = 0;
    for (std::size_t c = 0; c < system_.contacts().size(); ++c) {
      Wall wall{.contact = static_cast<int>(c)};
      if (!system_.contacts()[c].bilateral && is_wall(static_cast<int>(c), row, wall)) {
        const auto place = std::find(chosen.begin(), chosen.end(), wall.coordinate);
        wall.coordinate = static_cast<int>(place - chosen.begin());
        if (place != chosen.end()) walls.push_back(wall);
      }
      row += system_.contacts()[c].dim();
    }
    return walls;
  }

 private:
  bool is_wall(int contact, int row, Wall& wall) {
    constexpr long kLooks = 5;
    double size = 0;
    for (long k = 0; k < kLooks; ++k) {
      const long at = k * (motion_.z.cols() - 1) / (kLooks - 1);
      const Vector q = motion_.z.col(at).head(system_.nv());
      const double t = motion_.t[static_cast<std::size_t>(at)];
      Matrix H(system_.nv(), system_.rows());
      Vector w(system_.rows()), gap(static_cast<long>(system_.contacts().size()));
      system_.contact_map(t, q, H, w);
      system_.gaps(t, q, gap);
      const int j = only_coordinate(H, row);
      if (j < 0 || (k > 0 && j != wall.coordinate)) return false;
      const double place = q[j] - gap[contact] / H(j, row);
      size = std::max({size, std::abs(q[j]), std::abs(place)});
      if (k > 0 && !(std::abs(place - wall.at) <= kStill * size)) return false;
      wall.coordinate = j;
      wall.at = place;
      wall.side = H(j, row) > 0 ? 1 : -1;
    }
    return true;
  }

  const System& system_;
  const OrbitStates& motion_;
};

// Columns of numbers, a value a point.
class Packer {
 public:
  Packer(const OrbitPage& page, const OrbitPageLimits& limits)
      : page_(page),
        limits_(limits),
        chosen_(choose_coordinates(page.q_names.size(), limits.coordinates)) {}

  OrbitPageData pack() {
    const std::vector<bool> kept = thin(page_.points.size(), limits_.points, is_special());
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (kept[i]) points_.push_back(i);
    for (const std::size_t i : points_)
      multipliers_ = std::max(multipliers_, page_.points[i].multipliers.size());
    multipliers_ = std::min(multipliers_, limits_.multipliers);
    add_motions();
    add_points(kept);
    data_.head = head();
    return std::move(data_);
  }

 private:
  std::function<bool(std::size_t)> is_special() const {
    return [this](std::size_t i) { return !page_.points[i].kind.empty(); };
  }

  void add_motions() {
    const std::size_t row = 1 + 2 * chosen_.size();
    const std::size_t most = std::max<std::size_t>(2, limits_.numbers / (200 * row));
    const std::vector<bool> with = thin(points_.size(), most, [this](std::size_t i) {
      return !page_.points[points_[i]].kind.empty();
    });
    std::vector<double> t, z;
    std::vector<std::int32_t> offset = {0};
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const OrbitPagePoint& point = page_.points[points_[i]];
      const bool extremes = point.smallest.size() == 0;
      if (!with[i] && !extremes) {
        add_extremes(point.smallest, point.largest);
        motion_.push_back(-1);
        continue;
      }
      const std::shared_ptr<const System> system = point.system();
      const OrbitStates states = point.motion(system);
      const long n = states.z.rows() / 2;
      if (extremes)
        add_extremes(states.z.rowwise().minCoeff(), states.z.rowwise().maxCoeff());
      else
        add_extremes(point.smallest, point.largest);
      motion_.push_back(with[i] ? static_cast<std::int32_t>(offset.size()) - 1 : -1);
      if (!with[i]) continue;
      for (std::size_t k = 0; k < states.t.size(); ++k) {
        const auto column = states.z.col(static_cast<long>(k));
        t.push_back(states.t[k] - states.t.front());
        for (const int j : chosen_) z.push_back(column[j]);
        for (const int j : chosen_) z.push_back(column[n + j]);
      }
      offset.push_back(static_cast<std::int32_t>(t.size()));
      list_walls(*system, states);
    }
    data_.motions.add("offset", offset);
    data_.motions.add("t", t);
    data_.motions.add_single("z", z);
  }

  void add_extremes(const Vector& smallest, const Vector& largest) {
    for (const int j : chosen_) {
      smallest_.push_back(smallest[j]);
      largest_.push_back(largest[j]);
    }
  }

  void list_walls(const System& system, const OrbitStates& states) {
    Json list = Json::array();
    for (const Wall& wall : Walls(system, states).find(chosen_))
      list.push_back({wall.coordinate, wall.at, wall.side,
                      system.contacts()[static_cast<std::size_t>(wall.contact)].name});
    walls_.push_back(std::move(list));
  }

  void add_points(const std::vector<bool>& kept) {
    std::vector<double> parameter, period, energy, closing, slowest, multipliers;
    std::vector<std::int32_t> branch, joined, stable, impacts, trivial;
    std::size_t before = 0;
    for (const std::size_t i : points_) {
      const OrbitPagePoint& point = page_.points[i];
      // Points that were left out break the line where one of them does.
      bool line = point.joined;
      for (std::size_t k = before + 1; k < i; ++k)
        line = line && (kept[k] || page_.points[k].joined);
      before = i;
      branch.push_back(point.branch);
      joined.push_back(line);
      parameter.push_back(point.parameter);
      period.push_back(point.period);
      energy.push_back(point.energy);
      closing.push_back(point.closing);
      slowest.push_back(std::isfinite(point.slowest_impact) ? point.slowest_impact : kNone);
      stable.push_back(point.stable);
      impacts.push_back(point.impacts);
      trivial.push_back(point.trivial);
      for (std::size_t k = 0; k < multipliers_; ++k) {
        const bool there = k < point.multipliers.size();
        multipliers.push_back(there ? point.multipliers[k].real() : kNone);
        multipliers.push_back(there ? point.multipliers[k].imag() : kNone);
      }
    }
    Block& out = data_.points;
    out.add("branch", branch);
    out.add("joined", joined);
    out.add("parameter", parameter);
    out.add("period", period);
    out.add("energy", energy);
    out.add_single("closing", closing);
    out.add_single("slowest_impact", slowest);
    out.add("stable", stable);
    out.add("impacts", impacts);
    out.add("trivial", trivial);
    out.add("motion", motion_);
    out.add("multipliers", multipliers);
    out.add("smallest", smallest_);
    out.add("largest", largest_);
  }

  // By point: its name and why it is no orbit, where there is something to say; its events.
  Json head() const {
    std::vector<std::string> q, v;
    for (const int j : chosen_) {
      q.push_back(page_.q_names[static_cast<std::size_t>(j)]);
      v.push_back(page_.v_names[static_cast<std::size_t>(j)]);
    }
    Json branches = Json::array(), kinds = Json::object(), faults = Json::object(),
         events = Json::array();
    for (const OrbitPageBranch& branch : page_.branches)
      branches.push_back({{"name", branch.name}, {"stop", branch.stop}, {"good", branch.good}});
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const OrbitPagePoint& point = page_.points[points_[i]];
      if (!point.kind.empty()) kinds[std::to_string(i)] = point.kind;
      if (!point.inadmissible.empty()) faults[std::to_string(i)] = point.inadmissible;
      if (motion_[i] < 0) continue;
      Json list = Json::array();
      for (const OrbitPageEvent& event : point.events)
        list.push_back({event.t, event.kind, event.contact});
      events.push_back(std::move(list));
    }
    return {{"kind", "orbits"},
            {"title", page_.title},
            {"scene", page_.scene},
            {"parameter", page_.parameter},
            {"family", page_.is_family},
            {"q", q},
            {"v", v},
            {"coordinates", page_.q_names.size()},
            {"branches", branches},
            {"points", points_.size()},
            {"points_found", page_.points.size()},
            {"inadmissible", page_.inadmissible},
            {"multipliers", multipliers_},
            {"kinds", kinds},
            {"faults", faults},
            {"events", events},
            {"walls", walls_}};
  }

  const OrbitPage& page_;
  const OrbitPageLimits& limits_;
  std::vector<int> chosen_;
  std::vector<std::size_t> points_;  // those that are kept
  std::size_t multipliers_ = 0;
  std::vector<std::int32_t> motion_;  // by point: its place among the motions, or -1
  std::vector<double> smallest_, largest_;
  Json walls_ = Json::array();  // by motion
  OrbitPageData data_;
};

}  // namespace

OrbitPageData pack_orbit_page(const OrbitPage& page, const OrbitPageLimits& limits) {
  return Packer(page, limits).pack();
}

}  // namespace clack
