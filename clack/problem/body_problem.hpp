// The one-step problem in the space of rigid bodies: neither W nor M and H are ever stored.
//
//     v = v_free + M^-1 H r,    u = H' v + w                                      (eq:body_problem)
//     K* contains  u + g(u)  orthogonal to  r in K
//
// with one Coulomb cone a contact. H is made of the normals and the arms, M^-1 of one inverse mass
// and one inverse inertia a body. dim = 2 is motion in the plane x, y with rotation about z: all z
// components of normals, arms, velocities and all x, y components of omega are then zero.
#pragma once

#include <array>
#include <vector>

#include "clack/core/contact_frame.hpp"
#include "clack/core/large_array.hpp"
#include "clack/core/types.hpp"
#include "clack/problem/delassus.hpp"
#include "clack/problem/problem_data.hpp"
#include "clack/problem/residual.hpp"

namespace clack {

struct RigidBody {
  double inverse_mass = 0;  // [1/kg]; 0: a driven body, which moves as v_free and omega_free say
  std::array<double, 6> inverse_inertia{};  // xx, yy, zz, xy, xz, yz, world frame [1/(kg m^2)]
  Eigen::Vector3d v_free = Eigen::Vector3d::Zero();      // of the centre of mass [m/s]
  Eigen::Vector3d omega_free = Eigen::Vector3d::Zero();  // world frame [rad/s]
  // Of the centre [m]; nothing but the order of work depends on it, so that it may stay 0.
  Eigen::Vector3d position = Eigen::Vector3d::Zero();

  Eigen::Matrix3d inverse_inertia_matrix() const;
  bool is_isotropic() const;  // the inverse inertia is a multiple of the unit matrix
};

// The normal points from body a to body b. An index of -1 is the surroundings: their motion is part
// of the offset, their arm is not read. At least one index is a body.
struct BodyContact {
  int a = -1;
  int b = -1;
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
  Eigen::Vector3d arm_a = Eigen::Vector3d::Zero();   // contact point minus centre of a [m]
  Eigen::Vector3d arm_b = Eigen::Vector3d::Zero();   // contact point minus centre of b [m]
  Eigen::Vector3d offset = Eigen::Vector3d::Zero();  // w in (N, T1, T2) [m/s]
  double mu = 0;
};

// r and u hold `dim` values a contact, (N, T1, T2) or (N, T) in contact_frame; +r acts on b. v
// holds six values a body: velocity of the centre, then omega, both in the world frame.
struct BodyProblem {
  int dim = 3;
  LargeArray<RigidBody> bodies;
  LargeArray<BodyContact> contacts;

  int size() const { return dim * static_cast<int>(contacts.size()); }
  // Throws InputError for indices, normals, masses or numbers that are not allowed.
  void validate() const;
};

// The same for all contacts of a problem.
void to_world(const BodyProblem& problem, const double* local, Eigen::Vector3d* world);
void to_local(const BodyProblem& problem, const Eigen::Vector3d* world, double* local);

// v = v_free + M^-1 v in place, of impulses and moments on the bodies, six values each.
void impulses_to_velocities(const LargeArray<RigidBody>& bodies, double* v);

// v = v_free + M^-1 H r; u = H' v + w.
void compute_velocity(const BodyProblem& problem, const double* r, double* v);
void compute_local_velocity(const BodyProblem& problem, const double* v, double* u);

// The diagonal block W_ii of a contact (dim x dim values, by columns).
void compute_diagonal_block(const BodyProblem& problem, const BodyContact& contact, double* block);

// The yardstick, as of the assembled problem: writes u = W r + u_free.
[[nodiscard]] Residual compute_residual(const BodyProblem& problem, const double* r, double* u);

// The reduced form of the contacts listed (all where the list is empty), rows in the order of the
// list. For small problems and islands.
ProblemData assemble_reduced(const BodyProblem& problem, const std::vector<int>& contacts = {});

// The global form: dof are v and omega of the bodies that are not driven (plane: v_x, v_y,
// omega_z). Throws InputError where an inverse inertia is singular.
ProblemData assemble_global(const BodyProblem& problem);

// W without storing it. Holds the contacts of each body besides the problem, which must stay.
class BodyDelassus final : public Delassus {
 public:
  explicit BodyDelassus(const BodyProblem& problem);

  int size() const override { return problem_->size(); }
  void multiply(const double* x, double* y) const override;
  void multiply_rows(int begin, int dim, const double* x, double* y) const override;
  void diagonal_block(int begin, int dim, double* block) const override;
  void couple(std::span<const int> offset, Components& contacts) const override;

 private:
  Eigen::Matrix<double, 6, 1> velocity_change(int body, const double* x) const;

  const BodyProblem* problem_;
  std::vector<int> begin_, members_;  // contacts of body i: members_[begin_[i] .. begin_[i + 1])
};

}  // namespace clack
