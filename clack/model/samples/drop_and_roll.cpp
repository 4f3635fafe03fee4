#include "clack/model/samples/drop_and_roll.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace clack {
namespace {

using Point = Eigen::Vector3d;

constexpr double kTouch = 1e-10;    // a gap below it supports
constexpr double kContact = 1e-9;   // a gap below it is a contact
constexpr double kOverlap = 1e-10;  // an overlap above it sends the sphere back
constexpr double kDegenerate = 1e-12;
// A normal with a smaller vertical component is horizontal: equal discs leave slots exactly one
// diameter wide, which round-off must not close. Passing one costs an overlap of 5e-12 diameters.
constexpr double kHorizontal = 3e-6;
constexpr double kTie = 1e-7;  // lambda and n'v of the support just left count as zero below it
constexpr int kFloor = -1;
constexpr int kNobody = std::numeric_limits<int>::min();

// What the centre of the falling sphere keeps its distance from: |c - point| >= distance, or
// point'c >= distance for the floor and the walls (id < 0), whose normal `point` is.
struct Obstacle {
  int id = kNobody;
  Point point = Point::Zero();
  double distance = 0;

  bool plane() const { return id < 0; }
  double gap(const Point& c) const {
    return plane() ? point.dot(c) - distance : (c - point).norm() - distance;
  }
  Point normal(const Point& c) const {
    if (plane()) return point;
    Point n = (c - point) / distance;
    if (std::abs(n.z()) <= kHorizontal) n.z() = 0;
    return n;
  }
};

// g(theta) = a cos(theta) + b sin(theta) - c.
struct Wave {
  double a, b, c;
};

// A point of an arc, 0 <= theta <= pi.
struct Angle {
  double cosine = -1, sine = 0;

  double order() const { return cosine > 0 ? sine : 2 - sine; }  // grows with theta
};

// Where g falls below zero: the one zero with g' < 0, if it lies ahead.
std::optional<Angle> find_exit(const Wave& g) {
  const double square = g.a * g.a + g.b * g.b, rest = square - g.c * g.c;
  if (g.b < 0 && g.a - g.c <= kDegenerate) return Angle{1, 0};
  if (rest <= 0) return std::nullopt;
  const double root = std::sqrt(rest);
  const Angle exit{(g.a * g.c - g.b * root) / square, (g.b * g.c + g.a * root) / square};
  return exit.sine >= 0 ? std::optional(exit) : std::nullopt;
}

// middle + radius (cos(theta) from + sin(theta) along), downwards at first.
struct Arc {
  Point middle, from, along;
  double radius;

  Point at(const Angle& angle) const {
    return middle + radius * (angle.cosine * from + angle.sine * along);
  }
  // >= 0 while clear of the obstacle.
  Wave clearance(const Obstacle& o) const {
    if (o.plane()) {
      return {radius * o.point.dot(from), radius * o.point.dot(along),
              o.distance - o.point.dot(middle)};
    }
    const Point d = middle - o.point;
    return {2 * radius * d.dot(from), 2 * radius * d.dot(along),
            o.distance * o.distance - radius * radius - d.squaredNorm()};
  }
  // The vertical component of the normal of a support.
  Wave rise(const Obstacle& o) const {
    if (o.plane()) return {0, 0, -o.point.z()};
    return {radius * from.z() / o.distance, radius * along.z() / o.distance,
            (o.point.z() - middle.z()) / o.distance};
  }
};

// The lambda_k > 0 of (eq:steepest-descent).
struct Supports {
  std::array<int, 3> index{};  // into the touching obstacles
  int count = 0;
  double margin = -HUGE_VAL;  // how well the inequalities hold; >= 0 at the solution
};

// Solves (eq:steepest-descent) by trying every set of up to dim normals. Where the sphere has just
// left a support (index `left`, or -1), lambda = 0 and n'v = 0 hold both and the first has failed.
class Descent {
 public:
  Descent(int dim, std::span<const Point> normals, int left)
      : dim_(dim), n_(normals), left_(left) {}

  Supports find() {
    const int count = static_cast<int>(n_.size());
    consider({{}, 0}, {});
    for (int i = 0; i < count; ++i) {
      consider({{i}, 1}, {normal(i).z()});
      for (int j = i + 1; j < count; ++j) {
        try_pair(i, j);
        for (int k = j + 1; dim_ == 3 && k < count; ++k) try_triple(i, j, k);
      }
    }
    return best_;
  }

 private:
  const Point& normal(int i) const { return n_[static_cast<std::size_t>(i)]; }

