// Solves one island: accelerated Gauss-Seidel first, then proximal Newton with a multifrontal LU.
#if defined(CLACK_SOLVE_AUTO_ISLAND_SOLVER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CLACK_SOLVE_AUTO_ISLAND_SOLVER_INL
#undef CLACK_SOLVE_AUTO_ISLAND_SOLVER_INL
#else
#define CLACK_SOLVE_AUTO_ISLAND_SOLVER_INL
#endif

#include <array>
#include <cmath>
#include <vector>

#include "clack/solve/auto/island-inl.hpp"
#include "clack/solve/auto/skeleton-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clack {
namespace HWY_NAMESPACE {

template <int D>
class IslandSolver final : public IslandWorker {
 public:
  void load(const BlockSparse& W, std::span<const Cone> cones, const double* u_free,
            const double* r, std::span<const int> contacts, std::vector<int>& local) override {
    island.load(W, cones, u_free, r, contacts, local);
    island.update_u();
  }
  void store(const BlockSparse& W, double* r) const override { island.store(W, r); }
  void sweep_once() override {
    island.sweep(true);
    island.update_u();
  }
  IslandError error() const override { return island.error(); }
  IslandEffort solve(const IslandTarget& target, const IslandLimits& limits) override;
  IslandEffort restart(const IslandTarget& target, const IslandLimits& limits) override;

 private:
  using Block = Eigen::Matrix<double, D, D, Eigen::RowMajor>;
  using Local = Eigen::Matrix<double, D, 1>;
  struct Settings {
    double rho = 1.0;
    double alpha_factor = 0.3;
    int inner_steps = 8;
    int max_steps = 300;
  };

  // Below it the LU without exchange of blocks loses digits.
  static constexpr double kSmallestAlpha = 1e-7;

  // Sweeps with Anderson acceleration; true when the target is reached.
  bool sweep_phase(const IslandTarget& target, int max_sweeps, bool may_leave,
                   const IslandLimits& limits);
  void remember_change();
  void anderson_step();
  bool momentum_phase(const IslandTarget& target, int max_sweeps, const IslandLimits& limits);
  bool newton_phase(const IslandTarget& target, const Settings& settings,
                    const IslandLimits& limits);
  bool has_interior() const;
  bool interior_phase(const IslandTarget& target, const IslandLimits& limits);
  void start_interior();
  void linearise_interior(int a, double product);
  double interior_step(double product);
  double mean_product() const;
  double friction(int a) const;
  static Block arrow(const double* x, int dim);
  bool proximal_step(double& alpha, const Settings& settings, int since_failure);
  double smaller_alpha(double alpha, int k, double first, double now, const Settings& settings,
                       int since_failure) const;
  double map_norm(double alpha, double rho) const;
  void linearise(double alpha, double rho);
  void linearise_contact(int a, double alpha, double rho);
  bool newton_step(double alpha, double rho);
  bool reached(const IslandTarget& target);
  void remember_best();
  double plan_factorisation();
  void newton_and_interior(const IslandTarget& target, const IslandLimits& limits);
  bool solve_newton_system();
  void begin();
  IslandEffort finish();
  void ladder(const IslandTarget& target, const IslandLimits& limits);

  Island<D> island;
  FrontSolver<D> fronts_;
  Skeleton<D, D == 2 ? 3 : 6> skeleton_;
  Skeleton<D, D == 2 ? 4 : 8> wide_skeleton_;  // where the points of a contact are apart
  enum class System { fronts, skeleton, wide_skeleton };
  System system_ = System::fronts;  // that solves Newton's equations
  IslandEffort effort_;
  double error_ = 0;  // of the current r, over the target
  double best_error_ = 0;
  std::vector<double> best_r_;
  std::vector<double> centre_, saved_, dr_, rhs_;
  std::vector<double> T_, S_;  // D x D by rows a contact
  std::vector<char> active_;
  std::vector<double> x_, y_, dx_, dy_;       // of interior points: D values a contact
  std::vector<Block> inverse_arrow_, slope_;  // Arw(x)^-1, dU/dy

  static constexpr int kMemory = 5;  // of Anderson's acceleration
  std::vector<double> image_, residual_, last_image_, last_residual_;
  std::array<std::vector<double>, kMemory> d_image_, d_residual_;
  int stored_ = 0, slot_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace clack
HWY_AFTER_NAMESPACE();
#endif
