// Runs of rigid bodies, alone or among other parts.
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
#include "clack/model/bodies/articulated_bodies.hpp"
#include "clack/record/contact_events.hpp"
#include "clack/record/failure.hpp"
#include "clack/record/joint_datasets.hpp"
#include "clack/record/lost_bodies.hpp"
#include "clack/record/run.hpp"
#include "clack/record/saved_checkpoint.hpp"
#include "clack/record/stated_record.hpp"
#include "clack/record/stepper.hpp"

namespace clack {
namespace {

// q: position of the centre and quaternion (w, x, y, z) of each body; v: velocity of the centre and
// angular velocity in the body's frame.
constexpr std::size_t kQ = 7, kV = 6;

class WorldRun final : public Run {
 public:
  WorldRun(const Scene& scene, int threads)
      : scene_(scene),
        stepper_(scene, threads),
        own_(body_step(stepper_.now())),
        sample_(*scene.world, {.region = scene.region}),
        law_variables_(all_law_variables(*scene.world)),
        stated_(*scene.system, static_cast<int>(scene.world->links.size()), -1) {
    for (const LawVariable& variable : law_variables_) {
      law_names_.push_back(variable.name);
      law_units_.push_back(variable.unit);
    }
    for (std::size_t i = 0; i < stated_.law_names().size(); ++i) {
      if (std::find(law_names_.begin(), law_names_.end(), stated_.law_names()[i]) !=
          law_names_.end())
        continue;
      law_names_.push_back(stated_.law_names()[i]);
      law_units_.push_back(stated_.law_units()[i]);
    }
    const bool own = std::any_of(scene.world->pairs.begin(), scene.world->pairs.end(),
                                 [](const MaterialPair& pair) { return pair.law != nullptr; });
    if (own || !scene.world->links.empty())
      moments_ = scene.world->planar
                     ? std::vector<std::string>{"moment_roll"}
                     : std::vector<std::string>{"moment_spin", "moment_roll_1", "moment_roll_2"};
    if (scene.system->drivers() > 0) joint_works_.assign(holding_count(*scene.world), 0);
    update();
  }

  Status step() override {
    const Status status = stepper_.step();
    own_ = body_step(now());
    reading_.emplace(now());
    add_drive_works();
    measure();
    update_gap();
    if (!stated_.empty()) stated_.update(last_step(), is_first_of_row());
    if (tracks_events_ && status != Status::numerical_failure) events_.update(*reading_);
    all_events_ = events_.events();
    all_events_.insert(all_events_.end(), stated_.events().begin(), stated_.events().end());
    add_impulses();
    return status;
  }
  bool done() const override { return stepper_.done(); }
  Simulation* simulation() override { return stepper_.simulation(); }
  std::optional<AdaptiveFigures> adaptive_figures() const override { return stepper_.figures(); }

