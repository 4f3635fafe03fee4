#include "clack/io/scene/start_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/integrate/close_constraints.hpp"
#include "clack/integrate/faults.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"

namespace clack {
namespace {

class StartCheck {
 public:
  StartCheck(const Field& root, Document& document, Scene& scene)
      : root_(root), document_(document), scene_(scene) {}

  void run() {
    check();
    document_.throw_if_bad();
    try {
      const Simulation trial(scene_.system, scene_.initial, scene_.options);
    } catch (const InputError& error) {  // a mass matrix whose diagonal alone looked good
      mass_field().complain(error.what());
    }
  }

 private:
  void check() {
    const Field system = *root_.find("system");
    const std::unique_ptr<Scheme> scheme = checked_scheme();
    if (const auto kinetic = system.find("kinetic");
        kinetic && scheme && mass_is_at_fault(*scheme)) {
      check_mass(*kinetic);
    }
    check_energies(system);
    check_gaps(system);
    if (scheme && document_.good()) {
      check_derivatives(system, *scheme);
      if (scheme->needs_consistent_start()) check_constraints(system);
    }
    check_exact(root_, scene_);
  }

  std::unique_ptr<Scheme> checked_scheme() {
    std::unique_ptr<Scheme> scheme;
    try {
      scheme = make_scheme(scene_.options.scheme, scene_.options.scheme_options);
      scheme->check(ContactSet(*scene_.system));
      const std::string fault = storage_fault(*scene_.system, *scheme);
      if (!fault.empty()) throw InputError(fault);
      if (scene_.options.adaptive) refuse_constant_step(*scheme);
    } catch (const InputError& error) {
      const Field simulation = *root_.find("simulation");
      simulation.find("scheme").value_or(simulation).complain(error.what());
    }
    return scheme;
  }

  // A force may be finite where its derivative is not.
  void check_derivatives(const Field& system, const Scheme& scheme) {
    const std::string fault = derivative_fault(*scene_.system, scheme, scene_.initial);
    if (fault.empty()) return;
    system.complain(fmt::format(
        "{} in the initial state, and {} needs finite derivatives; start elsewhere, smooth the "
        "formula, or take a scheme without derivatives such as moreau-midpoint or event-driven",
        fault, scheme.name()));
  }

  // Constraints that do not hold are closed by moving what the masses let move least.
  void check_constraints(const Field& system) {
    const ConstraintFault fault = constraint_fault(*scene_.system, scene_.initial);
    if (fault.contact >= 0 && !close(fault)) {
      complain_of_open(system, fault);
      return;
    }
    const std::string remark = velocity_remark(*scene_.system, scene_.initial);
    if (!remark.empty()) scene_.remarks.push_back(remark);
  }

  bool close(const ConstraintFault& fault) {
    State start = scene_.initial;
    const ClosedStart closed = close_constraints(*scene_.system, start);
    if (!closed.closed || !start.q.allFinite() || !start.v.allFinite()) return false;
    int most = 0;
    const double way = (start.q - scene_.initial.q).cwiseAbs().maxCoeff(&most);
    const double before = scene_.initial.q[most];
    scene_.initial = start;
    if (scene_.world)
      scene_.system->bodies()->to_world(start.t, start.q, start.v, scene_.world_initial);
    scene_.remarks.push_back(fmt::format(
        "constraint '{}' was off by {:.3g} at the start: all constraints have been closed by the "
        "least motion of the masses, {} from {:.6g} to {:.6g}{}",
        scene_.system->contacts()[static_cast<std::size_t>(fault.contact)].name,
        std::abs(fault.value), name_of(most), before,
        before + std::copysign(way, start.q[most] - before),
        closed.energy > 0 ? fmt::format("; velocities have lost {:.3g} J", closed.energy) : ""));
    return true;
  }

  std::string name_of(int coordinate) const {
    const auto k = static_cast<std::size_t>(coordinate);
    return k < scene_.q_names.size() ? scene_.q_names[k] : fmt::format("q{}", coordinate + 1);
  }