  void try_pair(int i, int j) {
    const double cosine = normal(i).dot(normal(j)), det = 1 - cosine * cosine;
    if (det < kDegenerate) return;
    const double zi = normal(i).z(), zj = normal(j).z();
    consider({{i, j}, 2}, {(zi - cosine * zj) / det, (zj - cosine * zi) / det});
  }

  void try_triple(int i, int j, int k) {
    const Point jk = normal(j).cross(normal(k)), ki = normal(k).cross(normal(i)),
                ij = normal(i).cross(normal(j));
    const double det = normal(i).dot(jk);
    if (std::abs(det) < kDegenerate) return;
    consider({{i, j, k}, 3}, {jk.z() / det, ki.z() / det, ij.z() / det});
  }

  // The margin is the least of the lambda_k and of the n_k'v of the normals outside the set.
  void consider(Supports set, const std::array<double, 3>& lambda) {
    Point v = -Point::UnitZ();
    set.margin = HUGE_VAL;
    for (std::size_t s = 0; s < static_cast<std::size_t>(set.count); ++s) {
      v += lambda[s] * normal(set.index[s]);
      set.margin = std::min(set.margin, lambda[s]);
      if (set.index[s] == left_ && lambda[s] < kTie) return;
    }
    const auto end = set.index.begin() + set.count;
    for (int k = 0; set.count < dim_ && k < static_cast<int>(n_.size()); ++k) {
      if (std::find(set.index.begin(), end, k) != end) continue;
      const double away = normal(k).dot(v);
      if (k != left_ || away < -kTie) set.margin = std::min(set.margin, away);
    }
    if (set.margin > best_.margin) best_ = set;
  }

  int dim_;
  std::span<const Point> n_;
  int left_;
  Supports best_;
};

// Spheres at rest in cubic cells of the largest diameter: columns of cells, in each cell a list.
class Cells {
 public:
  Cells(int dim, double width_x, double width_y, double cell)
      : cell_(cell),
        nx_(static_cast<int>(width_x / cell) + 1),
        ny_(dim == 2 ? 1 : static_cast<int>(width_y / cell) + 1) {
    columns_.resize(static_cast<std::size_t>(nx_) * static_cast<std::size_t>(ny_));
  }

  double size() const { return cell_; }
  int layer(double z) const { return std::max(0, static_cast<int>(z / cell_)); }

  void insert(int index, const Point& centre) {
    std::vector<int>& column =
        columns_[cell_column(column_of(centre.x(), nx_), column_of(centre.y(), ny_))];
    const std::size_t z = static_cast<std::size_t>(layer(centre.z()));
    if (column.size() <= z) column.resize(z + 1, -1);
    next_.push_back(column[z]);
    column[z] = index;
  }

  // visit(index) for the spheres in the cells within reach of (x, y) and the layers given.
  template <typename Visit>
  void for_each(const Point& c, double reach, int low, int high, const Visit& visit) const {
    const int x1 = column_of(c.x() + reach, nx_), y1 = column_of(c.y() + reach, ny_);
    for (int y = column_of(c.y() - reach, ny_); y <= y1; ++y) {
      for (int x = column_of(c.x() - reach, nx_); x <= x1; ++x) {
        const std::vector<int>& column = columns_[cell_column(x, y)];
        const int top = std::min(high, static_cast<int>(column.size()) - 1);
        for (int z = low; z <= top; ++z) {
          for (int i = column[static_cast<std::size_t>(z)]; i >= 0;
               i = next_[static_cast<std::size_t>(i)])
            visit(i);
        }
      }
    }
  }

  // The number of layers filled within reach of (x, y).
  int top(const Point& c, double reach) const {
    int result = 0;
    const int x1 = column_of(c.x() + reach, nx_), y1 = column_of(c.y() + reach, ny_);
    for (int y = column_of(c.y() - reach, ny_); y <= y1; ++y) {
      for (int x = column_of(c.x() - reach, nx_); x <= x1; ++x)
        result = std::max(result, static_cast<int>(columns_[cell_column(x, y)].size()));
    }
    return result;
  }

 private:
  int column_of(double x, int count) const {
    return std::clamp(static_cast<int>(x / cell_), 0, count - 1);
  }
  std::size_t cell_column(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(nx_) +
           static_cast<std::size_t>(x);
  }

  double cell_;
  int nx_, ny_;
  std::vector<std::vector<int>> columns_;  // per layer the last sphere put there, or -1
  std::vector<int> next_;                  // per sphere the one before it in its cell, or -1
};

}  // namespace

class DropAndRoll::Packer {
 public:
  Packer(int dim, double width_x, double width_y, double largest_radius)
      : dim_(dim),
        width_x_(width_x),
        width_y_(width_y),
        cells_(dim, width_x, width_y, 2 * largest_radius) {}

