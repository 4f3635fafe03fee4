#include "clack/problem/certificate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "clack/core/error.hpp"
#include "clack/problem/global_problem.hpp"

namespace clack {
namespace {

double ratio(double value, double scale) { return scale > 0 ? value / scale : value; }

// std::max would drop a NaN, so values that are not finite are judged beforehand.
bool all_finite(const double* x, int n) {
  return std::all_of(x, x + n, [](double value) { return std::isfinite(value); });
}

Certificate worst_of_all() {
  const double infinite = std::numeric_limits<double>::infinity();
  return {infinite, infinite, infinite, infinite, infinite, infinite};
}

// What a violation is measured against.
struct Scales {
  double impulse = 0;                          // [N s]
  double velocity = 0;                         // [m/s]
  std::array<double, Cone::kMaxDiscs> disc{};  // of |r_i|: the first [N s], others [N m s]

  double power() const { return impulse * velocity; }
};

void widen(Scales& scales, const Cone& cone, const double* r, const double* u) {
  for (int k = 0; k < cone.rows_like_normal(); ++k) {
    scales.impulse = std::max(scales.impulse, std::abs(r[k]));
    scales.velocity = std::max(scales.velocity, std::abs(u[k]));
  }
  for (int i = 0; i < cone.disc_count(); ++i) {
    const Cone::Disc disc = cone.disc(i);
    scales.velocity = std::max(scales.velocity, disc.radius * disc.norm(u));
    auto& largest = scales.disc[static_cast<std::size_t>(i)];
    largest = std::max({largest, disc.norm(r), disc.radius * std::abs(r[0])});
  }
}

void check_free(Certificate& worst, const Cone& cone, const double* u, const Scales& scales) {
  for (int k = 0; k < cone.dim(); ++k) {
    worst.velocity = std::max(worst.velocity, ratio(std::abs(u[k]), scales.velocity));
  }
}

void check_contact(Certificate& worst, const Cone& cone, const double* r, const double* u,
                   const Scales& scales) {
  double dot = r[0] * u[0];
  double dissipation = 0;
  double modified = u[0];  // (u + g(u))_N
  double support = 0;      // what K* asks it to be at least
  worst.impulse = std::max(worst.impulse, ratio(-r[0], scales.impulse));
  for (int i = 0; i < cone.disc_count(); ++i) {
    const Cone::Disc disc = cone.disc(i);
    const double speed = disc.norm(u);
    const double excess = disc.norm(r) - disc.radius * r[0];
    const double scale =
        std::max(scales.disc[static_cast<std::size_t>(i)], i == 0 ? scales.impulse : 0.0);
    worst.impulse = std::max(worst.impulse, ratio(excess, scale));
    modified += disc.radius * speed;
    support += disc.radius * speed;
    dissipation += disc.radius * r[0] * speed;
    for (int k = disc.begin; k < disc.begin + disc.dim; ++k) {
      dot += r[k] * u[k];
      const double aligned = speed * r[k] + disc.radius * r[0] * u[k];
      worst.sliding = std::max(worst.sliding, ratio(std::abs(aligned), scales.power()));
    }
  }
  worst.velocity = std::max(worst.velocity, ratio(support - modified, scales.velocity));
  worst.orthogonal = std::max(worst.orthogonal, ratio(std::abs(dot + dissipation), scales.power()));
  worst.bipotential += dot + dissipation;
}

double power_sum(const Cone& cone, const double* r, const double* u) {
  double sum = cone.is_free() ? 0.0 : std::abs(r[0]) * std::abs(u[0]);
  for (int i = 0; i < cone.disc_count(); ++i) {
    const Cone::Disc disc = cone.disc(i);
    sum += (disc.norm(r) + disc.radius * std::abs(r[0])) * disc.norm(u);
  }
  return sum;
}

// Everything but the dynamics; u_free widens the velocity scale, so that contacts that all stick
// are not judged by their own rounding.
Certificate check_law(std::span<const Cone> cones, std::span<const int> offset, const double* r,
                      const double* u, const double* u_free) {
  Scales scales;
  double power = 0;
  for (std::size_t c = 0; c < cones.size(); ++c) {
    const int begin = offset[c];
    widen(scales, cones[c], r + begin, u + begin);
    widen(scales, cones[c], r + begin, u_free + begin);
    power += power_sum(cones[c], r + begin, u + begin);
  }
  Certificate worst;
  for (std::size_t c = 0; c < cones.size(); ++c) {
    const int begin = offset[c];
    if (cones[c].is_free()) {
      check_free(worst, cones[c], u + begin, scales);
    } else {
      check_contact(worst, cones[c], r + begin, u + begin, scales);
    }
  }
  worst.bipotential = ratio(worst.bipotential, std::max(power, scales.power()));
  return worst;
}

double relative_error(const Vector& error, double scale) { return ratio(error.norm(), scale); }

}  // namespace

double Certificate::worst() const {
  return std::max({dynamics, impulse, velocity, orthogonal, sliding, std::abs(bipotential)});
}

Certificate compute_certificate(const ReducedProblem& problem, const double* r, const double* u) {
  const int m = problem.size();
  if (!all_finite(r, m) || !all_finite(u, m)) return worst_of_all();
  Vector Wr(m);
  problem.W->multiply(r, Wr.data());
  Certificate worst = check_law(problem.cones, problem.offset, r, u, problem.u_free);
  const ConstVectorMap velocity(u, m);
  const Vector error = velocity - Wr - problem.free_velocity();
  worst.dynamics =
      relative_error(error, std::max({velocity.norm(), Wr.norm(), problem.free_velocity().norm()}));
  return worst;
}

Certificate compute_certificate(const ProblemData& global, const double* r, const double* v) {
  if (global.form != ProblemForm::global) throw InputError("the problem is not in global form");
  if (!all_finite(r, global.dimension()) || !all_finite(v, global.dof())) return worst_of_all();
  const ConstVectorMap impulse(r, global.dimension());
  const ConstVectorMap velocity(v, global.dof());
  const Vector Hr = global.H * impulse;
  const Vector Mv = global.M * velocity;
  const Vector u = global.H.transpose() * velocity + global.w;
  const Vector v_free = MassInverse(global.M).solve(global.f);
  const Vector u_free = global.H.transpose() * v_free + global.w;
  Certificate worst = check_law(global.cones, global.offset, r, u.data(), u_free.data());
  worst.dynamics =
      relative_error(Mv - Hr - global.f, std::max({Mv.norm(), Hr.norm(), global.f.norm()}));
  return worst;
}

}  // namespace clack
