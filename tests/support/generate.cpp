#include "tests/support/generate.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "clack/core/error.hpp"
#include "tests/support/packing.hpp"

namespace clack::test {
namespace {

constexpr std::array<std::pair<Packing, std::string_view>, 6> kPackings{
    {{Packing::fcc, "fcc"},
     {Packing::bcc, "bcc"},
     {Packing::hexagonal, "hexagonal"},
     {Packing::random, "random"},
     {Packing::tower, "tower"},
     {Packing::wall, "wall"}}};

bool is_round(Packing packing) { return packing != Packing::tower && packing != Packing::wall; }

PackedScene pack(const GenerateOptions& options, SplitMix& random) {
  if (options.packing == Packing::random) return pack_random(options, random);
  return is_round(options.packing) ? pack_spheres(options, random) : pack_boxes(options, random);
}

void require(bool good, std::string_view field, double value, std::string_view allowed) {
  if (good) return;
  throw InputError(fmt::format("generate: {} is {}; it must be {}", field, value, allowed));
}

// The body coordinates: 3 dof in the plane (x, z, rotation about y), 6 in space.
int body_dof(int dim) { return dim == 2 ? 3 : 6; }

// Mass and moments of inertia in the order of the body coordinates.
std::array<double, 6> inertia(const GenerateOptions& options, const PackedBody& body) {
  const Point e = body.half_edge;
  if (options.dim == 2) {
    const bool disc = is_round(options.packing);
    const double area = disc ? std::numbers::pi * body.radius * body.radius : 4 * e.x() * e.z();
    const double m = body.density * area;
    const double about_y =
        disc ? 0.5 * m * body.radius * body.radius : m / 3 * (e.x() * e.x() + e.z() * e.z());
    return {m, m, about_y};
  }
  if (is_round(options.packing)) {
    const double r = body.radius, m = body.density * (4.0 / 3) * std::numbers::pi * r * r * r;
    const double moment = 0.4 * m * r * r;
    return {m, m, m, moment, moment, moment};
  }
  const double m = body.density * 8 * e.x() * e.y() * e.z();
  const double x = e.x() * e.x(), y = e.y() * e.y(), z = e.z() * e.z();
  return {m, m, m, m / 3 * (y + z), m / 3 * (x + z), m / 3 * (x + y)};
}

// Two tangents of a unit normal, after Duff et al. (2017): no branch on small components.
std::array<Point, 2> tangents(const Point& n) {
  const double sign = n.z() < 0 ? -1 : 1;
  const double a = -1 / (sign + n.z()), b = n.x() * n.y() * a;
  return {Point{1 + sign * n.x() * n.x() * a, sign * b, -sign * n.x()},
          Point{b, sign + n.y() * n.y() * a, -n.y()}};
}

// One column of H for a body: velocity of the point along the axis, per body coordinate.
std::array<double, 6> column(int dim, const Point& lever, const Point& axis) {
  const Point moment{lever.y() * axis.z() - lever.z() * axis.y(),
                     lever.z() * axis.x() - lever.x() * axis.z(),
                     lever.x() * axis.y() - lever.y() * axis.x()};
  if (dim == 2) return {axis.x(), axis.z(), moment.y()};
  return {axis.x(), axis.y(), axis.z(), moment.x(), moment.y(), moment.z()};
}

SparseMatrix assemble_mass(const GenerateOptions& options, const PackedScene& scene) {
  const int dof = body_dof(options.dim), size = dof * static_cast<int>(scene.bodies.size());
  SparseMatrix M(size, size);
  M.reserve(size);
  int row = 0;
  for (const PackedBody& body : scene.bodies) {
    const std::array<double, 6> values = inertia(options, body);
    for (int k = 0; k < dof; ++k, ++row) {
      M.startVec(row);
      M.insertBack(row, row) = values[static_cast<std::size_t>(k)];
    }
  }
  M.finalize();
  return M;
}

// u is the velocity of b minus that of a. Body a precedes b, so the rows of a column ascend.
SparseMatrix assemble_contact_map(const GenerateOptions& options, const PackedScene& scene) {
  const int dim = options.dim, dof = body_dof(dim);
  SparseMatrix H(dof * std::ssize(scene.bodies), dim * std::ssize(scene.contacts));
  H.reserve(2 * dof * H.cols());
  int col = 0;
  const auto append = [&](int body, double sign, const Point& point, const Point& axis) {
    const Point lever = point - scene.bodies[static_cast<std::size_t>(body)].centre;
    const std::array<double, 6> values = column(dim, lever, axis);
    for (int k = 0; k < dof; ++k) {
      const double value = sign * values[static_cast<std::size_t>(k)];
      if (value != 0) H.insertBack(dof * body + k, col) = value;
    }
  };
  for (const PackedContact& contact : scene.contacts) {
    const Point& n = contact.normal;
    std::array<Point, 3> frame{n, Point{n.z(), 0, -n.x()}, Point::Zero()};
    if (dim == 3) {
      const auto [first, second] = tangents(n);
      frame = {n, first, second};
    }
    for (int axis = 0; axis < dim; ++axis, ++col) {
      H.startVec(col);
      if (contact.body_a >= 0)
        append(contact.body_a, -1, contact.point, frame[static_cast<std::size_t>(axis)]);
      append(contact.body_b, 1, contact.point, frame[static_cast<std::size_t>(axis)]);
    }
  }
  H.finalize();
  return H;
}

// f = M v_0 + h (weight).
Vector draw_momentum(const GenerateOptions& options, const SparseMatrix& M, SplitMix& random) {
  const int dof = body_dof(options.dim), linear = options.dim;
  Vector f = Vector::Zero(M.rows());
  for (Eigen::Index begin = 0; begin < M.rows(); begin += dof) {
    const double m = M.coeff(begin, begin);
    for (int k = 0; k < linear; ++k) f[begin + k] = m * options.speed * random.uniform(-1, 1);
    f[begin + linear - 1] -= options.h * m * options.gravity;
  }
  return f;
}

// From the plane x, z of the generator to the plane x, y of a body problem.
Point turned(const Point& p, int dim) { return dim == 2 ? Point{p.x(), p.z(), 0} : p; }

RigidBody rigid_body(const GenerateOptions& options, const PackedBody& packed) {
  const std::array<double, 6> values = inertia(options, packed);
  RigidBody body;
  body.position = packed.centre;
  body.inverse_mass = 1 / values[0];
  if (options.dim == 2) {
    body.inverse_inertia[2] = 1 / values[2];
  } else {
    for (std::size_t k = 0; k < 3; ++k) body.inverse_inertia[k] = 1 / values[3 + k];
  }
  return body;
}

BodyContact body_contact(const GenerateOptions& options, const PackedScene& scene,
                         const PackedContact& packed) {
  const auto arm = [&](int body) {
    const Point lever = packed.point - scene.bodies[static_cast<std::size_t>(body)].centre;
    return turned(lever, options.dim);
  };
  BodyContact contact{packed.body_a, packed.body_b, turned(packed.normal, options.dim)};
  if (contact.a >= 0) contact.arm_a = arm(contact.a);
  contact.arm_b = arm(contact.b);
  return contact;
}

std::vector<Cone> draw_cones(const GenerateOptions& options, SplitMix& random) {
  std::vector<Cone> cones;
  cones.reserve(static_cast<std::size_t>(options.contacts));
  for (int c = 0; c < options.contacts; ++c) {
    const double factor = 1 + options.mu_spread * random.uniform(-1, 1);
    const bool smooth = random.uniform() < options.frictionless;
    cones.push_back(Cone::coulomb(options.dim, smooth ? 0.0 : options.mu * factor));
  }
  return cones;
}

}  // namespace

std::string_view to_string(Packing packing) {
  for (const auto& [value, name] : kPackings) {
    if (value == packing) return name;
  }
  return "unknown";
}

Packing packing_from_string(std::string_view name) {
  std::string known;
  for (const auto& [value, text] : kPackings) {
    if (text == name) return value;
    known += fmt::format(" {}", text);
  }
  throw InputError(fmt::format("unknown packing '{}'; known:{}", name, known));
}

void GenerateOptions::validate() const {
  require(dim == 2 || dim == 3, "dim", dim, "2 or 3");
  if (is_round(packing)) {
    const int needed = packing == Packing::hexagonal ? 2 : 3;
    if (dim != needed && packing != Packing::random) {
      throw InputError(fmt::format("generate: packing {} needs dim = {}; it is {}",
                                   to_string(packing), needed, dim));
    }
  } else if (walls) {
    throw InputError("generate: walls stand around spheres and discs only");
  }
  require(contacts >= 1 && contacts <= 100'000'000, "contacts", contacts, "in [1, 1e8]");
  require(width >= 0 && width <= 30'000, "width", width, "in [0, 30000]");
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  const auto in = [](double x, double low, double high) { return x >= low && x <= high; };
  require(positive(size), "size", size, "finite and > 0");
  require(in(disorder, 0, 0.2), "disorder", disorder, "in [0, 0.2]");
  require(in(radius_spread, 0, 0.5), "radius_spread", radius_spread, "in [0, 0.5]");
  if (packing == Packing::random) {
    require(disorder == 0, "disorder", disorder, "0 where the packing is random");
    require(width == 0 || width >= 3, "width", width, "0 or >= 3 where the packing is random");
  } else {
    require(radius_spread == 0, "radius_spread", radius_spread, "0 unless the packing is random");
  }
  require(positive(density), "density", density, "finite and > 0");
  require(positive(mass_ratio) && (mass_ratio >= 1 || mass_by_height), "mass_ratio", mass_ratio,
          "finite and >= 1, or > 0 with mass_by_height");
  require(mu >= 0 && std::isfinite(mu), "mu", mu, "finite and >= 0");
  require(in(mu_spread, 0, 1), "mu_spread", mu_spread, "in [0, 1]");
  require(in(frictionless, 0, 1), "frictionless", frictionless, "in [0, 1]");
  require(positive(h), "h", h, "finite and > 0");
  require(std::isfinite(gravity), "gravity", gravity, "finite");
  require(speed >= 0 && std::isfinite(speed), "speed", speed, "finite and >= 0");
}

ProblemData generate_problem(const GenerateOptions& options) {
  options.validate();
  SplitMix random(options.seed);
  const PackedScene scene = pack(options, random);
  SparseMatrix M = assemble_mass(options, scene);
  SparseMatrix H = assemble_contact_map(options, scene);
  Vector f = draw_momentum(options, M, random);
  std::vector<Cone> cones = draw_cones(options, random);
  Vector w = Vector::Zero(H.cols());
  ProblemData problem =
      make_global_problem(std::move(cones), std::move(M), std::move(H), std::move(f), std::move(w));
  problem.name = fmt::format("{}{}d-{}-{}", to_string(options.packing), options.dim,
                             options.contacts, options.seed);
  problem.title = "generated";
  return problem;
}

BodyProblem generate_body_problem(const GenerateOptions& options) {
  options.validate();
  SplitMix random(options.seed);
  const PackedScene scene = pack(options, random);
  const SparseMatrix M = assemble_mass(options, scene);
  const Vector f = draw_momentum(options, M, random);
  const std::vector<Cone> cones = draw_cones(options, random);
  BodyProblem problem;
  problem.dim = options.dim;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    RigidBody body = rigid_body(options, scene.bodies[i]);
    const auto first = static_cast<Eigen::Index>(i) * body_dof(options.dim);
    body.v_free.head(options.dim) = body.inverse_mass * f.segment(first, options.dim);
    problem.bodies.push_back(body);
  }
  for (std::size_t c = 0; c < scene.contacts.size(); ++c) {
    problem.contacts.push_back(body_contact(options, scene, scene.contacts[c]));
    problem.contacts.back().mu = cones[c].mu();
  }
  return problem;
}

}  // namespace clack::test
