#include "clack/record/saved_checkpoint.hpp"

#include <cstdint>

#include "clack/core/error.hpp"
#include "clack/model/bodies/articulated_bodies.hpp"

namespace clack {
namespace {

constexpr double EnergyAudit::*kEnergyFields[] = {
    &EnergyAudit::kinetic,       &EnergyAudit::potential,    &EnergyAudit::work_external,
    &EnergyAudit::work_damping,  &EnergyAudit::work_contact, &EnergyAudit::work_impact,
    &EnergyAudit::work_friction, &EnergyAudit::work_bond,    &EnergyAudit::numerical,
    &EnergyAudit::error,         &EnergyAudit::algorithmic};

template <class Values>
void save_values(const Values& values, std::vector<double>& numbers) {
  numbers.push_back(static_cast<double>(values.size()));
  for (const double x : values) numbers.push_back(x);
}

std::size_t take_count(std::span<const double>& numbers) {
  const double count = take(numbers);
  if (!(count >= 0 && count <= static_cast<double>(numbers.size())))
    throw InputError("the file's numbers for a restart are damaged or of another scene");
  return static_cast<std::size_t>(count);
}

template <class Values>
void take_values(std::span<const double>& numbers, Values& values) {
  values.resize(static_cast<typename Values::size_type>(take_count(numbers)));
  for (double& x : values) x = take(numbers);
}

void take_values(std::span<const double>& numbers, Vector& values) {
  values.resize(static_cast<int>(take_count(numbers)));
  for (double& x : values) x = take(numbers);
}

void save_identities(const std::vector<ContactIdentity>& list, std::vector<double>& numbers) {
  numbers.push_back(static_cast<double>(list.size()));
  for (const ContactIdentity& x : list) {
    for (const int k : {x.source, x.a, x.b}) numbers.push_back(k);
    save_feature(x.feature, numbers);
  }
}

void take_identities(std::span<const double>& numbers, std::vector<ContactIdentity>& list) {
  list.resize(take_count(numbers));
  for (ContactIdentity& x : list) {
    x.source = static_cast<int>(take(numbers));
    x.a = static_cast<int>(take(numbers));
    x.b = static_cast<int>(take(numbers));
    x.feature = take_feature(numbers);
  }
}

}  // namespace

double take(std::span<const double>& numbers) {
  if (numbers.empty()) throw InputError("the file has too few numbers for a restart");
  const double value = numbers.front();
  numbers = numbers.subspan(1);
  return value;
}

void save_feature(std::uint64_t feature, std::vector<double>& numbers) {
  numbers.push_back(static_cast<double>(feature >> 32));
  numbers.push_back(static_cast<double>(feature & 0xffffffffu));
}

std::uint64_t take_feature(std::span<const double>& numbers) {
  const auto high = static_cast<std::uint64_t>(take(numbers));
  return (high << 32) + static_cast<std::uint64_t>(take(numbers));
}

void refuse_restart(const Scene& scene) {
  if (scene.options.adaptive)
    throw InputError("a run with adaptive steps cannot be taken up again; start it anew");
  if (scene.options.scheme == "event-driven") {
    throw InputError(
        "a run by 'event-driven' cannot be taken up again: its integrator goes on from the history "
        "of many steps, which results do not hold; start it anew");
  }
}

void save_checkpoint(const Simulation& simulation, std::vector<double>& numbers) {
  const Checkpoint point = simulation.checkpoint();
  numbers.push_back(static_cast<double>(point.count));
  for (const double EnergyAudit::*field : kEnergyFields) numbers.push_back(point.energy.*field);
  for (const auto& [name, values] : point.memory.entries()) save_values(values, numbers);
  for (const Vector& values : point.warm) save_values(values, numbers);
  save_values(point.law_memory, numbers);
  save_identities(point.contacts, numbers);
}

// Forces, gaps and energies follow from the state; the rest was saved.
Checkpoint load_checkpoint(const Scene& scene, const ResultsReader& file,
                           std::span<const double>& numbers) {
  const std::int64_t row = file.rows() - 1;
  State state{file.time().back(), file.slice("/q", row, 1).row(0).transpose(), Vector()};
  from_shown_velocities(*scene.system, state.q, file.slice("/v", row, 1).row(0).transpose(),
                        state.v);
  const Simulation there(scene.system, state, scene.options);
  Checkpoint point = there.checkpoint();
  // Velocities that are prescribed are so far those of the step to come.
  point.end.q = state.q;
  point.end.v = state.v;
  point.end.energies = scene.system->energies(state.t, state.q, state.v);
  point.start_time = scene.initial.t;
  point.count = static_cast<long>(take(numbers));
  for (double EnergyAudit::*field : kEnergyFields) point.energy.*field = take(numbers);
  for (int i = 0; i < static_cast<int>(point.memory.entries().size()); ++i)
    take_values(numbers, point.memory[i]);
  for (Vector& values : point.warm) take_values(numbers, values);
  take_values(numbers, point.law_memory);
  take_identities(numbers, point.contacts);
  return point;
}

}  // namespace clack