  bool drop(double radius, double x, double y) {
    radius_ = radius;
    centre_ << x, y, 0;
    centre_.z() = (cells_.top(centre_, cells_.size()) + 2) * cells_.size();
    return descend() && settle();
  }

  std::span<const RestingSphere> spheres() const { return spheres_; }
  std::span<const RestingContact> contacts() const { return contacts_; }

 private:
  Obstacle rigid(int id) const {
    switch (id) {
      case kFloor:
        return {id, Point::UnitZ(), radius_};
      case -2:
        return {id, Point::UnitX(), radius_};
      case -3:
        return {id, -Point::UnitX(), radius_ - width_x_};
      case -4:
        return {id, Point::UnitY(), radius_};
      default:
        return {id, -Point::UnitY(), radius_ - width_y_};
    }
  }

  Obstacle sphere(int id) const {
    const RestingSphere& other = spheres_[static_cast<std::size_t>(id)];
    return {id, other.centre, other.radius + radius_};
  }

  // The obstacles that a centre within `reach` of `point` can touch.
  void gather(const Point& point, double reach) {
    near_.clear();
    for (int id = kFloor; id >= (dim_ == 2 ? -3 : -5); --id) {
      const Obstacle o = rigid(id);
      if (o.gap(point) <= reach + kContact) near_.push_back(o);
    }
    const double far = reach + cells_.size();
    const int low = cells_.layer(point.z() - far), high = cells_.layer(point.z() + far);
    cells_.for_each(point, far, low, high, [&](int id) {
      const Obstacle o = sphere(id);
      const double limit = o.distance + reach + kContact;
      if ((point - o.point).squaredNorm() <= limit * limit) near_.push_back(o);
    });
  }

  // From the start to rest; false where round-off leaves no way on.
  bool descend() {
    constexpr int kEvents = 1000;
    released_ = kNobody;
    around_ = kNobody;
    near_.clear();
    for (int event = 0; event < kEvents; ++event) {
      find_touching();
      if (touches_floor()) return true;
      const Supports supports = Descent(dim_, normals_, left_).find();
      if (supports.count == dim_) return supports.margin >= -kDegenerate;
      if (supports.count == 0) {
        fall();
      } else if (!roll(supports)) {
        return false;
      }
    }
    return false;
  }

  void find_touching() {
    touching_.clear();
    normals_.clear();
    left_ = -1;
    for (const Obstacle& o : near_) {
      if (o.gap(centre_) > kTouch) continue;
      if (o.id == released_) left_ = static_cast<int>(touching_.size());
      touching_.push_back(o);
      normals_.push_back(o.normal(centre_));
    }
  }

  bool touches_floor() const {
    return std::any_of(touching_.begin(), touching_.end(),
                       [](const Obstacle& o) { return o.id == kFloor; });
  }

  // Straight down to the highest sphere in the way, or to the floor.
  void fall() {
    double height = radius_;
    int hit = kFloor;
    const double reach = cells_.size();
    const int top = std::min(cells_.layer(centre_.z()), cells_.top(centre_, reach) - 1);
    for (int layer = top; layer >= 0 && (layer + 2) * reach >= height; --layer) {
      cells_.for_each(centre_, reach, layer, layer, [&](int id) {
        const Obstacle o = sphere(id);
        const double dx = centre_.x() - o.point.x(), dy = centre_.y() - o.point.y();
        const double square = o.distance * o.distance - dx * dx - dy * dy;
        const double side = kHorizontal * o.distance;
        if (square <= side * side || o.point.z() >= centre_.z()) return;
        const double z = o.point.z() + std::sqrt(square);
        if (z <= height || z > centre_.z() + kTouch) return;
        height = z;
        hit = id;
      });
    }
    centre_.z() = height;
    released_ = kNobody;
    around_ = hit;
    if (hit == kFloor) {
      gather(centre_, 0);
    } else {
      gather(sphere(hit).point, sphere(hit).distance);
    }
  }

  // Along the arc on one or two supports to the first obstacle or to where it leaves a support.
  bool roll(const Supports& supports) {
    const Obstacle first = touching_[static_cast<std::size_t>(supports.index[0])];
    const bool pair = supports.count == 2;
    const Obstacle second = touching_[static_cast<std::size_t>(supports.index[pair ? 1 : 0])];
    const std::optional<Arc> arc = pair ? make_arc(first, second) : make_arc(first);
    if (!arc) return false;
    if (around_ != first.id && around_ != second.id) {
      const Obstacle& middle = first.plane() ? second : first;
      around_ = middle.id;
      gather(middle.point, middle.distance);
    }
    int leaving = kNobody;
    std::optional<Angle> next = find_leaving(*arc, first, second, leaving);
    for (const Obstacle& o : near_) {
      if (o.id == first.id || o.id == second.id) continue;
      const std::optional<Angle> exit = find_exit(arc->clearance(o));
      if (!exit || (next && exit->order() >= next->order())) continue;
      if (o.id == released_ && exit->order() < 1e-6) continue;
      next = exit;
      leaving = kNobody;
    }
    if (!next) return false;
    centre_ = arc->at(*next);
    released_ = leaving;
    return true;
  }

