// The energy identities of the schemes, step by step, inside and outside their ranges.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "clack/integrate/newmark.hpp"
#include "clack/integrate/simulation.hpp"
#include "tests/integrate/random_system.hpp"

namespace clack {
namespace {

struct Options {
  std::string scheme;
  SchemeOptions scheme_options;
  double h = 0.01;
  int steps = 2000;
};

// State of a scheme around one step.
struct Around {
  const LinearSystem& system;
  const Simulation& simulation;
  Vector q, v, a, dq;  // at its start; a of Newmark's family; dq of the step before
  EnergyAudit before;
};

struct Figures {
  double identity = 0;  // |change of the scheme's energy - works - formula| over the energy
  double error = 0;     // the ledger's own error over the energy
  double growth = 0;    // change of the scheme's energy - external and damping work, where positive
  double approaching = 0;  // the same over steps in which loaded contacts approached
  long loaded = 0;
};

using Formula =
    std::function<double(const Around&)>;  // what the identity says that the scheme does

double squared(const Matrix& A, const Vector& x) { return x.dot(A * x); }

bool loaded_contacts_approach(const Step& step) {
  for (int c : step.detection.active) {
    const int row = step.detection.row_begin[c];
    if (step.r[row] > 0 && step.detection.u[row] > 0) return false;
  }
  return true;
}

Figures run(const std::shared_ptr<LinearSystem>& system, const Options& options,
            const Formula& formula) {
  SimulationOptions all;
  all.scheme = options.scheme;
  all.scheme_options = options.scheme_options;
  all.h = options.h;
  const State initial{0, Vector::Constant(4, 0.3), Vector::LinSpaced(4, -2, 1)};
  Simulation simulation(system, initial, all);
  const SchemeMemory& memory = simulation.last_step().memory;
  const bool newmark = memory.entries().size() > 6;
  Figures result;
  EnergyAudit start = simulation.last_step().energy;
  Around around{*system, simulation, initial.q, initial.v, {}, {}, start};
  for (int k = 0; k < options.steps; ++k) {
    if (newmark) around.a = memory[0];
    const Status status = simulation.step();
    const EnergyAudit& now = simulation.last_step().energy;
    // A scheme that invents energy without bound ends in a failure that says so.
    if (!std::isfinite(now.kinetic + now.potential)) {
      EXPECT_EQ(status, Status::numerical_failure);
      break;
    }
    EXPECT_EQ(status, Status::converged);
    const EnergyAudit& before = around.before;
    const double scale = before.kinetic + before.potential + 1e-3;
    // The start holds no algorithmic part yet: leave its step out.
    const double change = now.kinetic + now.potential + now.algorithmic - before.kinetic -
                          before.potential - before.algorithmic;
    const double impulses = now.work_contact + now.work_impact + now.work_friction;
    const double growth = change - now.work_external - now.work_damping;
    if (k > 0) {
      result.identity =
          std::max(result.identity, std::abs(growth - impulses - formula(around)) / scale);
      result.growth = std::max(result.growth, growth / scale);
      if (loaded_contacts_approach(simulation.last_step())) {
        result.approaching = std::max(result.approaching, growth / scale);
      }
    }
    result.error = std::max(result.error, std::abs(now.error) / scale);
    result.loaded += simulation.last_step().r.norm() > 0;
    around.before = now;
    around.dq = simulation.q() - around.q;
    around.q = simulation.q();
    around.v = simulation.v();
  }
  return result;
}

// (1/2 - theta) |dq|_K^2
Formula dissipative_formula(double theta) {
  return [theta](const Around& s) {
    return (0.5 - theta) * squared(s.system.data().K, s.simulation.q() - s.q);
  };
}

TEST(SchemeEnergy, TheDissipativeVariantsIdentityHoldsToRoundOff) {
  for (double theta : {0.3, 0.5, 0.7, 1.0}) {
    for (double e_n : {0.0, 0.5, 1.0}) {
      for (double mu : {0.0, 0.4}) {
        Options options{"moreau-jean-dissipative", {}};
        options.scheme_options.theta = theta;
        const Figures result =
            run(test::make_random_system(e_n, mu, true), options, dissipative_formula(theta));
        EXPECT_LT(result.identity, 2e-12) << theta << " " << e_n << " " << mu;
        EXPECT_LT(result.error, 2e-12) << theta << " " << e_n << " " << mu;
        EXPECT_GT(result.loaded, 20);
      }
    }
  }
}

TEST(SchemeEnergy, TheDissipativeVariantDissipatesForEveryThetaFromOneHalf) {
  for (double e_n : {0.0, 0.5, 1.0}) {
    for (double theta : {0.5, 0.75, 1.0}) {
      Options options{"moreau-jean-dissipative", {}};
      options.scheme_options.theta = theta;
      const Figures result =
          run(test::make_random_system(e_n, 0.0, false), options, dissipative_formula(theta));
      EXPECT_LT(result.approaching, 1e-12) << e_n << " " << theta;
    }
  }
  // Moreau-Jean itself does not for e = 1, theta = 0.9, and neither does the variant below one
  // half.
  Options moreau{"moreau-jean", {}};
  moreau.scheme_options.theta = 0.9;
  EXPECT_GT(
      run(test::make_random_system(1.0, 0.0, false), moreau, dissipative_formula(0.9)).approaching,
      1e-6);
  Options below{"moreau-jean-dissipative", {}};
  below.scheme_options.theta = 0.3;
  EXPECT_GT(
      run(test::make_random_system(0.0, 0.0, false), below, dissipative_formula(0.3)).approaching,
      1e-6);
}

// - (theta - 1/2) |dv|_M^2 - (xi - 1/2) |dq|_K^2
TEST(SchemeEnergy, ThetaXisIdentityHoldsToRoundOff) {
  for (double theta : {0.5, 0.8}) {
    for (double xi : {0.5, 0.9}) {
      Options options{"theta-xi", {}};
      options.scheme_options.theta = theta;
      options.scheme_options.xi = xi;
      const Figures result =
          run(test::make_random_system(0, 0.0, true), options, [&](const Around& s) {
            return (0.5 - theta) * squared(s.system.data().M, s.simulation.v() - s.v) +
                   (0.5 - xi) * squared(s.system.data().K, s.simulation.q() - s.q);
          });
      EXPECT_LT(result.identity, 2e-12) << theta << " " << xi;
      EXPECT_GT(result.loaded, 20);
    }
  }
}

// The energy K = E + h^2/4 (2 beta - gamma) |a|_M^2 changes by works and
// (1/2 - gamma) (|dq|_K^2 + h^2/2 (2 beta - gamma) |da|_M^2).
Formula newmark_formula(double beta, double gamma, double h) {
  return [=](const Around& s) {
    const Vector da = s.simulation.last_step().memory[0] - s.a;
    return (0.5 - gamma) * (squared(s.system.data().K, s.simulation.q() - s.q) +
                            0.5 * h * h * (2 * beta - gamma) * squared(s.system.data().M, da));
  };
}

Options newmark(double beta, double gamma, double h = 0.01) {
  Options options{"newmark", {}, h};
  options.scheme_options.beta = beta;
  options.scheme_options.newmark_gamma = gamma;
  return options;
}

TEST(SchemeEnergy, NewmarksIdentityHoldsToRoundOffInsideAndOutsideItsRange) {
  for (double gamma : {0.4, 0.5, 0.6, 0.9}) {
    for (double beta : {0.2, 0.25, 0.36, 0.5}) {
      for (double e_n : {0.0, 0.5, 1.0}) {
        for (double mu : {0.0, 0.4}) {
          Options options = newmark(beta, gamma);
          if (gamma < 0.5) options.steps = 300;  // unstable: energies grow without bound
          const Figures result = run(test::make_random_system(e_n, mu, true), options,
                                     newmark_formula(beta, gamma, options.h));
          EXPECT_LT(result.identity, 5e-12) << gamma << " " << beta << " " << e_n << " " << mu;
          EXPECT_LT(result.error, 5e-12) << gamma << " " << beta << " " << e_n << " " << mu;
          EXPECT_GT(result.loaded, 5);
        }
      }
    }
  }
}

// The same balance for the energy E itself, without the scheme's part.
TEST(SchemeEnergy, NewmarksPlainEnergyChangesAsTheLemmaSays) {
  const double beta = 0.36, gamma = 0.6, h = 0.01;
  const auto system = test::make_random_system(0.5, 0.0, true);
  Options options = newmark(beta, gamma, h);
  double worst = 0;
  Vector force = Vector::Zero(4), force_start(4);
  const Figures result = run(system, options, [&](const Around& s) {
    const LinearSystemData& data = s.system.data();
    const Step& step = s.simulation.last_step();
    const Vector dq = s.simulation.q() - s.q, dv = s.simulation.v() - s.v;
    const Vector da = step.memory[0] - s.a;
    const Vector dF = step.end.forces.external - step.start.forces.external;
    // With W apart, dv = h a_gamma + M^-1 H r: the terms of the lemma beyond (1/2 - gamma)
    // |dq|_K^2.
    const double lemma =
        (0.5 - gamma) * squared(data.K, dq) +
        0.5 * h * (2 * beta - gamma) * (dq.dot(data.K * dv) + squared(data.C, dv)) -
        0.5 * h * (2 * beta - gamma) * (dv.dot(dF) - da.dot(step.detection.H.dense() * step.r));
    const EnergyAudit& now = step.energy;
    worst = std::max(worst, std::abs(now.numerical - lemma) / (now.kinetic + now.potential + 1e-3));
    return newmark_formula(beta, gamma, h)(s);
  });
  EXPECT_LT(worst, 2e-12);
  EXPECT_LT(result.identity, 2e-12);
}

TEST(SchemeEnergy, NewmarkDissipatesItsEnergyInsideTheRangeAndNotOutside) {
  const auto growth = [](double beta, double gamma, double e_n) {
    Options options = newmark(beta, gamma);
    options.steps = 600;
    return run(test::make_random_system(e_n, 0.0, false), options,
               newmark_formula(beta, gamma, 0.01))
        .approaching;
  };
  for (double e_n : {0.0, 0.5, 1.0}) {
    for (double gamma : {0.5, 0.6, 0.9}) {
      EXPECT_LT(growth(0.5 * gamma, gamma, e_n), 1e-12) << gamma << " " << e_n;
      EXPECT_LT(growth(0.25 * (gamma + 0.5) * (gamma + 0.5), gamma, e_n), 1e-12)
          << gamma << " " << e_n;
    }
  }
  EXPECT_GT(growth(0.25, 0.4, 0.0), 1e-6);  // gamma < 1/2
}

// gamma > 1/2 damps only while 2 beta >= gamma: below, the term of the accelerations feeds energy
// in, and wins over that of the displacements at frequencies above sqrt(2/(gamma - 2 beta))/h.
TEST(SchemeEnergy, NewmarksFamilyInventsEnergyWhereTwoBetaIsBelowGamma) {
  const auto growth = [](const std::string& scheme, double beta, double gamma) {
    Options options = newmark(beta, gamma, 0.5);
    options.scheme = scheme;
    options.scheme_options.alpha_m = options.scheme_options.alpha_f = 0;
    options.steps = 200;
    return run(test::make_random_system(0.0, 0.0, false), options,
               newmark_formula(beta, gamma, options.h));
  };
  for (const char* scheme : {"newmark", "hht", "generalized-alpha"}) {
    for (double gamma : {0.6, 0.9}) {
      for (double beta : {0.5 * gamma, 0.25 * (gamma + 0.5) * (gamma + 0.5)}) {
        const Figures inside = growth(scheme, beta, gamma);
        EXPECT_LT(inside.approaching, 1e-12) << scheme << " " << gamma;
        EXPECT_LT(inside.identity, 5e-12) << scheme << " " << gamma;
      }
      EXPECT_GT(growth(scheme, 0.2 * gamma, gamma).approaching, 1e-3) << scheme << " " << gamma;
    }
  }
}

// H adds alpha (1 - gamma)/2 |dq|_K^2 to K and loses
// (gamma - 1/2 - alpha) |dq|_K^2 + alpha (1 - gamma)/2 |dq - dq-|_K^2 + h^2/2 (gamma - 1/2)(2 beta
// - gamma) |da|_M^2
Formula hht_formula(double alpha, double beta, double gamma, double h) {
  return [=](const Around& s) {
    const LinearSystemData& data = s.system.data();
    const Vector dq = s.simulation.q() - s.q, da = s.simulation.last_step().memory[0] - s.a;
    return -(gamma - 0.5 - alpha) * squared(data.K, dq) -
           0.5 * alpha * (1 - gamma) * squared(data.K, dq - s.dq) -
           0.5 * h * h * (gamma - 0.5) * (2 * beta - gamma) * squared(data.M, da);
  };
}

Options hht(double alpha, double beta, double gamma) {
  Options options = newmark(beta, gamma);
  options.scheme = "hht";
  options.scheme_options.alpha_f = alpha;
  return options;
}

TEST(SchemeEnergy, HhtsIdentityHoldsToRoundOffInsideAndOutsideItsRange) {
  for (double alpha : {0.05, 0.2, 0.3}) {
    for (double gamma : {0.5, 0.6, 0.8}) {
      for (double beta : {0.25, 0.36, 0.45}) {
        for (double e_n : {0.0, 1.0}) {
          for (double mu : {0.0, 0.4}) {
            Options options = hht(alpha, beta, gamma);
            if (alpha > gamma - 0.5) options.steps = 300;
            const Figures result = run(test::make_random_system(e_n, mu, true), options,
                                       hht_formula(alpha, beta, gamma, options.h));
            EXPECT_LT(result.identity, 5e-12) << alpha << " " << gamma << " " << beta << " " << e_n;
            EXPECT_LT(result.error, 5e-12) << alpha << " " << gamma << " " << beta << " " << e_n;
            EXPECT_GT(result.loaded, 5);
          }
        }
      }
    }
  }
}

TEST(SchemeEnergy, HhtDissipatesItsEnergyInsideTheRangeAndNotOutside) {
  const auto growth = [](double alpha, double beta, double gamma, double e_n) {
    Options options = hht(alpha, beta, gamma);
    options.steps = 600;
    return run(test::make_random_system(e_n, 0.0, false), options,
               hht_formula(alpha, beta, gamma, 0.01))
        .approaching;
  };
  for (double e_n : {0.0, 0.5, 1.0}) {
    for (double alpha : {0.1, 0.3}) {
      EXPECT_LT(growth(alpha, 0.25 * (1 + alpha) * (1 + alpha), 0.5 + alpha, e_n), 1e-12) << alpha;
      EXPECT_LT(growth(alpha, 0.5, 0.9, e_n), 1e-12) << alpha;
    }
  }
  EXPECT_GT(growth(0.3, 0.25, 0.5, 0.0), 1e-6);  // alpha > gamma - 1/2
}

// Every scheme satisfies its own discrete equation: the ledger's error is round-off.
TEST(SchemeEnergy, LedgersOfAllSchemesClose) {
  for (const SchemeInfo& info : scheme_list()) {
    if (info.name == "statics" || info.name == "semi-implicit-2") continue;
    for (double mu : {0.0, 0.4}) {
      Options options{std::string(info.name), {}};
      const Figures result =
          run(test::make_random_system(0.0, mu, true), options, [](const Around&) { return 0.0; });
      // The works of a flow are integrals, known to its tolerance.
      EXPECT_LT(result.error, info.name == "event-driven" ? 1e-10 : 1e-11) << info.name;
      EXPECT_GT(result.loaded, 20) << info.name;
    }
  }
}

}  // namespace
}  // namespace clack
