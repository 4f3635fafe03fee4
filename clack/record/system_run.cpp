// Runs of systems with coordinates: with a constant step, and with one that adapts itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "clack/core/error.hpp"
#include "clack/record/contact_events.hpp"
#include "clack/record/failure.hpp"
#include "clack/record/run.hpp"

namespace clack {
namespace {

// What both kinds share: a simulation that stands at the end of a step.
class SystemView : public Run {
 public:
  SystemView(const Scene& scene, const Simulation& current)
      : scene_(scene),
        current_(&current),
        events_(*scene.system),
        impulse_sum_(Vector::Zero(scene.system->rows())) {
    const ContactLaws laws{ContactSet(*scene.system)};
    const std::size_t count = scene.system->contacts().size();
    for (std::size_t c = 0; c < count; ++c) {
      int at = 0;
      for (const LawVariable& variable : laws.variables(static_cast<int>(c))) {
        const auto known = std::find(law_names_.begin(), law_names_.end(), variable.name);
        const auto i = static_cast<std::size_t>(known - law_names_.begin());
        if (known == law_names_.end()) {
          law_names_.push_back(variable.name);
          law_units_.push_back(variable.unit);
          law_places_.emplace_back(count, -1);
        }
        law_places_[i][c] = at++;
      }
    }
  }

  double time() const override { return current_->time(); }
  long steps() const override { return current_->steps(); }
  std::span<const double> q() const override { return values(current_->q()); }
  std::span<const double> v() const override { return values(current_->v()); }
  const Vector& measured_q() const override { return current_->q(); }
  const Vector& measured_v() const override { return current_->v(); }
  const EnergyAudit& energy() const override { return current_->last_step().energy; }
  const SolveReport& report() const override { return current_->last_step().solve; }
  int contact_count() const override { return current_->last_step().problem.contacts(); }
  std::vector<StepError> errors() const override {
    const SchemeOptions& scheme = current_->scheme().options();
    return {{verdict_error(report()), scene_.options.solver_options.tolerance},
            {current_->last_step().equation_residual, scheme.newton_tolerance}};
  }
  std::string failure() const override {
    const Step& step = current_->last_step();
    return step.failed() ? step.fault : describe_failure(scene_, step);
  }

  std::string worst_place() const override {
    const Step& step = current_->last_step();
    const int worst = step.solve.worst_contact;
    // Blocks of laws are no contacts.
    if (!step.problem.laws.empty() || worst < 0 ||
        worst >= static_cast<int>(step.detection.active.size()))
      return {};
    const int contact = step.detection.active[static_cast<std::size_t>(worst)];
    return fmt::format("contact '{}'",
                       scene_.system->contacts()[static_cast<std::size_t>(contact)].name);
  }

  double smallest_gap() const override {
    double smallest = std::numeric_limits<double>::infinity();
    const std::vector<Contact>& contacts = scene_.system->contacts();
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      if (contacts[c].bilateral) continue;
      const double gap = current_->last_step().end.gap[static_cast<int>(c)];
      if (std::isnan(gap)) return gap;
      smallest = std::min(smallest, gap);
    }
    return smallest;
  }

  void collect(ContactRowList& rows) const override {
    const Step& step = current_->last_step();
    rows.clear();
    for (int c : shown_) {
      const Contact& contact = scene_.system->contacts()[static_cast<std::size_t>(c)];
      ContactRow row;
      row.id = c;
      row.body_a = -1;  // the surroundings
      row.body_b = 0;
      row.gap = step.end.gap[c];
      row.point.fill(std::numeric_limits<double>::quiet_NaN());
      row.normal.fill(std::numeric_limits<double>::quiet_NaN());
      const int begin = step.detection.row_begin[static_cast<std::size_t>(c)];
      const bool active = is_active(c);
      for (int k = 0; k < contact.dim(); ++k) {
        const auto at = static_cast<std::size_t>(k);
        row.r[at] = active ? step.r[begin + k] : 0.0;
        row.u[at] = active ? step.u_end[begin + k] : step.detection.u[begin + k];
        row.impulse[at] = impulse_sum_[begin + k];
      }
      row.status = static_cast<int>(active ? contact_status(step, c) : ContactStatus::open);
      rows.push_back(row);
    }
  }

