#include "clack/problem/body_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "clack/core/error.hpp"

namespace clack {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Point = Eigen::Vector3d;

void require(bool good, const char* what, std::size_t index, const char* allowed) {
  if (!good) throw InputError(fmt::format("body problem: {} {} {}", what, index, allowed));
}

bool is_planar(const RigidBody& body) {
  const auto& i = body.inverse_inertia;
  return i[0] == 0 && i[1] == 0 && i[3] == 0 && i[4] == 0 && i[5] == 0 && body.v_free.z() == 0 &&
         body.omega_free.x() == 0 && body.omega_free.y() == 0;
}

bool is_planar(const BodyContact& contact) {
  return contact.normal.z() == 0 && contact.offset.z() == 0 &&
         (contact.a < 0 || contact.arm_a.z() == 0) && (contact.b < 0 || contact.arm_b.z() == 0);
}

void check_body(const RigidBody& body, int dim, std::size_t index) {
  double sum = 0;
  for (const double x : body.inverse_inertia) sum += std::abs(x);
  require(body.inverse_mass >= 0 && std::isfinite(body.inverse_mass), "inverse mass of body", index,
          "must be finite and >= 0");
  require(std::isfinite(sum) && body.v_free.allFinite() && body.omega_free.allFinite(), "body",
          index, "has a value that is not finite");
  require(body.inverse_mass > 0 || sum == 0, "body", index,
          "is driven (inverse mass 0): its inverse inertia must be 0 too");
  require(dim == 3 || is_planar(body), "body", index, "leaves the plane x, y");
}

void check_contact(const BodyContact& contact, int dim, int bodies, std::size_t index) {
  const bool inside =
      contact.a >= -1 && contact.b >= -1 && contact.a < bodies && contact.b < bodies;
  require(inside && contact.a != contact.b, "contact", index,
          "needs two different bodies that exist, one of which may be -1");
  require(std::abs(contact.normal.squaredNorm() - 1) <= 2e-8, "normal of contact", index,
          "must have the length 1");
  require(contact.mu >= 0 && std::isfinite(contact.mu), "mu of contact", index,
          "must be finite and >= 0");
  const double sum = contact.offset.cwiseAbs().sum() +
                     (contact.a < 0 ? 0 : contact.arm_a.cwiseAbs().sum()) +
                     (contact.b < 0 ? 0 : contact.arm_b.cwiseAbs().sum());
  require(std::isfinite(sum), "contact", index, "has a value that is not finite");
  require(dim == 3 || is_planar(contact), "contact", index, "leaves the plane x, y");
}

// The three rows of H' of one body, 3 x 6; `sign` is +1 for b and -1 for a.
Eigen::Matrix<double, 3, 6> body_rows(const Eigen::Matrix3d& frame, const Point& arm, double sign) {
  Eigen::Matrix<double, 3, 6> rows;
  rows.leftCols<3>() = sign * frame;
  for (int k = 0; k < 3; ++k) rows.row(k).tail<3>() = sign * arm.cross(Point(frame.row(k)));
  return rows;
}

// M^-1 x of one body.
Vector6 apply_inverse_mass(const RigidBody& body, const Vector6& x) {
  Vector6 y;
  y.head<3>() = body.inverse_mass * x.head<3>();
  y.tail<3>() = body.inverse_inertia_matrix() * x.tail<3>();
  return y;
}

// The impulse and its moment on body b (sign 1) or a (sign -1).
Vector6 body_impulse(const Point& world, const Point& arm, double sign) {
  Vector6 x;
  x << sign * world, sign * arm.cross(world);
  return x;
}

Point point_velocity(const double* v, const Point& arm) {
  return Point(v[0], v[1], v[2]) + Point(v[3], v[4], v[5]).cross(arm);
}

// u = H' v of one contact, without the offset.
Point local_velocity(const BodyProblem& problem, const BodyContact& contact, const double* v) {
  Point u = Point::Zero();
  if (contact.b >= 0) u += point_velocity(v + 6 * std::ptrdiff_t{contact.b}, contact.arm_b);
  if (contact.a >= 0) u -= point_velocity(v + 6 * std::ptrdiff_t{contact.a}, contact.arm_a);
  return contact_frame(contact.normal, problem.dim) * u;
}

Point free_velocity(const BodyProblem& problem, const BodyContact& contact) {
  const auto of_point = [&](int body, const Point& arm) -> Point {
    if (body < 0) return Point::Zero();
    const RigidBody& rigid = problem.bodies[static_cast<std::size_t>(body)];
    return rigid.v_free + rigid.omega_free.cross(arm);
  };
  const Point u = of_point(contact.b, contact.arm_b) - of_point(contact.a, contact.arm_a);
  return contact_frame(contact.normal, problem.dim) * u + contact.offset;
}

// Adds H_i' M^-1 H_j through one body to a block of W.
Eigen::Matrix3d coupling(const BodyProblem& problem, int body, const BodyContact& i,
                         const BodyContact& j) {
  const auto rows = [&](const BodyContact& c) {
    const bool is_b = c.b == body;
    return body_rows(contact_frame(c.normal, problem.dim), is_b ? c.arm_b : c.arm_a, is_b ? 1 : -1);
  };
  const RigidBody& rigid = problem.bodies[static_cast<std::size_t>(body)];
  const Eigen::Matrix<double, 3, 6> left = rows(i), right = rows(j);
  return rigid.inverse_mass * left.leftCols<3>() * right.leftCols<3>().transpose() +
         left.rightCols<3>() * rigid.inverse_inertia_matrix() * right.rightCols<3>().transpose();
}

Eigen::Matrix3d diagonal(const BodyProblem& problem, const BodyContact& contact) {
  Eigen::Matrix3d block = Eigen::Matrix3d::Zero();
  for (const int body : {contact.a, contact.b}) {
    if (body >= 0) block += coupling(problem, body, contact, contact);
  }
  return block;
}

void write_block(const Eigen::Matrix3d& from, int dim, double* block) {
  for (int j = 0; j < dim; ++j) {
    for (int i = 0; i < dim; ++i) block[dim * j + i] = from(i, j);
  }
}

// The contacts of each body, as positions in `list`.
void list_contacts(const BodyProblem& problem, const std::vector<int>& list,
                   std::vector<int>& begin, std::vector<int>& members) {
  begin.assign(problem.bodies.size() + 1, 0);
  const auto each = [&](auto&& act) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      const BodyContact& contact = problem.contacts[static_cast<std::size_t>(list[k])];
      for (const int body : {contact.a, contact.b}) {
        if (body >= 0) act(static_cast<std::size_t>(body), static_cast<int>(k));
      }
    }
  };
  each([&](std::size_t body, int) { ++begin[body + 1]; });
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  members.resize(static_cast<std::size_t>(begin.back()));
  std::vector<int> next(begin.begin(), begin.end() - 1);
  each([&](std::size_t body, int k) { members[static_cast<std::size_t>(next[body]++)] = k; });
}