  // Of the simulation itself: its state may be changed between two steps.
  double time() const override { return now().time(); }
  long steps() const override { return now().steps(); }
  std::span<const double> q() const override {
    return {now().q().data(), static_cast<std::size_t>(now().q().size())};
  }
  std::span<const double> v() const override {
    const Vector& v = shown_velocities();
    return {v.data(), static_cast<std::size_t>(v.size())};
  }
  const Vector& measured_q() const override { return measured_; }
  const Vector& measured_v() const override { return none_; }
  const EnergyAudit& energy() const override { return last_step().energy; }
  const SolveReport& report() const override { return last_step().solve; }
  int contact_count() const override {
    const auto bodies = static_cast<int>(reading_->contacts().size());
    return bodies + (stated_.empty() ? 0 : stated_.active_count(last_step()));
  }
  std::vector<StepError> errors() const override {
    std::vector<StepError> errors = {
        {verdict_error(report()), scene_.options.solver_options.tolerance}};
    if (!own_)
      errors.push_back({last_step().equation_residual, now().scheme().options().newton_tolerance});
    return errors;
  }
  std::string failure() const override {
    return own_ || last_step().failed() ? last_step().fault : describe_failure(scene_, last_step());
  }
  // A contact that formulas state by its number, one of bodies by these.
  WorstPlace worst_place() const override {
    const int worst = worst_contact(), bodies = static_cast<int>(reading_->contacts().size());
    if (worst >= bodies && !stated_.empty()) return {worst - first_stated(last_step()), -1};
    if (worst < 0 || worst >= bodies) return {};
    const WorldContact& contact = reading_->contacts()[static_cast<std::size_t>(worst)];
    return {contact.a, contact.b};
  }
  std::string place_name(const WorstPlace& place) const override {
    if (place.first < 0) return {};
    if (place.second < 0)
      return fmt::format("contact '{}'",
                         stated_.contacts()[static_cast<std::size_t>(place.first)].name);
    const auto name = [&](int body) {
      return scene_.world->bodies[static_cast<std::size_t>(body)].name;
    };
    return fmt::format("bodies '{}' and '{}'", name(place.first), name(place.second));
  }
  std::vector<std::string> lost_bodies() const override { return find_lost_bodies(*reading_); }
  void collect_drift(std::vector<double>& values) const override {
    values.clear();
    for (std::size_t i = 0; i < holding_count(*scene_.world); ++i)
      values.push_back(reading_->holding_error(i));
  }
  void collect_reactions(std::vector<double>& values) const override {
    values.clear();
    for (std::size_t i = 0; i < holding_count(*scene_.world); ++i) {
      const Wrench reaction = steps() > 0 ? reading_->holding(i).reaction : Wrench();
      values.insert(values.end(), reaction.force.data(), reaction.force.data() + 3);
      values.insert(values.end(), reaction.moment.data(), reaction.moment.data() + 3);
    }
  }
  void collect_drive_powers(std::vector<double>& values) const override {
    values.clear();
    if (joint_works_.empty()) return;
    for (std::size_t i = 0; i < joint_works_.size(); ++i)
      values.push_back(steps() > 0 ? reading_->drive_work(i) / reading_->h() : 0.0);
    values.insert(values.end(), joint_works_.begin(), joint_works_.end());
  }
  LinkDrift drift() const override {
    LinkDrift worst;
    for (std::size_t i = 0; i < holding_count(*scene_.world); ++i) {
      const double distance = reading_->holding_error(i), size = holding_size(*scene_.world, i);
      const double relative = size > 0 ? distance / size : 0;
      if (worst.link < 0 || relative > worst.relative)
        worst = {distance, relative, static_cast<int>(i)};
    }
    return worst;
  }
  double smallest_gap() const override { return smallest_gap_; }
  std::array<double, 6> seconds_by_stage() const override { return stepper_.seconds_by_stage(); }

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
    if (!stated_.empty()) stated_.collect(last_step(), rows);
  }

  std::map<std::string, long> impacts() const override { return stated_.impacts(); }

  void collect_law(std::vector<double>& values) const override {
    values.clear();
    if (law_names_.empty() && moments_.empty()) return;
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t c = 0; c < reading_->contacts().size(); ++c) {
      const std::vector<LawVariable> own = variables(c);
      for (const std::string& name : law_names_) {
        const std::size_t at = place(own, name);
        values.push_back(at < own.size() ? memory(c)[at] : kNone);
      }
      const std::array<double, 3> turning = moments(c);
      values.insert(values.end(), turning.begin(),
                    turning.begin() + static_cast<std::ptrdiff_t>(moments_.size()));
    }
    const std::vector<std::string>& own = stated_.law_names();
    for (std::size_t c = 0; c < stated_.shown(); ++c) {
      for (const std::string& name : law_names_) {
        const auto i =
            static_cast<std::size_t>(std::find(own.begin(), own.end(), name) - own.begin());
        values.push_back(i < own.size() ? stated_.law_value(last_step(), c, i) : kNone);
      }
      values.insert(values.end(), moments_.size(), kNone);
    }
  }

  std::span<const EventRow> events() const override { return all_events_; }