  void collect_law(std::vector<double>& values) const override {
    values.clear();
    const Step& step = current_->last_step();
    for (int c : shown_) {
      const std::span<const double> memory = step.problem.laws.memory(c);
      for (const std::vector<int>& place : law_places_) {
        const int at = place[static_cast<std::size_t>(c)];
        values.push_back(at < 0 ? std::numeric_limits<double>::quiet_NaN()
                                : memory[static_cast<std::size_t>(at)]);
      }
    }
  }

  std::span<const EventRow> events() const override { return events_.events(); }

  std::optional<ProblemData> problem() const override {
    return problem_of(current_->last_step().problem);
  }

  std::map<std::string, long> impacts() const override {
    std::map<std::string, long> result;
    const std::vector<Contact>& contacts = scene_.system->contacts();
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      if (!contacts[c].bilateral) result[contacts[c].name] = events_.closings(c);
    }
    return result;
  }

  void describe(ResultsHeader& header) const override {
    header.nq = scene_.system->nq();
    header.nv = scene_.system->nv();
    header.q_names = scene_.q_names;
    header.v_names = scene_.v_names;
    for (const Contact& contact : scene_.system->contacts())
      header.contact_names.push_back(contact.name);
    header.law_variables = law_names_;
    if (!law_names_.empty()) {
      header.extra.push_back({"/model/law_variable", law_names_});
      header.extra.push_back({"/model/law_unit", law_units_});
    }
    header.bodies = {{"system", "none", {0, header.nq}, {0, header.nv}}};
  }

 protected:
  static std::span<const double> values(const Vector& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
  }

  void show(const Simulation& simulation) {
    current_ = &simulation;
    events_.update(simulation.last_step());
    add_impulses(simulation.last_step());
  }

  // Sums begin anew after each row; a row shows all contacts that took part in a step since the one
  // before.
  void add_impulses(const Step& step) {
    if ((current_->steps() - 1) % scene_.output_every == 0) {
      impulse_sum_.setZero();
      shown_.clear();
    }
    impulse_sum_ += step.r;
    const std::vector<int>& active = step.detection.active;
    if (shown_ == active) return;
    std::vector<int> both;
    std::set_union(shown_.begin(), shown_.end(), active.begin(), active.end(),
                   std::back_inserter(both));
    shown_ = std::move(both);
  }

  bool is_active(int contact) const {
    const std::vector<int>& active = current_->last_step().detection.active;
    return std::binary_search(active.begin(), active.end(), contact);
  }

  const Scene& scene_;
  const Simulation* current_;
  std::vector<std::string> law_names_, law_units_;  // variables of all laws
  std::vector<std::vector<int>> law_places_;        // by variable and contact: in its memory, or -1
  SystemEvents events_;
  Vector impulse_sum_;      // rows, since the last row of the results [N s]
  std::vector<int> shown_;  // contacts that took part in a step since then
};

class SystemRun final : public SystemView {
 public:
  explicit SystemRun(const Scene& scene)
      : SystemView(scene, simulation_), simulation_(scene.system, scene.initial, scene.options) {}

  Status step() override {
    const Status status = simulation_.step();
    show(simulation_);
    return status;
  }
  bool done() const override { return simulation_.steps() >= scene_.step_count(); }
  Simulation* system_simulation() override { return &simulation_; }
  std::array<double, 6> seconds_by_stage() const override { return simulation_.seconds_by_stage(); }