  // lambda of a support is proportional to n_z - (n'm) m_z, m the other's normal.
  std::optional<Angle> find_leaving(const Arc& arc, const Obstacle& first, const Obstacle& second,
                                    int& leaving) const {
    const bool pair = first.id != second.id;
    const double cosine = pair ? first.normal(centre_).dot(second.normal(centre_)) : 0;
    std::optional<Angle> next;
    for (const bool swap : {false, true}) {
      const Obstacle &from = swap ? second : first, &other = swap ? first : second;
      const Wave n = arc.rise(from), m = arc.rise(other);
      const std::optional<Angle> exit =
          find_exit({n.a - cosine * m.a, n.b - cosine * m.b, n.c - cosine * m.c});
      if (!exit || (next && exit->order() >= next->order())) continue;
      next = exit;
      leaving = from.id;
    }
    return next;
  }

  // Down the meridian of a sphere.
  std::optional<Arc> make_arc(const Obstacle& o) const {
    if (o.plane()) return std::nullopt;
    const Point from = (centre_ - o.point) / (centre_ - o.point).norm();
    const Point along = from.z() * from - Point::UnitZ();
    const double length = along.norm();
    if (length < kDegenerate) return std::nullopt;
    return Arc{o.point, from, along / length, o.distance};
  }

  // Round the circle of the centres that touch both.
  std::optional<Arc> make_arc(const Obstacle& one, const Obstacle& two) const {
    if (one.plane() && two.plane()) return std::nullopt;
    const Obstacle &a = one.plane() ? two : one, &b = one.plane() ? one : two;
    Point axis = b.point;
    double step = b.distance - b.point.dot(a.point);
    if (!b.plane()) {
      const double between = (b.point - a.point).norm();
      axis = (b.point - a.point) / between;
      step = 0.5 * ((a.distance - b.distance) * (a.distance + b.distance) / between + between);
    }
    const double square = a.distance * a.distance - step * step;
    if (square < kDegenerate) return std::nullopt;
    const Point middle = a.point + step * axis;
    Point from = centre_ - middle;
    from -= axis.dot(from) * axis;
    from /= from.norm();
    Point along = axis.cross(from);
    if (along.z() > 0) along = -along;
    return Arc{middle, from, along, std::sqrt(square)};
  }

  // Records the sphere and all it touches; false where it overlaps.
  bool settle() {
    gather(centre_, 0);
    for (const Obstacle& o : near_) {
      if (o.gap(centre_) < -kOverlap * radius_) return false;
    }
    contacts_.clear();
    for (const Obstacle& o : near_) {
      if (o.gap(centre_) > kContact * radius_) continue;
      const Point normal =
          o.plane() ? o.point : Point((centre_ - o.point) / (centre_ - o.point).norm());
      contacts_.push_back({o.id, normal});
    }
    cells_.insert(static_cast<int>(spheres_.size()), centre_);
    spheres_.push_back({centre_, radius_});
    return true;
  }

  int dim_;
  double width_x_, width_y_;  // of the box, whose corner is the origin
  Cells cells_;
  std::vector<RestingSphere> spheres_;
  std::vector<RestingContact> contacts_;  // of the last one

  Point centre_ = Point::Zero();  // of the moving sphere
  double radius_ = 1;
  int released_ = kNobody;  // the support it has just left
  int around_ = kNobody;    // the obstacle whose surroundings are near_
  std::vector<Obstacle> near_;
  std::vector<Obstacle> touching_;
  std::vector<Point> normals_;  // of touching_
  int left_ = -1;               // index of released_ among touching_
};

DropAndRoll::DropAndRoll(int dim, double width_x, double width_y, double largest_radius)
    : packer_(std::make_unique<Packer>(dim, width_x, width_y, largest_radius)) {}

DropAndRoll::~DropAndRoll() = default;

bool DropAndRoll::drop(double radius, double x, double y) { return packer_->drop(radius, x, y); }

std::span<const RestingSphere> DropAndRoll::spheres() const { return packer_->spheres(); }

std::span<const RestingContact> DropAndRoll::contacts() const { return packer_->contacts(); }

}  // namespace clack
