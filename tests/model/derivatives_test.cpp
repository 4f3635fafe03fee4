// What the engine derives from a scene against finite differences of what the scene says: every
// formula of a lagrangian scene is read back on its own, as a measure, and differentiated
// numerically.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "clack/core/formula/scratch.hpp"
#include "tests/folder.hpp"
#include "tests/model/finite_difference.hpp"
#include "tests/physics/support.hpp"

namespace clack {
namespace {

using test::Random;
using test::slope;
using test::slopes;

constexpr double kTolerance = 1e-7;  // relative to the largest entry
constexpr int kStates = 5;           // random ones a scene

struct Point {
  double t;
  Vector q, v;
};

// A formula of a scene as a function of the state.
class Formula {
 public:
  Formula() = default;
  explicit Formula(const Observable& observable) : tape_(observable.tape) {}
  double operator()(const Point& p) const {
    if (!tape_) return 0;
    std::vector<double> inputs = {p.t};
    inputs.insert(inputs.end(), p.q.begin(), p.q.end());
    inputs.insert(inputs.end(), p.v.begin(), p.v.end());
    std::vector<double> registers(tape_->register_count() + 1);
    double value = 0;
    tape_->prepare(registers.data());
    tape_->evaluate(inputs.data(), &value, registers.data());
    return value;
  }

 private:
  std::shared_ptr<const formula::Tape> tape_;
};

// The formulas of a lagrangian scene, each zero where the scene has none.
struct Formulas {
  Formula kinetic, potential, dissipation;
  std::vector<Formula> forces, gaps;
  std::vector<std::vector<Formula>> tangents;
};

bool is_lagrangian(const std::string& path) {
  return YAML::LoadFile(path)["system"]["type"].Scalar() == "lagrangian";
}

// Loads the scene with its formulas as measures and hands them out in the order in which they were
// added.
class FormulaLoader {
 public:
  explicit FormulaLoader(const std::string& path)
      : path_(path), system_(YAML::LoadFile(path)["system"]) {}

  Formulas load(const Scene& scene) {
    for (const char* key : {"kinetic", "potential", "dissipation"}) add(system_[key]);
    for (const std::string& q : scene.q_names)
      add(system_["forces"] ? system_["forces"][q] : YAML::Node());
    const YAML::Node contacts =
        system_["contacts"] ? system_["contacts"] : YAML::Node(YAML::NodeType::Sequence);
    for (const YAML::Node& contact : contacts) {
      add(contact["gap"]);
      for (const YAML::Node& tangent : tangents_of(contact)) add(tangent);
    }
    YAML::Emitter out;
    out << YAML::Flow << list_;
    const Scene measured = load_scene(path_, {std::string("measures=") + out.c_str()});
    auto next = [&, i = std::size_t{0}]() mutable { return Formula(measured.measures[i++]); };
    Formulas result;
    result.kinetic = next();
    result.potential = next();
    result.dissipation = next();
    for (std::size_t i = 0; i < scene.q_names.size(); ++i) result.forces.push_back(next());
    for (const YAML::Node& contact : contacts) {
      result.gaps.push_back(next());
      result.tangents.emplace_back();
      for (std::size_t k = 0; k < tangents_of(contact).size(); ++k)
        result.tangents.back().push_back(next());
    }
    return result;
  }

 private:
  static std::vector<YAML::Node> tangents_of(const YAML::Node& contact) {
    const YAML::Node tangent = contact["tangent"];
    if (!tangent) return {};
    if (!tangent.IsSequence()) return {tangent};
    return {tangent.begin(), tangent.end()};
  }

  void add(const YAML::Node& formula) {
    YAML::Node entry;
    entry["name"] = "formula " + std::to_string(list_.size());
    entry["of"] = formula.IsDefined() && formula.IsScalar() ? formula.Scalar() : "0*t";
    list_.push_back(entry);
  }

