// Matrices by structure: a string of many masses on stops (sparse, factorised once) and chains of
// bodies on joints, whose time per step should grow with their number.
//
// Sample run: build/bench/structure_bench
#include <benchmark/benchmark.h>

#include <memory>

#include "clack/integrate/simulation.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"
#include "clack/model/laws/law_list.hpp"
#include "clack/model/sparse_linear_system.hpp"
#include "tests/support/body_simulation.hpp"

namespace clack {
namespace {

std::shared_ptr<SparseLinearSystem> make_string(int n, int stops) {
  SparseLinearData data;
  MatrixEntries mass, stiffness, gaps;
  for (int i = 0; i < n; ++i) {
    mass.emplace_back(i, i, 1e-3);
    stiffness.emplace_back(i, i, 2e3);
    if (i + 1 < n) stiffness.emplace_back(i, i + 1, -1e3);
    if (i > 0) stiffness.emplace_back(i, i - 1, -1e3);
  }
  for (int c = 0; c < stops; ++c) {
    gaps.emplace_back(c * (n / stops) + n / stops / 2, c, 1);
    Contact contact;
    contact.name = "stop";
    data.contacts.push_back(contact);
  }
  data.M.resize(n, n);
  data.M.setFromTriplets(mass.begin(), mass.end());
  data.K.resize(n, n);
  data.K.setFromTriplets(stiffness.begin(), stiffness.end());
  data.G.resize(n, stops);
  data.G.setFromTriplets(gaps.begin(), gaps.end());
  data.f = Vector::Constant(n, -9.81e-3);
  data.g0 = Vector::Constant(stops, 1e-6);
  return std::make_shared<SparseLinearSystem>(std::move(data));
}

// Arguments: unknowns, contacts.
void string_on_stops(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  SimulationOptions options;
  options.h = 1e-3;
  options.solver = "auto";
  options.solver_options.tolerance = 1e-8;
  options.scheme_options.theta = 1;
  Simulation simulation(make_string(n, static_cast<int>(state.range(1))),
                        {0, Vector::Zero(n), Vector::Zero(n)}, options);
  for (int k = 0; k < 3; ++k) (void)simulation.step();  // factorises, solves all columns once
  double residual = 0, loaded = 0;
  for (auto _ : state) {
    (void)simulation.step();
    residual = std::max(residual, simulation.last_step().solve.measured().unit_free());
    loaded = static_cast<double>((simulation.last_step().r.array() > 0).count());
  }
  state.counters["residual"] = residual;
  state.counters["loaded"] = loaded;
}
BENCHMARK(string_on_stops)->Args({10000, 100})->Args({100000, 1000})->Unit(benchmark::kMillisecond);

struct Chain {
  std::shared_ptr<RigidWorld> world = std::make_shared<RigidWorld>();
  WorldState state;
};

Chain make_chain(int count) {
  Chain chain;
  chain.world->materials.push_back({"steel", 7800, 0, 0});
  chain.world->gravity = {0, 0, -9.81};
  for (int i = 0; i <= count; ++i) {
    BodyState s;
    chain.world->bodies.push_back(make_body("ball", make_shape(Sphere(0.02)),
                                            chain.world->materials[0], 0,
                                            {Vector3(0.1 * i, 0, 0), Matrix3::Identity()}, s));
    if (i == 0) chain.world->bodies.back().kind = BodyKind::fixed;
    chain.state.bodies.push_back(s);
    if (i == 0) continue;
    Link link;
    link.name = "hinge";
    link.a = i - 1;
    link.b = i;
    link.point_a = {0.05, 0, 0};
    link.point_b = {-0.05, 0, 0};
    link.law = make_law(LawKind::link, "hinge", {});
    chain.world->links.push_back(link);
  }
  return chain;
}

void chain_default(benchmark::State& state) {
  const Chain chain = make_chain(static_cast<int>(state.range(0)));
  SimulationOptions options = body_options();
  options.h = 1e-3;
  test::BodySimulation simulation(chain.world, chain.state, options);
  for (int k = 0; k < 3; ++k) (void)simulation.step();
  double residual = 0, drift = 0;
  for (auto _ : state) {
    (void)simulation.step();
    residual = std::max(residual, simulation.report().measured().unit_free());
  }
  for (std::size_t i = 0; i < chain.world->links.size(); ++i)
    drift = std::max(drift, simulation.link_drift(i));
  state.counters["residual"] = residual;
  state.counters["drift"] = drift;
}
BENCHMARK(chain_default)->Arg(250)->Arg(500)->Arg(1000)->Arg(2000)->Unit(benchmark::kMillisecond);

void chain_projection(benchmark::State& state) {
  const Chain chain = make_chain(static_cast<int>(state.range(0)));
  const auto bodies = std::make_shared<RigidBodies>(chain.world, chain.state);
  SimulationOptions options;
  options.h = 1e-3;
  options.scheme = "moreau-direct-projection";
  options.solver = "auto";
  options.solver_options.tolerance = 1e-8;
  Simulation simulation(bodies, bodies->to_state(chain.state), options);
  for (int k = 0; k < 3; ++k) (void)simulation.step();
  double residual = 0;
  for (auto _ : state) {
    (void)simulation.step();
    residual = std::max(residual, simulation.last_step().solve.measured().unit_free());
  }
  state.counters["residual"] = residual;
}
BENCHMARK(chain_projection)->Arg(250)->Arg(500)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace clack

BENCHMARK_MAIN();