  std::optional<ProblemData> problem() const override {
    if (!own_) return problem_of(last_step().problem);
    if (own_->problem().contacts.empty()) return std::nullopt;
    return own_->stated_problem();
  }

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
    header.nq = scene_.system->nq();
    header.nv = static_cast<int>(shown_velocities().size());
    if (header.nq > static_cast<int>(kQ * bodies.size())) {
      header.q_names = scene_.q_names;
      header.v_names = scene_.v_names;
    }
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
    add_joint_datasets(*scene_.system, scene_.shared_loads, header);
    for (const Link& link : scene_.world->links) header.contact_names.push_back(link.name);
    for (const Contact& contact : stated_.contacts()) header.contact_names.push_back(contact.name);
    header.law_variables = law_names_;
    std::vector<std::string> units = law_units_;
    for (const std::string& name : moments_) {
      header.law_variables.push_back(name);
      units.emplace_back("N m s");
    }
    if (units.empty()) return;
    header.extra.push_back({"/model/law_variable", header.law_variables});
    header.extra.push_back({"/model/law_unit", units});
  }

  void save(std::vector<double>& numbers) const override {
    if (scene_.options.adaptive) return;
    if (own_) {
      numbers.push_back(static_cast<double>(steps()));
      numbers.push_back(reading_->energy().kinetic);
      numbers.push_back(reading_->energy().potential);
      numbers.push_back(reading_->state().shear_offset);
      if (const JointStep* joints = own_->joints()) {
        for (const std::vector<double>* list : {&joints->multipliers(), &joints->impulses()}) {
          numbers.push_back(static_cast<double>(list->size()));
          numbers.insert(numbers.end(), list->begin(), list->end());
        }
      }
    } else {
      save_checkpoint(now(), numbers);
      if (scene_.system->articulated()) {  // results have those of bodies
        const Vector& v = now().v();
        numbers.insert(numbers.end(), v.data(), v.data() + v.size());
      }
    }
    numbers.insert(numbers.end(), joint_works_.begin(), joint_works_.end());
    stated_.save(numbers);
    if (!own_) events_.save(numbers);
  }

  void restore(const ResultsReader& file, std::span<const double>& numbers) override {
    refuse_restart(scene_);
    if (own_)
      restore_own(file, numbers);
    else
      simulation()->restore(load_own(file, numbers));
    for (double& work : joint_works_) work = take(numbers);
    stated_.restore(numbers);
    if (!own_) events_.restore(numbers);
    update();
  }

 private:
  // Velocities of joint coordinates are not those of the file, from which they follow to round-off.
  Checkpoint load_own(const ResultsReader& file, std::span<const double>& numbers) {
    Checkpoint point = load_checkpoint(scene_, file, numbers);
    if (!scene_.system->articulated()) return point;
    for (double& x : point.end.v) x = take(numbers);
    point.end.energies = scene_.system->energies(point.end.t, point.end.q, point.end.v);
    return point;
  }

  // By stewart-trinkle the contacts of the row hold the impulses from which the next step starts.
  void restore_own(const ResultsReader& file, std::span<const double>& numbers) {
    Checkpoint point = simulation()->checkpoint();
    auto record = std::make_shared<BodyRecord>();
    record->stepped = true;
    const std::int64_t row = file.rows() - 1;
    const auto last = static_cast<std::size_t>(row);
    point.count = static_cast<long>(take(numbers));
    point.energy.kinetic = take(numbers);
    point.energy.potential = take(numbers);
    record->shear_offset = take(numbers);
    if (own_->joints()) {
      for (std::vector<double>* list : {&record->joint_multipliers, &record->joint_impulses}) {
        list->resize(static_cast<std::size_t>(take(numbers)));
        for (double& x : *list) x = take(numbers);
      }
    }
    point.end.t = file.time().back();
    point.end.q = file.q().row(row).transpose();
    point.end.v = file.v().row(row).transpose();
    const ContactColumns contacts = file.contacts();
    std::vector<WorldEvents::Known> known;
    std::map<std::string, RowMatrix> law;
    for (const LawVariable& variable : law_variables_)
      law[variable.name] = file.matrix("/contacts/law/" + variable.name);
    for (const std::string& name : moments_) law[name] = file.matrix("/contacts/law/" + name);
    for (std::int64_t c = contacts.offset[last]; c < contacts.offset[last + 1]; ++c) {
      const auto k = static_cast<std::size_t>(c);
      const Vector3 normal = contacts.normal.row(c).transpose();
      record->impulses.push_back(
          {contacts.body_a[k], contacts.body_b[k], static_cast<std::uint64_t>(contacts.feature[k]),
           to_world(normal, own_->dim(), contacts.r.data() + c * contacts.r.cols()),
           contacts.point.row(c).transpose()});
      record->law_memories.push_back(read_memory(law, c, record->impulses.back()));
      record->moments.emplace_back();
      for (std::size_t i = 0; i < moments_.size(); ++i)
        record->moments.back()[i] = law.at(moments_[i])(c, 0);
      const RememberedImpulse& last_one = record->impulses.back();
      const bool tied = last_one.feature >= kTieFeature;
      known.push_back(
          {last_one.a, last_one.b, last_one.feature,
           tied ? ContactStatus::bilateral : static_cast<ContactStatus>(contacts.status[k])});
    }
    events_.restore(std::move(known));
    point.scheme = std::move(record);
    simulation()->restore(point);
  }

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
    const WorldBonds& bonds = own_->bonds();
    const LawPtr& own = bonds.law_of(identity.a, identity.b, identity.feature);
    if (!own) return memory;
    for (const LawVariable& variable : own->variables(bonds.tangents(), bonds.turns()))
      memory.push_back(law.at(variable.name)(contact, 0));
    return memory;
  }

  void update() {
    own_ = body_step(now());
    if (reading_)
      reading_->read(now());
    else
      reading_.emplace(now());
    measure();
    update_gap();
  }

  void add_drive_works() {
    for (std::size_t i = 0; i < joint_works_.size(); ++i)
      joint_works_[i] += reading_->drive_work(i);
  }

  void update_gap() {
    smallest_gap_ = stated_.empty() ? std::numeric_limits<double>::infinity()
                                    : stated_.smallest_gap(last_step());
    for (std::size_t c = 0; c < reading_->contacts().size(); ++c) {
      if (reading_->link_of(c) < 0)
        smallest_gap_ = std::min(smallest_gap_, reading_->gap_at_end(c));
    }
  }

  // Quantities of bodies, then coordinates of an assembly and their rates.
  void measure() {
    const auto quantities = static_cast<int>(scene_.quantities.size()),
               places = static_cast<int>(scene_.measured_places.size());
    measured_.resize(quantities + 2 * places);
    compute_quantities(scene_.quantities, *reading_, sample_, measured_.head(quantities),
                       joint_works_);
    if (places == 0) return;
    Vector rates(scene_.system->nq());
    scene_.system->coordinate_rates(now().q(), now().v(), rates);
    measured_.segment(quantities, places) = now().q()(scene_.measured_places);
    measured_.tail(places) = rates(scene_.measured_places);
  }

  // Those of bodies, whatever the coordinates are, then those of other parts.
  const Vector& shown_velocities() const {
    if (!scene_.system->articulated()) return now().v();
    to_shown_velocities(*scene_.system, now().q(), now().v(), shown_v_);
    return shown_v_;
  }

  const Simulation& now() const { return stepper_.now(); }
  const Step& last_step() const { return now().last_step(); }
  // Sums of impulses begin anew after each row of the results.
  bool is_first_of_row() const { return (steps() - 1) % scene_.output_every == 0; }

  // World vectors, since a contact's frame moves with it; they begin anew after each row.
  void add_impulses() {
    if (scene_.output_every == 1) return;
    const bool anew = is_first_of_row();
    LargeArray<Vector3> sum(reading_->contacts().size());
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] = reading_->impulse(c);
    for (std::size_t c = 0; c < sum.size() && !anew; ++c) {
      const auto before = static_cast<std::size_t>(reading_->source(c));
      if (before < impulse_sum_.size()) sum[c] += impulse_sum_[before];  // -1 is beyond any number
    }
    impulse_sum_ = std::move(sum);
  }

  // Of a contact of the last step: variables of its law, what they are, and its impulses on rows
  // that turn: spin and rolling, in the plane rolling [N m s].
  std::vector<LawVariable> variables(std::size_t c) const {
    return laws().variables(static_cast<int>(c));
  }
  std::span<const double> memory(std::size_t c) const { return laws().memory(static_cast<int>(c)); }
  const ContactLaws& laws() const { return own_ ? own_->laws() : last_step().problem.laws; }
  std::array<double, 3> moments(std::size_t c) const {
    std::array<double, 3> values{};
    if (own_) {
      const auto& all = own_->moments();
      return c < all.size() ? all[c] : values;
    }
    const Contact& contact = last_step().contacts.list()[c];
    const int begin = last_step().contacts.row_begin()[c] + 1 + contact.tangents;
    for (int k = 0; k < contact.turns; ++k)
      values[static_cast<std::size_t>(k)] = last_step().r[begin + k];
    return values;
  }

  // The contact of the step's list where its problem is worst, -1 where that is not known: blocks of
  // laws are no contacts.
  int worst_contact() const {
    const int worst = report().worst_contact;
    if (own_) return worst;
    const std::vector<int>& active = last_step().detection.active;
    if (!last_step().problem.laws.empty() || worst < 0 || worst >= static_cast<int>(active.size()))
      return -1;
    return active[static_cast<std::size_t>(worst)];
  }

  const Scene& scene_;
  Stepper stepper_;
  const BodyStep* own_;                 // its data by stewart-trinkle, else null
  std::optional<BodyReading> reading_;  // of the last step
  SampleMeasures sample_;
  std::vector<LawVariable> law_variables_;          // of laws between bodies
  std::vector<std::string> law_names_, law_units_;  // of all laws
  std::vector<std::string>
      moments_;  // names of impulses on rows that turn, where laws have such rows
  Vector measured_, none_;
  mutable Vector shown_v_;
  double smallest_gap_ = 0;
  bool tracks_events_ = scene_.events() != EventOutput::none;
  WorldEvents events_;
  StatedRecord stated_;  // contacts that formulas state, of an assembly
  std::vector<EventRow> all_events_;
  std::vector<double> joint_works_;  // of drives, by joint and link; none where nothing drives [J]
  LargeArray<Vector3> impulse_sum_;  // by contact, since the last row of the results [N s]
};

}  // namespace

std::unique_ptr<Run> make_world_run(const Scene& scene, int threads) {
  return std::make_unique<WorldRun>(scene, threads);
}

}  // namespace clack