  std::string path_;
  YAML::Node system_, list_{YAML::NodeType::Sequence};
};

Point moved(Point p, double dt, const Vector& dq, const Vector& dv) {
  p.t += dt;
  p.q += dq;
  p.v += dv;
  return p;
}

// Derivatives of a formula at a point.
class Derivatives {
 public:
  explicit Derivatives(const Point& p)
      : p_(p), n_(static_cast<int>(p.q.size())), zero_(Vector::Zero(n_)) {}

  double by_time(const Formula& f) const {
    return slope([&](double s) { return f(moved(p_, s, zero_, zero_)); });
  }
  Vector by_q(const Formula& f) const {
    Vector result(n_);
    for (int i = 0; i < n_; ++i) {
      result[i] = slope([&](double s) { return f(moved(p_, 0, s * unit(i), zero_)); });
    }
    return result;
  }
  Vector by_v(const Formula& f) const {
    Vector result(n_);
    for (int i = 0; i < n_; ++i) {
      result[i] = slope([&](double s) { return f(moved(p_, 0, zero_, s * unit(i))); });
    }
    return result;
  }
  // d/dt dT/dv along q' = v with v held: the part of Lagrange's equations without accelerations.
  // T is quadratic in v, so that a wide difference in v is exact.
  Vector momentum_rate(const Formula& T) const {
    return slopes([&](double s) {
      const Point there = moved(p_, s, s * p_.v, zero_);
      Vector momentum(n_);
      for (int i = 0; i < n_; ++i) {
        momentum[i] =
            0.5 * (T(moved(there, 0, zero_, unit(i))) - T(moved(there, 0, zero_, -unit(i))));
      }
      return momentum;
    });
  }
  Matrix mass(const Formula& T) const {
    Matrix M(n_, n_);
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j < n_; ++j) {
        M(i, j) = 0.25 * (at_v(T, unit(i) + unit(j)) - at_v(T, unit(i) - unit(j)) -
                          at_v(T, unit(j) - unit(i)) + at_v(T, -unit(i) - unit(j)));
      }
    }
    return M;
  }

 private:
  double at_v(const Formula& f, const Vector& dv) const { return f(moved(p_, 0, zero_, dv)); }
  Vector unit(int i) const { return Vector::Unit(n_, i); }

  Point p_;
  int n_;
  Vector zero_;
};

// `differenced` is the size of the numbers whose difference was taken: their round-off is allowed.
void expect_close(const Matrix& derived, const Matrix& difference, const char* what,
                  double scale = 0, double differenced = 0) {
  if (derived.size() == 0) return;
  scale = std::max({scale, difference.cwiseAbs().maxCoeff(), derived.cwiseAbs().maxCoeff(), 1e-9});
  const double round_off = 10 * std::numeric_limits<double>::epsilon() * differenced / 1e-3;
  EXPECT_LE((derived - difference).cwiseAbs().maxCoeff(), kTolerance * scale + round_off)
      << what << "\nderived:\n"
      << derived << "\nby differences:\n"
      << difference;
}

Vector total_force(const System& system, const Point& p) {
  Forces forces(system.nv());
  system.forces(p.t, p.q, p.v, forces);
  forces.set_total();
  return forces.total;
}