std::vector<int> all_contacts(const BodyProblem& problem) {
  std::vector<int> list(problem.contacts.size());
  for (std::size_t k = 0; k < list.size(); ++k) list[k] = static_cast<int>(k);
  return list;
}

std::vector<Cone> cones_of(const BodyProblem& problem, const std::vector<int>& list) {
  std::vector<Cone> cones;
  cones.reserve(list.size());
  for (const int k : list) {
    cones.push_back(Cone::coulomb(problem.dim, problem.contacts[static_cast<std::size_t>(k)].mu));
  }
  return cones;
}

// The body coordinates of the global form, in the order of the six.
std::vector<int> coordinates(int dim) {
  return dim == 2 ? std::vector<int>{0, 1, 5} : std::vector<int>{0, 1, 2, 3, 4, 5};
}

Eigen::Matrix<double, 6, 6> mass_matrix(const RigidBody& body, int dim, std::size_t index) {
  Eigen::Matrix<double, 6, 6> M = Eigen::Matrix<double, 6, 6>::Zero();
  M.diagonal().head<3>().setConstant(1 / body.inverse_mass);
  const Eigen::Matrix3d inverse = body.inverse_inertia_matrix();
  if (dim == 2) {
    require(inverse(2, 2) > 0, "inverse inertia of body", index, "is singular");
    M(5, 5) = 1 / inverse(2, 2);
    return M;
  }
  const Eigen::LLT<Eigen::Matrix3d> factor(inverse);
  require(factor.info() == Eigen::Success, "inverse inertia of body", index, "is singular");
  M.bottomRightCorner<3, 3>() = factor.solve(Eigen::Matrix3d::Identity());
  return M;
}

