// Runs of rigid bodies.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "clack/analyse/world_quantities.hpp"
#include "clack/core/error.hpp"
#include "clack/io/results/shape_table.hpp"
#include "clack/record/contact_events.hpp"
#include "clack/record/failure.hpp"
#include "clack/record/lost_bodies.hpp"
#include "clack/record/run.hpp"

namespace clack {
namespace {

// q: position of the centre and quaternion (w, x, y, z) of each body; v: velocity of the centre and
// angular velocity in the body's frame.
constexpr std::size_t kQ = 7, kV = 6;

// What moves the bodies: the world's own step, or any scheme.
class BodyEngine {
 public:
  virtual ~BodyEngine() = default;
  virtual Status step() = 0;
  virtual long steps() const = 0;
  virtual BodyReading reading() const = 0;
  virtual const SolveReport& report() const = 0;
  virtual std::vector<StepError> errors(const Scene& scene) const = 0;
  virtual std::string failure(const Scene& scene) const = 0;
  virtual std::array<double, 6> seconds_by_stage() const = 0;
  // Of the last step's contacts: variables of its law, what they are.
  virtual std::vector<LawVariable> variables(std::size_t contact) const = 0;
  virtual std::span<const double> memory(std::size_t contact) const = 0;
  // Its impulses on rows that turn: spin and rolling, in the plane rolling [N m s].
  virtual std::array<double, 3> moments(std::size_t contact) const = 0;
  virtual std::optional<ProblemData> problem() const = 0;
  virtual WorldSimulation* world() { return nullptr; }
  virtual Simulation* scheme() { return nullptr; }
};

class WorldEngine final : public BodyEngine {
 public:
  WorldEngine(const Scene& scene, int threads)
      : simulation_(scene.world, scene.world_initial, scene.world_options(threads)) {}
  Status step() override { return simulation_.step(); }
  long steps() const override { return simulation_.steps(); }
  BodyReading reading() const override { return simulation_; }
  const SolveReport& report() const override { return simulation_.report(); }
  std::vector<StepError> errors(const Scene& scene) const override {
    return {{verdict_error(report()), scene.options.solver_options.tolerance}};
  }
  std::string failure(const Scene&) const override { return describe_failure(simulation_); }
  std::array<double, 6> seconds_by_stage() const override { return simulation_.seconds_by_stage(); }
  std::vector<LawVariable> variables(std::size_t c) const override {
    const WorldContact& contact = simulation_.contacts()[c];
    return simulation_.laws().variables({contact.a, contact.b, contact.feature});
  }
  std::span<const double> memory(std::size_t c) const override {
    return simulation_.laws().memory(c);
  }
  std::array<double, 3> moments(std::size_t c) const override {
    const auto& all = simulation_.laws().moments();
    return c < all.size() ? all[c] : std::array<double, 3>{};
  }
  std::optional<ProblemData> problem() const override {
    if (simulation_.problem().contacts.empty()) return std::nullopt;
    return simulation_.stated_problem();
  }
  WorldSimulation* world() override { return &simulation_; }

 private:
  WorldSimulation simulation_;
};

class SchemeEngine final : public BodyEngine {
 public:
  explicit SchemeEngine(const Scene& scene)
      : simulation_(scene.system, scene.initial, scene.options) {}
  Status step() override { return simulation_.step(); }
  long steps() const override { return simulation_.steps(); }
  BodyReading reading() const override { return BodyReading(simulation_); }
  const SolveReport& report() const override { return simulation_.last_step().solve; }
  std::vector<StepError> errors(const Scene& scene) const override {
    return {{verdict_error(report()), scene.options.solver_options.tolerance},
            {simulation_.last_step().equation_residual,
             simulation_.scheme().options().newton_tolerance}};
  }
  std::string failure(const Scene& scene) const override {
    const Step& step = simulation_.last_step();
    return step.failed() ? step.fault : describe_failure(scene, step);
  }
  std::array<double, 6> seconds_by_stage() const override { return simulation_.seconds_by_stage(); }
  std::vector<LawVariable> variables(std::size_t c) const override {
    return laws().variables(static_cast<int>(c));
  }
  std::span<const double> memory(std::size_t c) const override {
    return laws().memory(static_cast<int>(c));
  }
  std::array<double, 3> moments(std::size_t c) const override {
    const Step& step = simulation_.last_step();
    const Contact& contact = step.contacts.list()[c];
    std::array<double, 3> values{};
    const int begin = step.contacts.row_begin()[c] + 1 + contact.tangents;
    for (int k = 0; k < contact.turns; ++k) values[static_cast<std::size_t>(k)] = step.r[begin + k];
    return values;
  }
  std::optional<ProblemData> problem() const override {
    return problem_of(simulation_.last_step().problem);
  }
  Simulation* scheme() override { return &simulation_; }