// M, K = -dF/dq, C = -dF/dv, H_N = dg/dq, w_N = dg/dt and -dV/dq: within the engine, for every kind
// of system.
void check_system(const System& system, const Point& p) {
  const int n = system.nv(), contacts = static_cast<int>(system.contacts().size());
  const Vector zero = Vector::Zero(n);
  Matrix K(n, n), C(n, n), K_difference(n, n), C_difference(n, n), H(n, system.rows());
  Vector w(system.rows()), pull(n);
  Forces forces(n);
  system.forces(p.t, p.q, p.v, forces);
  system.jacobians(p.t, p.q, p.v, K, C);
  Matrix gap_by_q(n, contacts);
  auto gaps = [&](const Point& x) {
    Vector gap(contacts);
    system.gaps(x.t, x.q, gap);
    return gap;
  };
  for (int j = 0; j < n; ++j) {
    const Vector unit = Vector::Unit(n, j);
    K_difference.col(j) =
        -slopes([&](double s) { return total_force(system, moved(p, 0, s * unit, zero)); });
    C_difference.col(j) =
        -slopes([&](double s) { return total_force(system, moved(p, 0, zero, s * unit)); });
    pull[j] = -slope([&](double s) { return system.energies(p.t, p.q + s * unit, p.v).potential; });
    if (contacts > 0)
      gap_by_q.row(j) =
          slopes([&](double s) { return gaps(moved(p, 0, s * unit, zero)); }).transpose();
  }
  forces.set_total();
  const double force = forces.total.cwiseAbs().maxCoeff();
  Matrix M(n, n), M_difference(n, n);
  system.mass(p.t, p.q, M);
  auto kinetic = [&](const Vector& dv) { return system.energies(p.t, p.q, p.v + dv).kinetic; };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const Vector a = Vector::Unit(n, i), b = Vector::Unit(n, j);
      M_difference(i, j) =
          0.25 * (kinetic(a + b) - kinetic(a - b) - kinetic(b - a) + kinetic(-a - b));
    }
  }
  expect_close(M, M_difference, "M");
  expect_close(K, K_difference, "K", 0, force);
  expect_close(C, C_difference, "C", 0, force);
  expect_close(forces.potential, pull, "-dV/dq");
  if (contacts == 0) return;
  system.contact_map(p.t, p.q, H, w);
  const Vector gap_rate = slopes([&](double s) { return gaps(moved(p, s, zero, zero)); });
  int row = 0;
  for (int c = 0; c < contacts; ++c) {
    expect_close(H.col(row), gap_by_q.col(c), "H, normal");
    EXPECT_NEAR(w[row], gap_rate[c], kTolerance * std::max(1.0, std::abs(w[row]))) << "w, normal";
    row += system.contacts()[c].dim();
  }
}

// Lagrange's equations, mass, energies, driving power and contact maps from the scene's own
// formulas.
void check_formulas(const System& system, const Formulas& f, const Point& p) {
  const int n = system.nv();
  const Derivatives d(p);
  Matrix M(n, n), H(n, system.rows());
  Vector w(system.rows()), external(n);
  system.mass(p.t, p.q, M);
  expect_close(M, d.mass(f.kinetic), "M");
  for (int i = 0; i < n; ++i) external[i] = f.forces[i](p);
  const Vector potential = -d.by_q(f.potential),
               inertial = d.by_q(f.kinetic) - d.momentum_rate(f.kinetic);
  const Vector damping = -d.by_v(f.dissipation);
  Forces forces(n);
  system.forces(p.t, p.q, p.v, forces);
  const double scale = M.cwiseAbs().maxCoeff();  // where inertia forces cancel to nothing
  expect_close(forces.potential, potential, "potential forces");
  expect_close(forces.inertial, inertial, "inertia forces", scale);
  expect_close(forces.damping, damping, "damping");
  expect_close(forces.external, external, "external forces");
  const Energies energies = system.energies(p.t, p.q, p.v);
  const double driving = d.by_time(f.potential) - d.by_time(f.kinetic);
  EXPECT_NEAR(energies.driving_power, driving, kTolerance * std::max(1.0, std::abs(driving)));
  EXPECT_NEAR(energies.kinetic, d.by_v(f.kinetic).dot(p.v) - f.kinetic(p),
              kTolerance * std::max(1.0, energies.kinetic));
  EXPECT_NEAR(energies.potential, f.potential(p),
              1e-12 * std::max(1.0, std::abs(energies.potential)));
  if (system.rows() == 0) return;
  system.contact_map(p.t, p.q, H, w);
  int row = 0;
  for (std::size_t c = 0; c < f.gaps.size(); ++c) {
    expect_close(H.col(row), d.by_q(f.gaps[c]), "H, normal");
    EXPECT_NEAR(w[row], d.by_time(f.gaps[c]), kTolerance * std::max(1.0, std::abs(w[row])));
    ++row;
    for (const Formula& tangent : f.tangents[c]) {
      expect_close(H.col(row), d.by_v(tangent), "H, tangential");
      EXPECT_NEAR(w[row], tangent({p.t, p.q, Vector::Zero(n)}),
                  1e-12 * std::max(1.0, std::abs(w[row])));
      ++row;
    }
  }
}

