#include "clack/model/shapes/hollow.hpp"

#include <fmt/format.h>

#include <string_view>

#include "clack/core/error.hpp"
#include "clack/model/shapes/checks.hpp"
#include "clack/model/shapes/shape.hpp"

namespace clack {
namespace {

void check_radii(double inner, double outer, std::string_view shape) {
  shapes::require_positive(inner, "inner", shape);
  shapes::require_positive(outer, "outer", shape);
  if (inner < outer) return;
  throw InputError(
      fmt::format("inner of the {} is {}; it must be below outer = {}", shape, inner, outer));
}

}  // namespace

RingShape::RingShape(double in, double out) : inner(in), outer(out) {
  check_radii(inner, outer, "ring");
  solid = make_shape(Disc(outer));
}

Tube::Tube(double in, double out, double half) : inner(in), outer(out), half_length(half) {
  check_radii(inner, outer, "tube");
  shapes::require_positive(half_length, "half_length", "tube");
  solid = make_shape(Cylinder(outer, half_length));
}

Socket::Socket(double in, double out) : inner(in), outer(out) {
  check_radii(inner, outer, "socket");
  solid = make_shape(Sphere(outer));
}

}  // namespace clack