// First dof of each body; -1 where it is driven. Returns their number.
int number_dof(const BodyProblem& problem, std::vector<int>& first) {
  int dof = 0;
  for (const RigidBody& body : problem.bodies) {
    first.push_back(body.inverse_mass > 0 ? dof : -1);
    if (body.inverse_mass > 0) dof += problem.dim == 2 ? 3 : 6;
  }
  return dof;
}

// M and f of the global form.
void assemble_bodies(const BodyProblem& problem, const std::vector<int>& first, SparseMatrix& M,
                     Vector& f) {
  const std::vector<int> axes = coordinates(problem.dim);
  std::vector<Triplet> entries;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] < 0) continue;
    const RigidBody& body = problem.bodies[i];
    const Eigen::Matrix<double, 6, 6> mass = mass_matrix(body, problem.dim, i);
    const Vector6 momentum = mass * (Vector6() << body.v_free, body.omega_free).finished();
    for (int k = 0; k < static_cast<int>(axes.size()); ++k) {
      f[first[i] + k] = momentum[axes[static_cast<std::size_t>(k)]];
      for (int l = 0; l < static_cast<int>(axes.size()); ++l) {
        const double value =
            mass(axes[static_cast<std::size_t>(k)], axes[static_cast<std::size_t>(l)]);
        if (value != 0) entries.emplace_back(first[i] + k, first[i] + l, value);
      }
    }
  }
  M.setFromTriplets(entries.begin(), entries.end());
}

// The rows of one body of one contact go to H, or into w where the body is driven.
void add_rows(const BodyProblem& problem, int first, int body,
              const Eigen::Matrix<double, 3, 6>& rows, int row, std::vector<Triplet>& entries,
              Vector& w) {
  const RigidBody& rigid = problem.bodies[static_cast<std::size_t>(body)];
  const std::vector<int> axes = coordinates(problem.dim);
  const Vector6 driven = (Vector6() << rigid.v_free, rigid.omega_free).finished();
  for (int k = 0; k < problem.dim; ++k) {
    if (first < 0) {
      w[row + k] += rows.row(k).dot(driven);
      continue;
    }
    for (int l = 0; l < static_cast<int>(axes.size()); ++l) {
      const double value = rows(k, axes[static_cast<std::size_t>(l)]);
      if (value != 0) entries.emplace_back(first + l, row + k, value);
    }
  }
}

}  // namespace

Eigen::Matrix3d RigidBody::inverse_inertia_matrix() const {
  const auto& i = inverse_inertia;
  Eigen::Matrix3d matrix;
  matrix << i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2];
  return matrix;
}

bool RigidBody::is_isotropic() const {
  const auto& i = inverse_inertia;
  return i[0] == i[1] && i[1] == i[2] && i[3] == 0 && i[4] == 0 && i[5] == 0;
}

void BodyProblem::validate() const {
  if (dim != 2 && dim != 3) {
    throw InputError(fmt::format("body problem: dim is {}; it must be 2 or 3", dim));
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) check_body(bodies[i], dim, i);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    check_contact(contacts[k], dim, static_cast<int>(bodies.size()), k);
  }
}

void to_world(const BodyProblem& problem, const double* local, Point* world) {
  assert(problem.contacts.empty() || (local != nullptr && world != nullptr));
  for (const BodyContact& contact : problem.contacts) {
    *world++ = to_world(contact.normal, problem.dim, local);
    local += problem.dim;
  }
}

void to_local(const BodyProblem& problem, const Point* world, double* local) {
  assert(problem.contacts.empty() || (local != nullptr && world != nullptr));
  for (const BodyContact& contact : problem.contacts) {
    to_local(contact.normal, problem.dim, *world++, local);
    local += problem.dim;
  }
}