  void complain_of_open(const Field& system, const ConstraintFault& fault) {
    const std::vector<Contact>& contacts = scene_.system->contacts();
    std::size_t index = 0;  // among the constraints
    for (int c = 0; c < fault.contact; ++c)
      index += contacts[static_cast<std::size_t>(c)].bilateral;
    const auto list = system.find("constraints");
    (list ? list->items()[index] : system)
        .complain(fmt::format(
            "constraint '{}' has the value {:.6g} in the initial state and cannot be closed from "
            "there, however the coordinates are moved: change initial.q or the constraint",
            contacts[static_cast<std::size_t>(fault.contact)].name, fault.value));
  }

  Field mass_field() const {
    const Field system = *root_.find("system");
    for (const char* key : {"kinetic", "M", "rod"}) {
      if (const auto field = system.find(key)) return *field;
    }
    return system;
  }

  bool mass_is_at_fault(const Scheme& scheme) const {
    return !mass_fault(*scene_.system, scene_.initial, scheme, scene_.options.h).empty();
  }

  void check_mass(const Field& field) {
    const int n = scene_.system->nv();
    Matrix M(n, n);
    scene_.system->mass(scene_.initial.t, scene_.initial.q, M);
    for (int i = 0; i < n; ++i) {
      if (M(i, i) > 0) continue;
      field.complain(
          fmt::format("gives coordinate '{}' the mass {} in the initial state; it must be > 0",
                      scene_.q_names[i], M(i, i)));
    }
  }

  void check_energies(const Field& system) {
    const State& start = scene_.initial;
    const Energies energies = scene_.system->energies(start.t, start.q, start.v);
    if (!std::isfinite(energies.kinetic)) {
      system.find("kinetic").value_or(system).complain(
          "the kinetic energy is not finite in the initial state");
    }
    if (!std::isfinite(energies.potential)) {
      system.find("potential")
          .value_or(system)
          .complain("the potential energy is not finite in the initial state");
    }
    if (!document_.good()) return;
    Forces forces(scene_.system->nv());
    scene_.system->forces(start.t, start.q, start.v, forces);
    forces.set_total();
    for (int i = 0; i < forces.total.size(); ++i) {
      if (std::isfinite(forces.total[i])) continue;
      system.complain(fmt::format("the force on coordinate '{}' is not finite in the initial state",
                                  scene_.q_names[i]));
    }
  }

  void check_gaps(const Field& system) {
    const std::vector<Contact>& contacts = scene_.system->contacts();
    Vector gap(static_cast<int>(contacts.size()));
    scene_.system->gaps(scene_.initial.t, scene_.initial.q, gap);
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      if (std::isfinite(gap[static_cast<int>(c)])) continue;
      system.complain(
          fmt::format("the gap of '{}' is not finite in the initial state", contacts[c].name));
    }
    if (!document_.good()) return;
    const std::string fault = gap_fault(*scene_.system, scene_.initial.t, scene_.initial.q);
    if (!fault.empty()) system.complain(fault + " in the initial state; it must be finite");
  }

  Field root_;
  Document& document_;
  Scene& scene_;
};

}  // namespace

void check_exact(const Field& root, const Scene& scene) {
  if (!scene.exact) return;
  Vector q = scene.initial.q, v = scene.initial.v;
  scene.exact.at(scene.initial.t, q, v);
  for (int i = 0; i < q.size(); ++i) {
    const double wanted = scene.initial.q[i];
    if (std::abs(q[i] - wanted) <= 1e-9 * std::max(1.0, std::abs(wanted))) continue;
    root.find("exact")->complain(fmt::format("gives {} = {} at the start; the scene has {}",
                                             scene.q_names[static_cast<std::size_t>(i)], q[i],
                                             wanted));
  }
}

void check_start(const Field& root, Document& document, Scene& scene) {
  StartCheck(root, document, scene).run();
}

}  // namespace clack