 private:
  const ContactLaws& laws() const { return simulation_.last_step().problem.laws; }

  Simulation simulation_;
};

std::unique_ptr<BodyEngine> make_engine(const Scene& scene, int threads) {
  if (scene.options.scheme == kWorldScheme) return std::make_unique<WorldEngine>(scene, threads);
  return std::make_unique<SchemeEngine>(scene);
}

class WorldRun final : public Run {
 public:
  WorldRun(const Scene& scene, int threads)
      : scene_(scene),
        engine_(make_engine(scene, threads)),
        sample_(*scene.world, {.region = scene.region}),
        law_variables_(all_law_variables(*scene.world)) {
    const bool own = std::any_of(scene.world->pairs.begin(), scene.world->pairs.end(),
                                 [](const MaterialPair& pair) { return pair.law != nullptr; });
    if (own || !scene.world->links.empty())
      moments_ = scene.world->planar
                     ? std::vector<std::string>{"moment_roll"}
                     : std::vector<std::string>{"moment_spin", "moment_roll_1", "moment_roll_2"};
    update();
  }

  Status step() override {
    const Status status = engine_->step();
    update();
    if (tracks_events_ && status != Status::numerical_failure) events_.update(*reading_);
    add_impulses();
    return status;
  }
  bool done() const override { return engine_->steps() >= scene_.step_count(); }
  WorldSimulation* world_simulation() override { return engine_->world(); }
  Simulation* system_simulation() override { return engine_->scheme(); }

  // Of the simulation itself: its state may be changed between two steps.
  double time() const override {
    const Simulation* simulation = engine_->scheme();
    return simulation ? simulation->time() : reading_->time();
  }
  long steps() const override { return engine_->steps(); }
  std::span<const double> q() const override { return pack_q(); }
  std::span<const double> v() const override { return pack_v(); }
  const Vector& measured_q() const override { return measured_; }
  const Vector& measured_v() const override { return none_; }
  const EnergyAudit& energy() const override {
    const Simulation* simulation = engine_->scheme();
    return simulation ? simulation->last_step().energy : reading_->energy();
  }
  const SolveReport& report() const override { return engine_->report(); }
  int contact_count() const override { return static_cast<int>(reading_->contacts().size()); }
  std::vector<StepError> errors() const override { return engine_->errors(scene_); }
  std::string failure() const override { return engine_->failure(scene_); }
  std::string worst_place() const override {
    const int worst = report().worst_contact;
    if (worst < 0 || worst >= contact_count()) return {};
    const WorldContact& contact = reading_->contacts()[static_cast<std::size_t>(worst)];
    const auto name = [&](int body) {
      return scene_.world->bodies[static_cast<std::size_t>(body)].name;
    };
    return fmt::format("bodies '{}' and '{}'", name(contact.a), name(contact.b));
  }
  std::vector<std::string> lost_bodies() const override { return find_lost_bodies(*reading_); }
  void collect_drift(std::vector<double>& values) const override {
    values.clear();
    for (std::size_t i = 0; i < scene_.world->links.size(); ++i)
      values.push_back(reading_->link_drift(i));
  }
  LinkDrift drift() const override {
    LinkDrift worst;
    for (std::size_t i = 0; i < scene_.world->links.size(); ++i) {
      const double distance = reading_->link_drift(i), size = link_size(*scene_.world, i);
      const double relative = size > 0 ? distance / size : 0;
      if (worst.link < 0 || relative > worst.relative)
        worst = {distance, relative, static_cast<int>(i)};
    }
    return worst;
  }
  double smallest_gap() const override { return smallest_gap_; }
  std::array<double, 6> seconds_by_stage() const override { return engine_->seconds_by_stage(); }

