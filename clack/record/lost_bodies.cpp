#include "clack/record/lost_bodies.hpp"

#include <algorithm>
#include <limits>

#include "clack/model/shapes/extent.hpp"

namespace clack {
namespace {

constexpr double kFlat = 1e-9;  // cosine: steeper ones catch nothing
constexpr double kFar = 10;     // of a body's size below the lowest fixed body

Vector3 normal_of(const Shape& shape) {
  if (shape.kind() == ShapeKind::plane) return shape.as<Plane>().normal;
  const Vector2& normal = shape.as<Line>().normal;
  return {normal.x(), normal.y(), 0};
}

double offset_of(const Shape& shape) {
  return shape.kind() == ShapeKind::plane ? shape.as<Plane>().offset : shape.as<Line>().offset;
}

class Falling {
 public:
  explicit Falling(const BodyReading& reading)
      : reading_(reading), touched_(reading.world().bodies.size(), 0) {
    for (const WorldContact& contact : reading.contacts())
      touched_[static_cast<std::size_t>(contact.a)] =
          touched_[static_cast<std::size_t>(contact.b)] = 1;
    for (const Joint& joint : reading.world().joints)
      for (const int body : {joint.a, joint.b})
        if (body >= 0) touched_[static_cast<std::size_t>(body)] = 1;
    const Vector3& gravity = reading.world().gravity;
    if (gravity.isZero(0)) return;
    down_ = gravity.normalized();
    for (std::size_t i = 0; i < touched_.size(); ++i) {
      const Body& body = reading.world().bodies[i];
      if (!body.is_free()) add_ground(body, reading.state().bodies[i]);
    }
  }

  bool is_lost(std::size_t i) const {
    const Body& body = reading_.world().bodies[i];
    const BodyState& s = reading_.state().bodies[i];
    if (!body.is_free() || touched_[i] || !body.is_present(reading_.time())) return false;
    if (!(s.v.dot(down_) > 0) || is_caught_later(s.position)) return false;
    return s.position.dot(down_) - kFar * half_extent(*body.shape) > lowest_;
  }
  // Without ground, or in a cell that is periodic along gravity, nothing is ever lost.
  bool is_possible() const {
    const Vector3 along = reading_.world().period.cwiseProduct(down_);
    return any_ground_ && along.isZero(0);
  }

 private:
  // What has no bounds catches all that is on its side, if it faces up.
  void add_ground(const Body& body, const BodyState& s) {
    any_ground_ = true;
    if (body.shape->bounds().is_bounded()) {
      lowest_ = std::max(lowest_, s.position.dot(down_) + half_extent(*body.shape));
    } else {
      const Vector3 normal = s.rotation * normal_of(*body.shape);
      if (normal.dot(down_) < -kFlat)
        endless_.push_back({normal, s.position, offset_of(*body.shape)});
    }
  }
  bool is_caught_later(const Vector3& x) const {
    return std::any_of(endless_.begin(), endless_.end(), [&](const Endless& ground) {
      return ground.normal.dot(x - ground.position) > ground.offset;
    });
  }

  const BodyReading& reading_;
  std::vector<char> touched_;
  Vector3 down_ = Vector3::Zero();
  bool any_ground_ = false;
  double lowest_ = -std::numeric_limits<double>::infinity();
  struct Endless {
    Vector3 normal, position;  // of a plane or line that faces up
    double offset;             // [m]
  };
  std::vector<Endless> endless_;
};

}  // namespace

std::vector<std::string> find_lost_bodies(const BodyReading& reading) {
  std::vector<std::string> names;
  const Falling falling(reading);
  if (!falling.is_possible()) return names;
  for (std::size_t i = 0; i < reading.world().bodies.size(); ++i)
    if (falling.is_lost(i)) names.push_back(reading.world().bodies[i].name);
  return names;
}

}  // namespace clack