void compute_velocity(const BodyProblem& problem, const double* r, double* v) {
  assert(problem.contacts.empty() || r != nullptr);
  assert(problem.bodies.empty() || v != nullptr);
  std::fill_n(v, 6 * problem.bodies.size(), 0.0);
  for (const BodyContact& contact : problem.contacts) {
    const Point world = to_world(contact.normal, problem.dim, r);
    r += problem.dim;
    const auto add = [&](int body, const Point& arm, double sign) {
      if (body < 0) return;
      Eigen::Map<Vector6> sum(v + 6 * std::ptrdiff_t{body});
      sum += body_impulse(world, arm, sign);
    };
    add(contact.b, contact.arm_b, 1);
    add(contact.a, contact.arm_a, -1);
  }
  impulses_to_velocities(problem.bodies, v);
}

void impulses_to_velocities(const LargeArray<RigidBody>& bodies, double* v) {
  for (const RigidBody& body : bodies) {
    Eigen::Map<Vector6> value(v);
    value = apply_inverse_mass(body, value);
    value.head<3>() += body.v_free;
    value.tail<3>() += body.omega_free;
    v += 6;
  }
}

void compute_local_velocity(const BodyProblem& problem, const double* v, double* u) {
  assert(problem.contacts.empty() || (v != nullptr && u != nullptr));
  for (const BodyContact& contact : problem.contacts) {
    const Point value = local_velocity(problem, contact, v) + contact.offset;
    std::copy_n(value.data(), problem.dim, u);
    u += problem.dim;
  }
}

void compute_diagonal_block(const BodyProblem& problem, const BodyContact& contact, double* block) {
  write_block(diagonal(problem, contact), problem.dim, block);
}

Residual compute_residual(const BodyProblem& problem, const double* r, double* u) {
  const BodyDelassus W(problem);
  Vector u_free(problem.size());
  std::vector<Cone> cones;
  std::vector<int> offset{0};
  for (const BodyContact& contact : problem.contacts) {
    u_free.segment(offset.back(), problem.dim) = free_velocity(problem, contact).head(problem.dim);
    cones.push_back(Cone::coulomb(problem.dim, contact.mu));
    offset.push_back(offset.back() + problem.dim);
  }
  std::vector<double> v(6 * problem.bodies.size());
  compute_velocity(problem, r, v.data());
  compute_local_velocity(problem, v.data(), u);
  Yardstick yardstick;
  yardstick.bind({&W, u_free.data(), cones, offset});
  return yardstick.measure_at(r, u);
}

ProblemData assemble_reduced(const BodyProblem& problem, const std::vector<int>& contacts) {
  const std::vector<int> list = contacts.empty() ? all_contacts(problem) : contacts;
  const int dim = problem.dim, rows = dim * static_cast<int>(list.size());
  std::vector<int> begin, members;
  list_contacts(problem, list, begin, members);
  const auto contact_at = [&](int k) -> const BodyContact& {
    return problem.contacts[static_cast<std::size_t>(list[static_cast<std::size_t>(k)])];
  };
  std::vector<Triplet> entries;
  for (std::size_t body = 0; body + 1 < begin.size(); ++body) {
    for (int i = begin[body]; i < begin[body + 1]; ++i) {
      for (int j = begin[body]; j < begin[body + 1]; ++j) {
        const int row = members[static_cast<std::size_t>(i)],
                  col = members[static_cast<std::size_t>(j)];
        const Eigen::Matrix3d block =
            coupling(problem, static_cast<int>(body), contact_at(row), contact_at(col));
        for (int k = 0; k < dim * dim; ++k) {
          entries.emplace_back(dim * row + k % dim, dim * col + k / dim, block(k % dim, k / dim));
        }
      }
    }
  }
  SparseMatrix W(rows, rows);
  W.setFromTriplets(entries.begin(), entries.end());
  Vector u_free(rows);
  for (int k = 0; k < static_cast<int>(list.size()); ++k) {
    u_free.segment(dim * k, dim) = free_velocity(problem, contact_at(k)).head(dim);
  }
  return make_reduced_problem(cones_of(problem, list), W, std::move(u_free));
}