  void collect(ContactRowList& rows) const override {
    const auto dim = static_cast<std::size_t>(reading_->dim());
    const LargeArray<WorldContact>& contacts = reading_->contacts();
    const double *r = reading_->r().data(), *u = reading_->u().data();
    rows.resize(contacts.size());
    for (std::size_t c = 0; c < contacts.size(); ++c, r += dim, u += dim) {
      const WorldContact& contact = contacts[c];
      ContactRow& row = rows[c];
      row.id = reading_->link_of(c);
      row.body_a = contact.a;
      row.body_b = contact.b;
      row.gap = reading_->gap_at_end(c);
      std::copy_n(contact.position.data(), 3, row.point.data());
      std::copy_n(contact.normal.data(), 3, row.normal.data());
      for (std::size_t k = 0; k < dim; ++k) {
        row.r[k] = r[k];
        row.u[k] = u[k];
      }
      row.impulse = row.r;
      if (c < impulse_sum_.size())
        to_local(contact.normal, reading_->dim(), impulse_sum_[c], row.impulse.data());
      row.status = static_cast<int>(contact_status(*reading_, c));
      row.feature = static_cast<std::int64_t>(contact.feature);
    }
  }

  void collect_law(std::vector<double>& values) const override {
    values.clear();
    if (law_variables_.empty() && moments_.empty()) return;
    for (std::size_t c = 0; c < reading_->contacts().size(); ++c) {
      const std::vector<LawVariable> own = engine_->variables(c);
      for (const LawVariable& variable : law_variables_) {
        const std::size_t at = place(own, variable.name);
        values.push_back(at < own.size() ? engine_->memory(c)[at]
                                         : std::numeric_limits<double>::quiet_NaN());
      }
      const std::array<double, 3> moments = engine_->moments(c);
      values.insert(values.end(), moments.begin(),
                    moments.begin() + static_cast<std::ptrdiff_t>(moments_.size()));
    }
  }

  std::span<const EventRow> events() const override { return events_.events(); }

  std::optional<ProblemData> problem() const override { return engine_->problem(); }

  std::vector<std::string> sample_names() const override {
    std::vector<std::string> names;
    for (const SampleQuantityInfo& info : sample_quantity_list()) names.emplace_back(info.name);
    return names;
  }
  void compute_sample(std::vector<double>& values) const override {
    values = sample_.compute(*reading_);
  }

  void describe(ResultsHeader& header) const override {
    const LargeArray<Body>& bodies = scene_.world->bodies;
    header.nq = static_cast<int>(kQ * bodies.size());
    header.nv = static_cast<int>(kV * bodies.size());
    header.expected_contacts = 0;
    ShapeTable shapes;
    std::vector<std::int32_t> index, kind, material;
    std::vector<double> mass, birth, removal;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Body& body = bodies[i];
      const auto q = static_cast<int>(kQ * i), v = static_cast<int>(kV * i);
      const auto shape = static_cast<std::size_t>(body.shape->kind());
      header.bodies.push_back({body.name,
                               std::string(shape_list()[shape].name),
                               {q, q + static_cast<int>(kQ)},
                               {v, v + static_cast<int>(kV)}});
      index.push_back(shapes.add(body.shape));
      kind.push_back(static_cast<int>(body.kind));
      material.push_back(body.material);
      mass.push_back(body.mass);
      birth.push_back(body.birth);
      removal.push_back(body.removal);
    }
    header.extra = shapes.datasets();
    header.extra.push_back({"/bodies/shape_index", index});
    header.extra.push_back({"/bodies/kind", kind});  // free, fixed, driven
    header.extra.push_back({"/bodies/material", material});
    header.extra.push_back({"/bodies/mass", mass});
    header.extra.push_back({"/bodies/birth", birth});
    header.extra.push_back({"/bodies/removal", removal});
    describe_world(header);
    for (const Link& link : scene_.world->links) header.contact_names.push_back(link.name);
    std::vector<std::string> units;
    for (const LawVariable& variable : law_variables_) {
      header.law_variables.push_back(variable.name);
      units.push_back(variable.unit);
    }
    for (const std::string& name : moments_) {
      header.law_variables.push_back(name);
      units.emplace_back("N m s");
    }
    if (units.empty()) return;
    header.extra.push_back({"/model/law_variable", header.law_variables});
    header.extra.push_back({"/model/law_unit", units});
  }