  void save(std::vector<double>& numbers) const override {
    const Step& step = simulation_.last_step();
    numbers.push_back(static_cast<double>(simulation_.steps()));
    for (const double EnergyAudit::*field : kEnergyFields) numbers.push_back(step.energy.*field);
    for (const auto& [name, values] : step.memory.entries())
      numbers.insert(numbers.end(), values.begin(), values.end());
    for (const Vector& values : step.warm)
      numbers.insert(numbers.end(), values.begin(), values.end());
    const std::vector<double>& laws = step.problem.laws.memory();
    numbers.insert(numbers.end(), laws.begin(), laws.end());
    events_.save(numbers);
  }

  // Forces, gaps and energies follow from the state; the rest was saved.
  void restore(const ResultsReader& file, std::span<const double>& numbers) override {
    if (scene_.options.scheme == "event-driven") {
      throw InputError("a run by 'event-driven' cannot be taken up again; start it anew");
    }
    const std::int64_t last = file.rows() - 1;
    const State state{file.time().back(), file.q().row(last).transpose(),
                      file.v().row(last).transpose()};
    Checkpoint point = Simulation(scene_.system, state, scene_.options).checkpoint();
    point.count = static_cast<long>(take(numbers));
    for (double EnergyAudit::*field : kEnergyFields) point.energy.*field = take(numbers);
    for (int i = 0; i < static_cast<int>(point.memory.entries().size()); ++i) {
      for (double& value : point.memory[i]) value = take(numbers);
    }
    for (Vector& values : point.warm) {
      for (double& value : values) value = take(numbers);
    }
    for (double& value : point.law_memory) value = take(numbers);
    events_.restore(numbers);
    simulation_.restore(point);
  }

 private:
  static constexpr double EnergyAudit::*kEnergyFields[] = {
      &EnergyAudit::kinetic,       &EnergyAudit::potential,    &EnergyAudit::work_external,
      &EnergyAudit::work_damping,  &EnergyAudit::work_contact, &EnergyAudit::work_impact,
      &EnergyAudit::work_friction, &EnergyAudit::work_bond,    &EnergyAudit::numerical,
      &EnergyAudit::error,         &EnergyAudit::algorithmic};

  Simulation simulation_;
};

// Pairs of steps, shown one after the other.
class AdaptiveRun final : public SystemView {
 public:
  explicit AdaptiveRun(const Scene& scene)
      : SystemView(scene, start_),
        start_(scene.system, scene.initial, scene.options),
        simulation_(scene.system, scene.initial, scene.options, scene.end) {}

  Status step() override {
    if (second_is_next_) {
      second_is_next_ = false;
      show(simulation_.second());
      return simulation_.second_status();
    }
    simulation_.step();
    show(simulation_.first());
    second_is_next_ = simulation_.first_status() != Status::numerical_failure;
    return simulation_.first_status();
  }
  bool done() const override { return !second_is_next_ && simulation_.done(); }
  std::array<double, 6> seconds_by_stage() const override { return simulation_.seconds_by_stage(); }
  std::optional<AdaptiveFigures> adaptive_figures() const override { return simulation_.figures(); }

  void save(std::vector<double>&) const override {}
  void restore(const ResultsReader&, std::span<const double>&) override {
    throw InputError("a run with adaptive steps cannot be taken up again; start it anew");
  }

 private:
  Simulation start_;  // shows the initial state
  AdaptiveSimulation simulation_;
  bool second_is_next_ = false;
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

double take(std::span<const double>& numbers) {
  if (numbers.empty()) throw InputError("the file has too few numbers for a restart");
  const double value = numbers.front();
  numbers = numbers.subspan(1);
  return value;
}

std::unique_ptr<Run> make_system_run(const Scene& scene) {
  return std::make_unique<SystemRun>(scene);
}

std::unique_ptr<Run> make_adaptive_run(const Scene& scene) {
  return std::make_unique<AdaptiveRun>(scene);
}

std::unique_ptr<Run> make_run(const Scene& scene, int threads) {
  if (scene.world) return make_world_run(scene, threads);
  return scene.options.adaptive ? make_adaptive_run(scene) : make_system_run(scene);
}

}  // namespace clack