ProblemData assemble_global(const BodyProblem& problem) {
  std::vector<int> first;
  const int dof = number_dof(problem, first), dim = problem.dim;
  SparseMatrix M(dof, dof), H(dof, problem.size());
  Vector f = Vector::Zero(dof), w = Vector::Zero(problem.size());
  assemble_bodies(problem, first, M, f);
  std::vector<Triplet> entries;
  int row = 0;
  for (const BodyContact& contact : problem.contacts) {
    const Eigen::Matrix3d frame = contact_frame(contact.normal, dim);
    w.segment(row, dim) += contact.offset.head(dim);
    const auto add = [&](int body, const Point& arm, double sign) {
      if (body < 0) return;
      const int start = first[static_cast<std::size_t>(body)];
      add_rows(problem, start, body, body_rows(frame, arm, sign), row, entries, w);
    };
    add(contact.a, contact.arm_a, -1);
    add(contact.b, contact.arm_b, 1);
    row += dim;
  }
  H.setFromTriplets(entries.begin(), entries.end());
  return make_global_problem(cones_of(problem, all_contacts(problem)), std::move(M), std::move(H),
                             std::move(f), std::move(w));
}

BodyDelassus::BodyDelassus(const BodyProblem& problem) : problem_(&problem) {
  list_contacts(problem, all_contacts(problem), begin_, members_);
}

Vector6 BodyDelassus::velocity_change(int body, const double* x) const {
  Vector6 sum = Vector6::Zero();
  const auto index = static_cast<std::size_t>(body);
  for (int i = begin_[index]; i < begin_[index + 1]; ++i) {
    const int k = members_[static_cast<std::size_t>(i)];
    const BodyContact& contact = problem_->contacts[static_cast<std::size_t>(k)];
    const Point world =
        to_world(contact.normal, problem_->dim, x + std::ptrdiff_t{problem_->dim} * k);
    const bool is_b = contact.b == body;
    sum += body_impulse(world, is_b ? contact.arm_b : contact.arm_a, is_b ? 1 : -1);
  }
  return apply_inverse_mass(problem_->bodies[index], sum);
}

void BodyDelassus::multiply(const double* x, double* y) const {
  std::vector<double> v(6 * problem_->bodies.size());
  for (int body = 0; body < static_cast<int>(problem_->bodies.size()); ++body) {
    Eigen::Map<Vector6>(v.data() + 6 * std::ptrdiff_t{body}) = velocity_change(body, x);
  }
  for (const BodyContact& contact : problem_->contacts) {
    const Point value = local_velocity(*problem_, contact, v.data());
    std::copy_n(value.data(), problem_->dim, y);
    y += problem_->dim;
  }
}

void BodyDelassus::multiply_rows(int begin, int dim, const double* x, double* y) const {
  assert(begin >= 0 && begin + dim <= size() && x != y);
  for (int row = begin; row < begin + dim; ++row) {
    const int k = row / problem_->dim;
    const BodyContact& contact = problem_->contacts[static_cast<std::size_t>(k)];
    const Eigen::Matrix3d frame = contact_frame(contact.normal, problem_->dim);
    Point value = Point::Zero();
    if (contact.b >= 0) {
      value += frame * point_velocity(velocity_change(contact.b, x).data(), contact.arm_b);
    }
    if (contact.a >= 0) {
      value -= frame * point_velocity(velocity_change(contact.a, x).data(), contact.arm_a);
    }
    for (; row < begin + dim && row / problem_->dim == k; ++row)
      y[row - begin] = value[row % problem_->dim];
    --row;
  }
}

void BodyDelassus::diagonal_block(int begin, int dim, double* block) const {
  if (begin % problem_->dim != 0 || dim != problem_->dim) {
    throw InputError("body problem: diagonal blocks are those of whole contacts");
  }
  assert(begin >= 0 && begin + dim <= size() && block != nullptr);
  const auto k = static_cast<std::size_t>(begin / problem_->dim);
  compute_diagonal_block(*problem_, problem_->contacts[k], block);
}

void BodyDelassus::couple(std::span<const int>, Components& contacts) const {
  for (std::size_t body = 0; body + 1 < begin_.size(); ++body) {
    if (!(problem_->bodies[body].inverse_mass > 0)) continue;
    for (int i = begin_[body] + 1; i < begin_[body + 1]; ++i)
      contacts.join(members_[static_cast<std::size_t>(i - 1)],
                    members_[static_cast<std::size_t>(i)]);
  }
}

}  // namespace clack