  void save(std::vector<double>& numbers) const override {
    numbers.push_back(static_cast<double>(engine_->steps()));
    numbers.push_back(reading_->energy().kinetic);
    numbers.push_back(reading_->energy().potential);
    numbers.push_back(reading_->state().shear_offset);
  }

  // The impulses of the last row's contacts are the warm start of the next step.
  void restore(const ResultsReader& file, std::span<const double>& numbers) override {
    if (!engine_->world()) {
      throw InputError(fmt::format(
          "a run of rigid bodies by '{}' cannot be taken up again; start it anew, or take '{}'",
          scene_.options.scheme, kWorldScheme));
    }
    WorldSimulation& simulation = *engine_->world();
    WorldCheckpoint point = simulation.checkpoint();
    const auto last = static_cast<std::size_t>(file.rows() - 1);
    point.count = static_cast<long>(take(numbers));
    point.energy.kinetic = take(numbers);
    point.energy.potential = take(numbers);
    point.state.shear_offset = take(numbers);
    point.state.t = file.time().back();
    unpack(file.q().row(static_cast<Eigen::Index>(last)),
           file.v().row(static_cast<Eigen::Index>(last)), point.state);
    const ContactColumns contacts = file.contacts();
    point.impulses.clear();
    std::vector<WorldEvents::Known> known;
    std::map<std::string, RowMatrix> law;
    for (const LawVariable& variable : law_variables_)
      law[variable.name] = file.matrix("/contacts/law/" + variable.name);
    for (const std::string& name : moments_) law[name] = file.matrix("/contacts/law/" + name);
    point.moments.clear();
    for (std::int64_t c = contacts.offset[last]; c < contacts.offset[last + 1]; ++c) {
      const auto k = static_cast<std::size_t>(c);
      const Vector3 normal = contacts.normal.row(c).transpose();
      point.impulses.push_back(
          {contacts.body_a[k], contacts.body_b[k], static_cast<std::uint64_t>(contacts.feature[k]),
           to_world(normal, simulation.dim(), contacts.r.data() + c * contacts.r.cols()),
           contacts.point.row(c).transpose()});
      point.law_memories.push_back(read_memory(law, c, point.impulses.back()));
      point.moments.emplace_back();
      for (std::size_t k = 0; k < moments_.size(); ++k)
        point.moments.back()[k] = law.at(moments_[k])(c, 0);
      const RememberedImpulse& last_one = point.impulses.back();
      const bool tied = last_one.feature >= kTieFeature;
      known.push_back(
          {last_one.a, last_one.b, last_one.feature,
           tied ? ContactStatus::bilateral : static_cast<ContactStatus>(contacts.status[k])});
    }
    events_.restore(std::move(known));
    simulation.restore(point);
    update();
  }

 private:
  void describe_world(ResultsHeader& header) const {
    const RigidWorld& world = *scene_.world;
    const Vector3 &period = world.period, &gravity = world.gravity;
    header.extra.push_back({"/world/dimension", std::vector<std::int32_t>{world.dimension()}});
    header.extra.push_back({"/world/gravity", std::vector<double>(gravity.begin(), gravity.end())});
    header.extra.push_back({"/world/period", std::vector<double>(period.begin(), period.end())});
    header.extra.push_back({"/world/shear_rate", std::vector<double>{world.shear_rate}});
    header.extra.push_back({"/world/shear_normal", std::vector<std::int32_t>{world.shear_normal}});
    std::vector<std::string> materials;
    for (const Material& material : world.materials) materials.push_back(material.name);
    header.extra.push_back({"/world/material", materials});
  }

