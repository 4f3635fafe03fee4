// Runs of systems with coordinates.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "clack/core/error.hpp"
#include "clack/record/failure.hpp"
#include "clack/record/run.hpp"
#include "clack/record/saved_checkpoint.hpp"
#include "clack/record/stated_record.hpp"
#include "clack/record/stepper.hpp"

namespace clack {
namespace {

class SystemRun final : public Run {
 public:
  explicit SystemRun(const Scene& scene)
      : scene_(scene), stepper_(scene, 1), stated_(*scene.system, 0, 0) {}

  // Sums begin anew after each row.
  Status step() override {
    const Status status = stepper_.step();
    stated_.update(step_now(), (steps() - 1) % scene_.output_every == 0);
    return status;
  }
  bool done() const override { return stepper_.done(); }
  Simulation* simulation() override { return stepper_.simulation(); }
  std::array<double, 6> seconds_by_stage() const override { return stepper_.seconds_by_stage(); }
  std::optional<AdaptiveFigures> adaptive_figures() const override { return stepper_.figures(); }

  double time() const override { return stepper_.now().time(); }
  long steps() const override { return stepper_.now().steps(); }
  std::span<const double> q() const override { return values(stepper_.now().q()); }
  std::span<const double> v() const override { return values(stepper_.now().v()); }
  const Vector& measured_q() const override { return stepper_.now().q(); }
  const Vector& measured_v() const override { return stepper_.now().v(); }
  const EnergyAudit& energy() const override { return step_now().energy; }
  const SolveReport& report() const override { return step_now().solve; }
  int contact_count() const override { return step_now().problem.contacts(); }
  std::vector<StepError> errors() const override {
    const SchemeOptions& scheme = stepper_.now().scheme().options();
    return {{verdict_error(report()), scene_.options.solver_options.tolerance},
            {step_now().equation_residual, scheme.newton_tolerance}};
  }
  std::string failure() const override {
    return step_now().failed() ? step_now().fault : describe_failure(scene_, step_now());
  }
  // Blocks of laws are no contacts.
  WorstPlace worst_place() const override {
    const Contact* worst = step_now().problem.laws.empty()
                               ? stated_.find(step_now(), step_now().solve.worst_contact)
                               : nullptr;
    return worst ? WorstPlace{static_cast<int>(worst - stated_.contacts().data()), -1}
                 : WorstPlace{};
  }
  std::string place_name(const WorstPlace& place) const override {
    if (place.first < 0) return {};
    return fmt::format("contact '{}'",
                       stated_.contacts()[static_cast<std::size_t>(place.first)].name);
  }
  double smallest_gap() const override { return stated_.smallest_gap(step_now()); }
  void collect(ContactRowList& rows) const override {
    rows.clear();
    stated_.collect(step_now(), rows);
  }
  void collect_law(std::vector<double>& values) const override {
    values.clear();
    for (std::size_t c = 0; c < stated_.shown(); ++c) {
      for (std::size_t i = 0; i < stated_.law_names().size(); ++i)
        values.push_back(stated_.law_value(step_now(), c, i));
    }
  }
  std::span<const EventRow> events() const override { return stated_.events(); }
  std::optional<ProblemData> problem() const override { return problem_of(step_now().problem); }
  std::map<std::string, long> impacts() const override { return stated_.impacts(); }

  void describe(ResultsHeader& header) const override {
    header.nq = scene_.system->nq();
    header.nv = scene_.system->nv();
    header.q_names = scene_.q_names;
    header.v_names = scene_.v_names;
    for (const Contact& contact : stated_.contacts()) header.contact_names.push_back(contact.name);
    header.law_variables = stated_.law_names();
    if (!header.law_variables.empty()) {
      header.extra.push_back({"/model/law_variable", stated_.law_names()});
      header.extra.push_back({"/model/law_unit", stated_.law_units()});
    }
    header.bodies = {{"system", "none", {0, header.nq}, {0, header.nv}}};
  }

  void save(std::vector<double>& numbers) const override {
    if (scene_.options.adaptive) return;
    save_checkpoint(stepper_.now(), numbers);
    stated_.save(numbers);
  }

  void restore(const ResultsReader& file, std::span<const double>& numbers) override {
    refuse_restart(scene_);
    simulation()->restore(load_checkpoint(scene_, file, numbers));
    stated_.restore(numbers);
  }

 private:
  static std::span<const double> values(const Vector& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
  }
  const Step& step_now() const { return stepper_.now().last_step(); }

  const Scene& scene_;
  Stepper stepper_;
  StatedRecord stated_;
};

}  // namespace

std::optional<ProblemData> problem_of(const ContactProblem& problem) {
  if (problem.size() == 0) return std::nullopt;
  const ReducedProblem view = problem.view();
  SparseMatrix W;
  if (const auto* dense = dynamic_cast<const DenseDelassus*>(view.W))
    W = dense->matrix().sparseView(0.0, 0.0);
  else
    W = static_cast<const BlockSparse&>(*view.W).to_sparse();
  return make_reduced_problem({view.cones.begin(), view.cones.end()}, W, view.free_velocity());
}

// The worst of what is compared with the tolerance.
double verdict_error(const SolveReport& report) { return report.measured().unit_free(); }

std::unique_ptr<Run> make_system_run(const Scene& scene) {
  return std::make_unique<SystemRun>(scene);
}

std::unique_ptr<Run> make_run(const Scene& scene, int threads) {
  if (scene.world) return make_world_run(scene, threads);
  return make_system_run(scene);
}

}  // namespace clack