bool has_coordinates(const std::filesystem::path& scene) {
  return test::read_text(scene).find("type: rigid-bodies") == std::string::npos;
}

// Paths of all examples with coordinates and of this folder's scenes.
std::vector<std::string> scene_paths() {
  std::vector<std::string> paths;
  for (const char* folder :
       {CLACK_SOURCE_DIR "/examples", CLACK_SOURCE_DIR "/tests/model/scenes"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".yaml" && has_coordinates(entry.path()))
        paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

class DerivedModel : public testing::TestWithParam<std::string> {};

// dH'/dt v + dw/dt by formulas and by differences of the map along the motion.
TEST_P(DerivedModel, knows_the_rate_of_its_contact_map) {
  const Scene scene = load_scene(GetParam());
  const System& system = *scene.system;
  Random random(20240502);
  Vector exact = Vector::Zero(system.rows()), differences(exact);
  for (int i = 0; i < kStates; ++i) {
    const Vector q = scene.initial.q + random.vector(system.nv()), v = random.vector(system.nv());
    const double t = scene.initial.t + 1 + random.next();
    system.contact_bias(t, q, v, exact);
    system.System::contact_bias(t, q, v, differences);
    if (exact.size() == 0) continue;
    EXPECT_LT((exact - differences).cwiseAbs().maxCoeff(),
              1e-8 * std::max(1.0, exact.cwiseAbs().maxCoeff()));
  }
}

// -d(H r)/dq of curved gaps that move, by formulas and by differences of the map.
TEST(CurvedGaps, have_the_geometric_stiffness_of_their_second_derivatives) {
  const Scene scene = parse_scene("scene", R"(clack: 1
system:
  type: lagrangian
  coordinates: [x, y, z]
  kinetic: 0.5*(x'^2 + y'^2 + z'^2)
  contacts:
    - {name: bowl, gap: 2 + 0.1*sin(t) - sqrt(x^2 + y^2 + 0.3*x*y*z + 1)}
    - {name: wave, gap: z - t*sin(x)*cos(2*y)}
  constraints: [{name: rod, equation: exp(x*y) - cos(z*t)}]
simulation: {step: 1, end: 1}
)");
  const System& system = *scene.system;
  Random random(20240503);
  for (int i = 0; i < kStates; ++i) {
    const Vector q = random.vector(3), r = random.vector(3);
    const double t = 1 + random.next();
    Matrix exact = Matrix::Identity(3, 3), differences(exact);
    system.add_contact_stiffness(t, q, r, exact);
    system.System::add_contact_stiffness(t, q, r, differences);
    EXPECT_GT((exact - Matrix::Identity(3, 3)).cwiseAbs().maxCoeff(), 1e-2);
    EXPECT_LT((exact - differences).cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST_P(DerivedModel, agrees_with_finite_differences_at_random_states) {
  const Scene scene = load_scene(GetParam());
  const int n = scene.system->nv();
  Random random(20240501);
  const bool lagrangian = is_lagrangian(GetParam());
  const Formulas formulas = lagrangian ? FormulaLoader(GetParam()).load(scene) : Formulas{};
  const int states = n > 50 ? 2 : kStates;  // differences of all entries: cubic in n
  for (int i = 0; i < states; ++i) {
    const Point p = {scene.initial.t + 1 + random.next(), scene.initial.q + random.vector(n),
                     random.vector(n)};
    check_system(*scene.system, p);
    if (lagrangian) check_formulas(*scene.system, formulas, p);
    if (HasFailure())
      FAIL() << "at t = " << p.t << "\nq = " << p.q.transpose() << "\nv = " << p.v.transpose();
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, DerivedModel, testing::ValuesIn(scene_paths()),
                         [](const auto& path) {
                           return std::filesystem::path(path.param).stem().string();
                         });

}  // namespace
}  // namespace clack