  static std::size_t place(const std::vector<LawVariable>& variables, const std::string& name) {
    std::size_t at = 0;
    while (at < variables.size() && variables[at].name != name) ++at;
    return at;
  }

  std::vector<double> read_memory(const std::map<std::string, RowMatrix>& law, std::int64_t contact,
                                  const RememberedImpulse& identity) const {
    std::vector<double> memory;
    for (const LawVariable& variable :
         engine_->world()->laws().variables({identity.a, identity.b, identity.feature})) {
      memory.push_back(law.at(variable.name)(contact, 0));
    }
    return memory;
  }

  void update() {
    reading_ = engine_->reading();
    measured_.resize(static_cast<int>(scene_.quantities.size()));
    compute_quantities(scene_.quantities, *reading_, sample_, measured_);
    smallest_gap_ = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < reading_->contacts().size(); ++c) {
      if (reading_->link_of(c) < 0)
        smallest_gap_ = std::min(smallest_gap_, reading_->gap_at_end(c));
    }
  }

  // World vectors, since a contact's frame moves with it; they begin anew after each row.
  void add_impulses() {
    if (scene_.output_every == 1) return;
    const bool anew = (engine_->steps() - 1) % scene_.output_every == 0;
    LargeArray<Vector3> sum(reading_->contacts().size());
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] = reading_->impulse(c);
    for (std::size_t c = 0; c < sum.size() && !anew; ++c) {
      const auto before = static_cast<std::size_t>(reading_->source(c));
      if (before < impulse_sum_.size()) sum[c] += impulse_sum_[before];  // -1 is beyond any number
    }
    impulse_sum_ = std::move(sum);
  }

  std::span<const double> pack_q() const {
    if (const Simulation* simulation = engine_->scheme())
      return {simulation->q().data(), static_cast<std::size_t>(simulation->q().size())};
    q_.clear();
    for (const BodyState& s : reading_->state().bodies) {
      q_.insert(q_.end(), s.position.begin(), s.position.end());
      q_.insert(q_.end(), {s.rotation.w(), s.rotation.x(), s.rotation.y(), s.rotation.z()});
    }
    return q_;
  }

  std::span<const double> pack_v() const {
    if (const Simulation* simulation = engine_->scheme())
      return {simulation->v().data(), static_cast<std::size_t>(simulation->v().size())};
    v_.clear();
    for (const BodyState& s : reading_->state().bodies) {
      v_.insert(v_.end(), s.v.begin(), s.v.end());
      v_.insert(v_.end(), s.omega.begin(), s.omega.end());
    }
    return v_;
  }

  static void unpack(const Eigen::RowVectorXd& q, const Eigen::RowVectorXd& v, WorldState& state) {
    for (std::size_t i = 0; i < state.bodies.size(); ++i) {
      const double *x = q.data() + kQ * i, *w = v.data() + kV * i;
      BodyState& s = state.bodies[i];
      s.position = Vector3(x);
      s.rotation = Quaternion(x[3], x[4], x[5], x[6]);
      s.v = Vector3(w);
      s.omega = Vector3(w + 3);
    }
  }

  const Scene& scene_;
  std::unique_ptr<BodyEngine> engine_;
  std::optional<BodyReading> reading_;  // of the last step
  SampleMeasures sample_;
  std::vector<LawVariable> law_variables_;
  std::vector<std::string>
      moments_;  // names of impulses on rows that turn, where laws have such rows
  Vector measured_, none_;
  double smallest_gap_ = 0;
  bool tracks_events_ = scene_.events() != EventOutput::none;
  WorldEvents events_;
  LargeArray<Vector3> impulse_sum_;    // by contact, since the last row of the results [N s]
  mutable std::vector<double> q_, v_;  // packed for the recorder
};

}  // namespace

std::unique_ptr<Run> make_world_run(const Scene& scene, int threads) {
  return std::make_unique<WorldRun>(scene, threads);
}

}  // namespace clack
