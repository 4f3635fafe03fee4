// Each scene has one mistake; the program must refuse it with one line that names file, line,
// column and field and says what is allowed.
#include <algorithm>
#include <regex>

#include "program.hpp"

namespace clack::test {
namespace {

const std::string kPuck = R"(clack: 1
parameters: {m: 1, g: 9.81}
system:
  type: lagrangian
  coordinates: [x, y]
  kinetic: 0.5*m*(x'^2 + y'^2)
  potential: m*g*y
  forces: {x: -x'}
  contacts:
    - {name: floor, gap: y, tangent: x', mu: 0.3}
initial: {q: {y: 1}, v: {x': 1}}
simulation: {step: 0.01, end: 1}
measures: [{name: height, of: y}]
)";

enum class Base { ball, puck };

struct BadScene {
  std::string_view name;
  Base base;
  // The mistake: a part of the base, or "" for all of it, and what stands there instead.
  std::string_view from, to;
  int line;
  std::string_view field;  // dotted path; empty for the file itself
  std::string_view words;  // part of the message
};

std::string with_mistake(const BadScene& scene) {
  std::string text = scene.base == Base::ball ? kBall : kPuck;
  const std::size_t at = text.find(scene.from);
  EXPECT_NE(at, std::string::npos) << scene.from;
  return text.replace(at, scene.from.empty() ? text.size() : scene.from.size(), scene.to);
}

void PrintTo(const BadScene& scene, std::ostream* out) { *out << scene.name; }

class Malformed : public testing::TestWithParam<BadScene> {};

TEST_P(Malformed, SceneIsRefusedWithPlaceFieldAndRemedy) {
  const BadScene& bad = GetParam();
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", with_mistake(bad));
  const Outcome outcome = run_clack({"run", scene, "-o", folder.file("out")});
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_FALSE(std::filesystem::exists(folder.file("out"))) << "a refused scene leaves results";
  const std::vector<std::string> lines = lines_of(outcome.err);
  ASSERT_EQ(lines.size(), 1u) << "one mistake, one message:\n" << outcome.err;
  const std::string place = scene + ":" + std::to_string(bad.line) + ":";
  const std::string field = bad.field.empty() ? "" : ": " + std::string(bad.field) + ": ";
  EXPECT_TRUE(lines[0].starts_with(place)) << lines[0] << "\nexpected line " << bad.line;
  EXPECT_TRUE(std::regex_search(lines[0].substr(place.size()), std::regex("^[1-9][0-9]*: ")))
      << lines[0];
  EXPECT_NE(lines[0].find(field), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find(bad.words), std::string::npos) << lines[0] << "\nwants: " << bad.words;
}

std::string case_name(const testing::TestParamInfo<BadScene>& info) {
  std::string name(info.param.name);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
}

// Kinds of values: a list where a number belongs, and so on.
constexpr BadScene kKinds[] = {
    {"list for a number", Base::ball, "step: 0.01", "step: [0.01]", 11, "simulation.step",
     "expected a number > 0"},
    {"map for a number", Base::ball, "e_n: 0.5", "e_n: {value: 1}", 9, "system.contacts.0.e_n",
     "expected a number in [0, 1]"},
    {"nothing for a number", Base::ball, "end: 1}", "end: }", 11, "simulation.end",
     "found nothing"},
    {"map for a list", Base::ball, "coordinates: [x, y]", "coordinates: {x: y}", 5,
     "system.coordinates", "expected a list"},
    {"load on an unknown coordinate", Base::ball, "f: [0, -m*g]", "f: {z: -m*g}", 7, "system.f.z",
     "unknown name"},
    {"text for a matrix", Base::ball, "M: [[m, 0], [0, m]]", "M: heavy", 6, "system.M",
     "expected a list of rows"},
    {"number for a matrix", Base::ball, "M: [[m, 0], [0, m]]", "M: 2", 6, "system.M",
     "[[1, 0], [0, 1]]"},
    {"list of numbers for a matrix", Base::ball, "M: [[m, 0], [0, m]]", "M: [m]", 6, "system.M",
     "found a list of single values"},
    {"text for the system", Base::ball,
     "system:\n  type: linear\n  coordinates: [x, y]\n  M: [[m, 0], [0, m]]\n  f: [0, -m*g]\n  "
     "contacts:\n    - {name: floor, G: [0, 1], T: [[1, 0]], mu: 0.3, e_n: 0.5}",
     "system: linear", 3, "system", "type: linear"},
    {"list for the parameters", Base::ball, "{m: 1, g: 9.81}\n", "[1]\nmeasures: []\n", 2,
     "parameters", "expected a map"},
    {"text for the simulation", Base::ball, "{step: 0.01, end: 1}", "fast", 11, "simulation",
     "expected a map"},
    {"number for the contacts", Base::ball,
     "\n    - {name: floor, G: [0, 1], T: [[1, 0]], mu: 0.3, e_n: 0.5}", " 3", 8, "system.contacts",
     "expected a list of contacts"},
    {"text for a contact", Base::ball, "{name: floor, G: [0, 1], T: [[1, 0]], mu: 0.3, e_n: 0.5}",
     "floor", 9, "system.contacts.0", "expected a map with keys among: name, G"},
    {"text for the forces", Base::puck, "{x: -x'}", "strong", 8, "system.forces", "expected a map"},
    {"list for a formula", Base::puck, "m*g*y", "[m, g]", 7, "system.potential",
     "expected a formula"},
    {"list for the title", Base::ball, "clack: 1", "clack: 1\ntitle: [a]", 2, "title",
     "expected a text"},
    {"list for a word", Base::ball, "{step", "{scheme: [a], step", 11, "simulation.scheme",
     "expected a single value"},
    {"text for the measures", Base::puck, "[{name: height, of: y}]", "all", 13, "measures",
     "expected a list of measures"},
    {"map for a key", Base::ball, "parameters:", "? {a: 1}\n: 2\nparameters:", 2, "",
     "a key must be a word"},
};
INSTANTIATE_TEST_SUITE_P(Kinds, Malformed, testing::ValuesIn(kKinds), case_name);

constexpr BadScene kKeys[] = {
    {"unknown key at the top", Base::ball, "initial:", "wibble:", 10, "wibble",
     "unknown key; allowed: clack, title"},
    {"misspelt key at the top", Base::ball, "simulation:", "simulaton: 1\nsimulation:", 11,
     "simulaton", "did you mean 'simulation'?"},
    {"misspelt key inside", Base::ball, "{step", "{thetta: 0.5, step", 11, "simulation.thetta",
     "did you mean 'theta'?"},
    {"misspelt key in a list", Base::ball, "mu:", "muu: 0.2, mu:", 9, "system.contacts.0.muu",
     "did you mean 'mu'?"},
    {"key of the other kind of system", Base::ball, "f:", "kinetic: 1\n  f:", 7, "system.kinetic",
     "unknown key"},
    {"merge key", Base::ball, "simulation: {", "simulation: {<<: {}, ", 11, "simulation.<<",
     "unknown key"},
    {"duplicate key at the top", Base::ball, "initial:", "parameters: {m: 2}\ninitial:", 10,
     "parameters", "given twice, first in line 2"},
    {"duplicate key inside", Base::ball, "end: 1", "end: 1, step: 0.02", 11, "simulation.step",
     "given twice"},
    {"duplicate parameter", Base::ball, "g: 9.81", "g: 9.81, m: 3", 2, "parameters.m",
     "given twice"},
    {"duplicate definition", Base::puck, "  kinetic", "  define: {a: x, a: y}\n  kinetic", 6,
     "system.define.a", "given twice"},
    {"version missing", Base::ball, "clack: 1", "title: t", 1, "clack", "is missing"},
    {"version 2", Base::ball, "clack: 1", "clack: 2", 1, "clack", "reads version 1"},
    {"version as text", Base::ball, "clack: 1", "clack: one", 1, "clack", "reads version 1"},
    {"version as a list", Base::ball, "clack: 1", "clack: [1]", 1, "clack", "expected the version"},
    {"system missing", Base::ball,
     "system:\n  type: linear\n  coordinates: [x, y]\n  M: [[m, 0], [0, m]]\n  f: [0, -m*g]\n  "
     "contacts:\n    - {name: floor, G: [0, 1], T: [[1, 0]], mu: 0.3, e_n: 0.5}\n",
     "", 1, "system", "is missing"},
    {"type missing", Base::ball, "  type: linear\n", "", 4, "system.type",
     "linear, lagrangian, rigid-bodies or assembly"},
    {"type unknown", Base::ball, "type: linear", "type: lineer", 4, "system.type",
     "did you mean 'linear'?"},
    {"mass matrix missing", Base::ball, "  M: [[m, 0], [0, m]]\n", "", 4, "system.M", "is missing"},
    {"kinetic energy missing", Base::puck, "  kinetic: 0.5*m*(x'^2 + y'^2)\n", "", 4,
     "system.kinetic", "is missing"},
    {"coordinates missing", Base::puck, "  coordinates: [x, y]\n", "", 4, "system.coordinates",
     "is missing"},
    {"gap row missing", Base::ball, "G: [0, 1], ", "", 9, "system.contacts.0.G", "is missing"},
    {"gap missing", Base::puck, "gap: y, ", "", 10, "system.contacts.0.gap", "is missing"},
    {"step missing", Base::ball, "step: 0.01, ", "", 11, "simulation.step", "is missing"},
    {"end missing", Base::ball, ", end: 1", "", 11, "simulation.end", "is missing"},
    {"simulation missing", Base::ball, "simulation: {step: 0.01, end: 1}\n", "", 1, "simulation",
     "is missing"},
    {"measures of one name", Base::puck, "of: y}", "of: y}, {name: height, of: x}", 13,
     "measures.1.name", "'height' is taken already"},
    {"contacts of one name", Base::puck,
     "contacts:", "constraints: [{name: floor, equation: x}]\n  contacts:", 9,
     "system.constraints.0.name", "'floor' is taken already"},
    {"measure of nothing", Base::puck, ", of: y", "", 13, "measures.0.of", "is missing"},
};
INSTANTIATE_TEST_SUITE_P(Keys, Malformed, testing::ValuesIn(kKeys), case_name);

constexpr BadScene kNumbers[] = {
    {"nan of YAML", Base::ball, "m: 1", "m: .nan", 2, "parameters.m", "expected a finite number"},
    {"nan as text", Base::ball, "step: 0.01", "step: nan", 11, "simulation.step",
     "expected a number > 0"},
    {"nan by division", Base::ball, "step: 0.01", "step: 0/0", 11, "simulation.step",
     "'0/0' is not a number; it must be a number > 0"},
    {"infinity as text", Base::ball, "end: 1", "end: inf", 11, "simulation.end",
     "expected a finite number"},
    {"infinity of YAML", Base::ball, "end: 1", "end: -.inf", 11, "simulation.end",
     "expected a finite number"},
    {"infinity by division", Base::ball, "end: 1", "end: 1/0", 11, "simulation.end",
     "'1/0' is infinite"},
    {"number too large", Base::ball, "end: 1", "end: 1e999", 11, "simulation.end", "out of range"},
    {"number with garbage", Base::ball, "step: 0.01", "step: 0.01s", 11, "simulation.step",
     "unexpected 's'"},
    {"number with two points", Base::ball, "step: 0.01", "step: 0.0.1", 11, "simulation.step",
     "malformed number"},
    {"decimal comma", Base::ball, "step: 0.01", "step: \"0,01\"", 11, "simulation.step",
     "unexpected ','"},
    {"empty text for a number", Base::ball, "step: 0.01", "step: ''", 11, "simulation.step",
     "empty formula"},
    {"step zero", Base::ball, "step: 0.01", "step: 0", 11, "simulation.step",
     "0 is not allowed; it must be a number > 0"},
    {"step negative", Base::ball, "step: 0.01", "step: -0.01", 11, "simulation.step",
     "-0.01 is not allowed"},
    {"end before the start", Base::ball, "end: 1", "end: -1", 11, "simulation.end",
     "lies before the start at 0 s"},
    {"too many steps", Base::ball, "end: 1", "end: 1e300", 11, "simulation.end",
     "more than 1e+12 steps"},
    {"theta above one", Base::ball, "{step", "{theta: 1.5, step", 11, "simulation.theta",
     "a number in [0, 1]"},
    {"theta negative", Base::ball, "{step", "{theta: -0.5, step", 11, "simulation.theta",
     "a number in [0, 1]"},
    {"gamma negative", Base::ball, "{step", "{gamma: -1, step", 11, "simulation.gamma",
     "a number >= 0"},
    {"activation tolerance negative", Base::ball, "{step", "{activation_tolerance: -1, step", 11,
     "simulation.activation_tolerance", "a number >= 0"},
    {"newton tolerance zero", Base::ball, "{step", "{newton_tolerance: 0, step", 11,
     "simulation.newton_tolerance", "a number in (0, 0.1]"},
    {"flow tolerance below round-off", Base::ball, "{step", "{flow_tolerance: 1e-15, step", 11,
     "simulation.flow_tolerance", "a number in [1e-14, 0.01]"},
    {"capture time negative", Base::ball, "{step", "{capture_time: -1, step", 11,
     "simulation.capture_time", ">= 0"},
    {"events zero", Base::ball, "{step", "{max_events: 0, step", 11, "simulation.max_events",
     "a whole number from 1"},
    {"newton iterations zero", Base::ball, "{step", "{newton_max_iterations: 0, step", 11,
     "simulation.newton_max_iterations", "a whole number from 1"},
    {"newton iterations fractional", Base::ball, "{step", "{newton_max_iterations: 2.5, step", 11,
     "simulation.newton_max_iterations", "a whole number from 1"},
    {"normal restitution above one", Base::ball, "e_n: 0.5", "e_n: 1.1", 9, "system.contacts.0.e_n",
     "a number in [0, 1]"},
    {"normal restitution negative", Base::ball, "e_n: 0.5", "e_n: -0.1", 9, "system.contacts.0.e_n",
     "a number in [0, 1]"},
    {"tangential restitution minus one", Base::ball, "e_n: 0.5", "e_t: -1", 9,
     "system.contacts.0.e_t", "a number in (-1, 1]"},
    {"friction negative", Base::ball, "mu: 0.3", "mu: -0.3", 9, "system.contacts.0.mu",
     "must be finite and >= 0"},
    {"friction negative at some speeds", Base::ball, "mu: 0.3", "mu: 0.3 - slip*exp(-slip)", 9,
     "system.contacts.0.mu", "at slip ="},
    {"friction not finite at rest", Base::ball, "mu: 0.3", "mu: 0.3/slip", 9,
     "system.contacts.0.mu", "at slip = 0 m/s"},
    {"output every zero", Base::ball, "initial:", "output: {every: 0}\ninitial:", 10,
     "output.every", "a whole number from 1"},
    {"solver tolerance negative", Base::ball, "initial:", "solver: {tolerance: -1}\ninitial:", 10,
     "solver.tolerance", "a number > 0"},
    {"own option out of range", Base::ball, "initial:", "solver: {relaxation: 2}\ninitial:", 10,
     "solver.relaxation", "2 is not allowed; it must be a number in (0, 2)"},
    {"own option of another solver", Base::ball, "initial:", "solver: {rho: 2}\ninitial:", 10,
     "solver.rho", "solver 'nsgs' does not read this option; read by: admm"},
    {"option of no solver", Base::ball, "initial:", "solver: {relaxatoin: 1}\ninitial:", 10,
     "solver.relaxatoin", "unknown key (did you mean 'relaxation'?)"},
    {"options twice", Base::ball, "initial:", "solver: {seed: 1, seed: 2}\ninitial:", 10,
     "solver.seed", "this key is given twice"},
    {"solver unknown", Base::ball, "initial:", "solver: {name: nsgss}\ninitial:", 10, "solver.name",
     "did you mean 'nsgs'?"},
    {"scheme unknown", Base::ball, "{step", "{scheme: moreau-jeen, step", 11, "simulation.scheme",
     "did you mean 'moreau-jean'?"},
    {"take unknown", Base::puck, "of: y", "of: y, take: maximum", 13, "measures.0.take",
     "allowed: final, min, max"},
};
INSTANTIATE_TEST_SUITE_P(Numbers, Malformed, testing::ValuesIn(kNumbers), case_name);

#define CLACK_MASS "M: [[m, 0], [0, m]]"
#define CLACK_ROD "area: 1, young: 1, density: 1"
constexpr BadScene kRods[] = {
    {"rod without a length", Base::ball, CLACK_MASS, "rod: {" CLACK_ROD ", elements: 1}", 6,
     "system.rod.length", "is missing"},
    {"rod of negative length", Base::ball, CLACK_MASS,
     "rod: {length: -1, " CLACK_ROD ", elements: 1}", 6, "system.rod.length", "a number > 0"},
    {"rod of half an element", Base::ball, CLACK_MASS,
     "rod: {length: 1, " CLACK_ROD ", elements: 0.5}", 6, "system.rod.elements",
     "a whole number from 1"},
    {"rod of too many elements", Base::ball, CLACK_MASS,
     "rod: {length: 1, " CLACK_ROD ", elements: 1e9}", 6, "system.rod", "from 1 to 1000000"},
    {"rod with an unknown mass", Base::ball, CLACK_MASS,
     "rod: {length: 1, " CLACK_ROD ", elements: 1, mass: lumpd}", 6, "system.rod.mass",
     "did you mean 'lumped'?"},
    {"rod with an unknown end", Base::ball, CLACK_MASS,
     "rod: {length: 1, " CLACK_ROD ", elements: 1, left: fixed}", 6, "system.rod.left",
     "allowed: free, clamped"},
    {"rod with an unknown key", Base::ball, CLACK_MASS,
     "rod: {length: 1, " CLACK_ROD ", elements: 1, right: free}", 6, "system.rod.right",
     "unknown key"},
    {"rod that is no map", Base::ball, CLACK_MASS, "rod: 3", 6, "system.rod", "expected a map"},
    {"rod beside a mass matrix", Base::ball, CLACK_MASS,
     CLACK_MASS "\n  rod: {length: 1, " CLACK_ROD ", elements: 1}", 6, "system.M",
     "is made by 'rod'"},
    {"rod without mass at its tip by a scheme that needs it", Base::ball, CLACK_MASS,
     "rod: {length: 1, " CLACK_ROD ", elements: 1, mass: massless-tip}", 6, "system.rod",
     "singular"},
    {"gap of an unknown coordinate", Base::ball, "G: [0, 1]", "G: {z: 1}", 9,
     "system.contacts.0.G.z", "unknown name; allowed: x, y"},
    {"gap of no coordinate", Base::ball, "G: [0, 1]", "G: {y: 0}", 9, "system.contacts.0.G",
     "is zero"},
    {"start of one unknown number", Base::ball, "q: [0, 1]", "q: up", 10, "initial.q",
     "unknown name 'up'"},
};
#undef CLACK_MASS
#undef CLACK_ROD
INSTANTIATE_TEST_SUITE_P(Rods, Malformed, testing::ValuesIn(kRods), case_name);

constexpr BadScene kExact[] = {
    {"closed form of nothing", Base::ball, "initial:", "exact: {}\ninitial:", 10, "exact",
     "give 'q' or 'v'"},
    {"closed form with an unknown key", Base::ball, "initial:", "exact: {x: t}\ninitial:", 10,
     "exact.x", "unknown key"},
    {"closed form of an unknown coordinate", Base::ball,
     "initial:", "exact: {q: {z: t}}\ninitial:", 10, "exact.q.z", "unknown name; allowed: x, y"},
    {"closed form of a coordinate", Base::ball, "initial:", "exact: {q: {x: y}}\ninitial:", 10,
     "exact.q.x", "expected a formula of t"},
    {"closed form of another start", Base::ball, "initial:", "exact: {q: {y: 2 - t}}\ninitial:", 10,
     "exact", "gives y = 2 at the start; the scene has 1"},
    {"closed form that is no number", Base::ball,
     "initial:", "exact: {q: {y: log(-1)}}\ninitial:", 10, "exact", "gives y = "},
    {"closed form with too few formulas", Base::ball, "initial:", "exact: {q: [t]}\ninitial:", 10,
     "exact.q", "expected 2 formulas of t; found 1"},
    {"closed form with a name that is taken", Base::ball, "initial:",
     "exact: {define: {g: 1}, v: {x': 1}}\ninitial:", 10, "exact.define.g", "taken already"},
    {"closed form of an unknown kind", Base::ball, "initial:", "exact: {form: ball}\ninitial:", 10,
     "exact.form", "allowed: impacting-oscillator"},
    {"closed form of another number of coordinates", Base::ball,
     "initial:", "exact: {form: impacting-oscillator, omega: 1, start: 1}\ninitial:", 10, "exact",
     "one coordinate; the system has 2"},
};
INSTANTIATE_TEST_SUITE_P(Exact, Malformed, testing::ValuesIn(kExact), case_name);

constexpr BadScene kMatrices[] = {
    {"mass negative", Base::ball, "[[m, 0], [0, m]]", "[[-m, 0], [0, m]]", 6, "system.M",
     "positive definite"},
    {"mass zero", Base::ball, "[[m, 0], [0, m]]", "[[0, 0], [0, 0]]", 6, "system.M",
     "every coordinate needs a positive mass"},
    {"mass singular", Base::ball, "[[m, 0], [0, m]]", "[[1, 1], [1, 1]]", 6, "system.M",
     "singular"},
    {"mass not symmetric", Base::ball, "[[m, 0], [0, m]]", "[[m, 1], [0, m]]", 6, "system.M",
     "is not symmetric"},
    {"mass not square", Base::ball, "[[m, 0], [0, m]]", "[[m, 0, 0], [0, m, 0]]", 6, "system.M",
     "2 x 3; a mass matrix must be square"},
    {"mass without rows", Base::ball, "[[m, 0], [0, m]]", "[]", 6, "system.M", "at least one row"},
    {"mass with ragged rows", Base::ball, "[[m, 0], [0, m]]", "[[m, 0], [m]]", 6, "system.M.1",
     "expected 2 numbers; found 1"},
    {"mass with a text entry", Base::ball, "[[m, 0], [0, m]]", "[[m, 0], [0, mm]]", 6,
     "system.M.1.1", "unknown name 'mm'"},
    {"stiffness of the wrong size", Base::ball, "  f:", "  K: [[1]]\n  f:", 7, "system.K",
     "expected 2 rows; found 1"},
    {"damping with short rows", Base::ball, "  f:", "  C: [[1], [1, 2]]\n  f:", 7, "system.C.0",
     "expected 2 numbers; found 1"},
    {"load of the wrong length", Base::ball, "f: [0, -m*g]", "f: [0]", 7, "system.f",
     "expected 2 formulas"},
    {"load of a coordinate", Base::ball, "f: [0, -m*g]", "f: [0, -y]", 7, "system.f.1",
     "unknown name 'y'"},
    {"gap row of the wrong length", Base::ball, "G: [0, 1]", "G: [1]", 9, "system.contacts.0.G",
     "expected 2 numbers; found 1"},
    {"gap row zero", Base::ball, "G: [0, 1]", "G: [0, 0]", 9, "system.contacts.0.G", "is zero"},
    {"tangential row of the wrong length", Base::ball, "T: [[1, 0]]", "T: [[1]]", 9,
     "system.contacts.0.T.0", "expected 2 numbers; found 1"},
    {"tangential row without its brackets", Base::ball, "T: [[1, 0]]", "T: [1, 0]", 9,
     "system.contacts.0.T", "expected a list of rows"},
    {"three tangential rows", Base::ball, "T: [[1, 0]]", "T: [[1, 0], [0, 1], [1, 1]]", 9,
     "system.contacts.0.T", "one (plane) or two (space)"},
    {"tangential row zero", Base::ball, "T: [[1, 0]]", "T: [[0, 0]]", 9, "system.contacts.0.T.0",
     "is zero"},
    {"drive of the wrong length", Base::ball, "mu: 0.3", "mu: 0.3, drive: [1, 2]", 9,
     "system.contacts.0.drive", "expected one formula a tangential row"},
    {"drive not a list", Base::ball, "mu: 0.3", "mu: 0.3, drive: sin(t)", 9,
     "system.contacts.0.drive", "expected a list of formulas"},
    {"drive without tangential rows", Base::ball, "T: [[1, 0]], mu: 0.3", "drive: [1]", 9,
     "system.contacts.0.drive", "give 'T' too"},
    {"friction without tangential rows", Base::ball, "T: [[1, 0]], ", "", 9, "system.contacts.0.mu",
     "give 'T' too"},
    {"names of the wrong length", Base::ball, "[x, y]", "[x]", 5, "system.coordinates",
     "expected 2 names"},
    {"constraint with a zero row", Base::ball,
     "initial:", "  constraints: [{G: [0, 0]}]\ninitial:", 10, "system.constraints.0.G", "is zero"},
    {"constraint with friction", Base::ball, "initial:",
     "  constraints: [{G: [1, 0], mu: 1}]\ninitial:", 10, "system.constraints.0.mu", "unknown key"},
};
INSTANTIATE_TEST_SUITE_P(Matrices, Malformed, testing::ValuesIn(kMatrices), case_name);

constexpr BadScene kNames[] = {
    {"parameters in a cycle", Base::ball, "g: 9.81", "g: 9.81, a: b, b: c, c: a", 2, "parameters.a",
     "depends on itself: a -> b -> c -> a"},
    {"parameter of itself", Base::ball, "g: 9.81", "g: g + 1", 2, "parameters.g",
     "depends on itself: g -> g"},
    {"parameter named sin", Base::ball, "g: 9.81", "g: 9.81, sin: 1", 2, "parameters.sin",
     "cannot be a name"},
    {"parameter named t", Base::ball, "g: 9.81", "g: 9.81, t: 1", 2, "parameters.t",
     "cannot be a name"},
    {"parameter named pi", Base::ball, "g: 9.81", "g: 9.81, pi: 3", 2, "parameters.pi",
     "cannot be a name"},
    {"parameter named slip", Base::ball, "g: 9.81", "g: 9.81, slip: 1", 2, "parameters.slip",
     "cannot be a name"},
    {"parameter named 2x", Base::ball, "g: 9.81", "g: 9.81, 2x: 1", 2, "parameters.2x",
     "a letter first"},
    {"parameter of an unknown name", Base::ball, "g: 9.81", "g: 9.81, a: mm", 2, "parameters.a",
     "unknown name 'mm'"},
    {"unknown name like a known one", Base::puck, "parameters: {m: 1,",
     "parameters: {mass: 1, k: masss, m: 1,", 2, "parameters.k", "did you mean 'mass'?"},
    {"unknown name in a formula", Base::puck, "m*g*y", "m*gg*y", 7, "system.potential",
     "unknown name 'gg'"},
    {"coordinates empty", Base::puck, "[x, y]", "[]", 5, "system.coordinates", "at least one name"},
    {"coordinates not a list", Base::puck, "[x, y]", "x", 5, "system.coordinates",
     "expected a list of names"},
    {"coordinate not a name", Base::puck, "[x, y]", "[x, [y]]", 5, "system.coordinates.1",
     "expected a name"},
    {"coordinate twice", Base::puck, "[x, y]", "[x, y, x]", 5, "system.coordinates.2",
     "'x' is taken already"},
    {"coordinate reserved", Base::puck, "[x, y]", "[x, y, cos]", 5, "system.coordinates.2",
     "cannot be a name"},
    {"coordinate named t", Base::puck, "[x, y]", "[x, y, t]", 5, "system.coordinates.2",
     "cannot be a name"},
    {"coordinate named like a parameter", Base::puck, "[x, y]", "[x, y, m]", 5,
     "system.coordinates.2", "'m' is taken already"},
    {"coordinate with a space", Base::puck, "[x, y]", "[x, y, a b]", 5, "system.coordinates.2",
     "cannot be a name"},
    {"velocities of the wrong length", Base::puck, "[x, y]", "[x, y]\n  velocities: [vx]", 6,
     "system.velocities", "expected 2 names"},
    {"velocity named like a coordinate", Base::puck, "[x, y]", "[x, y]\n  velocities: [vx, y]", 6,
     "system.velocities.1", "'y' is taken already"},
    {"force on an unknown coordinate", Base::puck, "{x: -x'}", "{xx: -x'}", 8, "system.forces.xx",
     "did you mean 'x'?"},
    {"initial unknown name", Base::puck, "q: {y: 1}", "q: {z: 1}", 11, "initial.q.z",
     "allowed: x, y"},
    {"initial velocity under a coordinate's name", Base::puck, "v: {x': 1}", "v: {x: 1}", 11,
     "initial.v.x", "did you mean 'x''?"},
    {"initial wrong length", Base::ball, "q: [0, 1]", "q: [0]", 10, "initial.q",
     "expected 2 numbers; found 1"},
    {"initial text", Base::ball, "q: [0, 1]", "q: rest", 10, "initial.q",
     "expected a list of 2 numbers"},
    {"initial time text", Base::ball, "{q:", "{t: now, q:", 10, "initial.t",
     "expected a finite number"},
    {"initial not finite", Base::ball, "q: [0, 1]", "q: [0, .inf]", 10, "initial.q.1",
     "expected a finite number"},
};
INSTANTIATE_TEST_SUITE_P(Names, Malformed, testing::ValuesIn(kNames), case_name);

constexpr BadScene kFormulas[] = {
    {"formula that ends early", Base::puck, "m*g*y", "m*g*", 7, "system.potential",
     "unexpected end of formula"},
    {"formula with an open parenthesis", Base::puck, "m*g*y", "m*(g*y", 7, "system.potential",
     "unclosed '('"},
    {"formula with a closing parenthesis", Base::puck, "m*g*y", "m*g*y)", 7, "system.potential",
     "unexpected ')'"},
    {"formula without an operator", Base::puck, "m*g*y", "m g y", 7, "system.potential",
     "is an operator such as '*' missing?"},
    {"formula with an unknown function", Base::puck, "m*g*y", "sinn(y)", 7, "system.potential",
     "did you mean 'sin'?"},
    {"formula with too many arguments", Base::puck, "m*g*y", "sin(x, y)", 7, "system.potential",
     "takes 1 argument"},
    {"formula with a function without arguments", Base::puck, "m*g*y", "sin*y", 7,
     "system.potential", "without its arguments"},
    {"formula with an assignment", Base::puck, "m*g*y", "y = 2", 7, "system.potential", "'=='"},
    {"formula with a strange character", Base::puck, "m*g*y", "m*g*y $ 2", 7, "system.potential",
     "unexpected '$'"},
    {"formula over two lines", Base::puck, "m*g*y", "|\n    m*g\n    y", 7, "system.potential",
     "unexpected 'y'"},
    {"bad formula of a force", Base::puck, "{x: -x'}", "{x: -*x'}", 8, "system.forces.x",
     "unexpected '*'"},
    {"bad formula of a gap", Base::puck, "gap: y", "gap: y+", 10, "system.contacts.0.gap",
     "unexpected end of formula"},
    {"bad formula of a tangent", Base::puck, "tangent: x'", "tangent: x' x'", 10,
     "system.contacts.0.tangent", "unexpected"},
    {"bad formula of the friction", Base::puck, "mu: 0.3", "mu: 0.3 + y", 10,
     "system.contacts.0.mu", "a formula of slip"},
    {"bad formula of a definition", Base::puck, "  kinetic", "  define: {a: 2*}\n  kinetic", 6,
     "system.define.a", "unexpected end of formula"},
    {"bad formula of the dissipation", Base::puck, "  forces", "  dissipation: c*x'^2\n  forces", 8,
     "system.dissipation", "unknown name 'c'"},
    {"bad formula of a measure", Base::puck, "of: y", "of: z", 13, "measures.0.of",
     "unknown name 'z'"},
    {"bad formula of a load", Base::ball, "f: [0, -m*g]", "f: [0, cos(]", 7, "system.f.1",
     "unexpected end of formula"},
    {"bad formula of a gap's offset", Base::ball, "G: [0, 1]", "G: [0, 1], g0: sin t", 9,
     "system.contacts.0.g0", "function 'sin' without its arguments"},
    {"potential of a velocity", Base::puck, "m*g*y", "m*g*y + x'", 7, "system.potential",
     "depends on the velocity x'"},
    {"potential of a hidden velocity", Base::puck, "  potential: m*g*y",
     "  define: {a: 2*x'}\n  potential: m*g*y + a", 8, "system.potential",
     "depends on the velocity x'"},
    {"gap of a velocity", Base::puck, "gap: y", "gap: y + y'", 10, "system.contacts.0.gap",
     "depends on the velocity y'"},
    {"gap of no coordinate", Base::puck, "gap: y", "gap: sin(t)", 10, "system.contacts.0.gap",
     "depends on no coordinate"},
    {"constraint of no coordinate", Base::puck,
     "initial:", "  constraints: [{equation: m - 1}]\ninitial:", 11,
     "system.constraints.0.equation", "depends on no coordinate"},
    {"tangent of no velocity", Base::puck, "tangent: x'", "tangent: x", 10,
     "system.contacts.0.tangent", "depends on no velocity"},
    {"tangent not affine", Base::puck, "tangent: x'", "tangent: x'^2", 10,
     "system.contacts.0.tangent", "must be affine"},
    {"three tangents", Base::puck, "tangent: x'", "tangent: [x', y', x']", 10,
     "system.contacts.0.tangent", "one tangential velocity (plane) or two (space)"},
    {"friction without a tangent", Base::puck, "tangent: x', ", "", 10, "system.contacts.0.mu",
     "give 'tangent' too"},
    {"kinetic energy cubic", Base::puck, "y'^2)", "y'^3)", 6, "system.kinetic",
     "must be quadratic"},
    {"kinetic energy without a coordinate", Base::puck, "(x'^2 + y'^2)", "x'^2", 6,
     "system.kinetic", "coordinate 'y' the mass 0"},
    {"kinetic energy negative", Base::puck, "(x'^2 + y'^2)", "(x'^2 - y'^2)", 6, "system.kinetic",
     "coordinate 'y' the mass -1"},
    {"kinetic energy with coupled coordinates", Base::puck, "(x'^2 + y'^2)", "(x' + y')^2", 6,
     "system.kinetic", "not positive definite"},
    {"potential not finite at the start", Base::puck, "m*g*y", "1/x", 7, "system.potential",
     "not finite in the initial state"},
    {"kinetic energy not finite at the start", Base::puck, "0.5*m*(x'^2", "0.5*m*(x'^2/x", 6,
     "system.kinetic", "in the initial state"},
    {"force not finite at the start", Base::puck, "{x: -x'}", "{x: log(x - 1)}", 4, "system",
     "force on coordinate 'x' is not finite"},
    {"gap not finite at the start", Base::puck, "gap: y", "gap: sqrt(y - 2)", 4, "system",
     "gap of 'floor' is not finite"},
    {"force with an infinite derivative at the start", Base::puck, "m*g*y", "m*g*y + abs(x)^1.5", 4,
     "system", "derivative of the force on coordinate 'x' by the coordinate 'x' is"},
    {"start off a constraint", Base::puck, "  contacts:\n",
     "  constraints: [{name: rod, equation: x^2 + 1}]\n  contacts:\n", 9, "system.constraints.0",
     "constraint 'rod' has the value 1 in the initial state and cannot be closed from there"},
    {"statics with friction", Base::ball, "{step", "{scheme: statics, step", 11,
     "simulation.scheme", "knows no friction"},
};
INSTANTIATE_TEST_SUITE_P(Formulas, Malformed, testing::ValuesIn(kFormulas), case_name);

constexpr BadScene kYaml[] = {
    {"only the version", Base::ball, "", "clack: 1\nsimulation: {step: 1, end: 1}", 1, "system",
     "is missing"},
    {"empty file", Base::ball, "", "", 1, "", "a scene starts with 'clack: 1'"},
    {"only comments", Base::ball, "", "# nothing\n# here\n", 1, "",
     "a scene starts with 'clack: 1'"},
    {"list at the top", Base::ball, "", "- clack\n- 1\n", 1, "",
     "expected a map with keys among: clack"},
    {"scalar at the top", Base::ball, "", "clack 1\n", 1, "",
     "expected a map with keys among: clack"},
    {"tab as indentation", Base::ball, "  type: linear", "\ttype: linear", 4, "", "not with tabs"},
    {"unclosed bracket", Base::ball, "end: 1}", "end: 1", 12, "", "a '{' is not closed"},
    {"unclosed quote", Base::ball, "clack: 1", "clack: 1\ntitle: \"a", 2, "",
     "a quote is not closed"},
    {"unclosed single quote", Base::ball, "end: 1}\n", "end: 1}\ntitle: 'a", 12, "",
     "a quote is not closed"},
    {"bad indentation", Base::ball, "  M:", "   M:", 6, "", "is the indentation right?"},
    {"unknown alias", Base::ball, "f: [0, -m*g]", "f: *load", 7, "", "not valid YAML"},
    {"two documents", Base::ball, "initial:", "---\ninitial:", 11, "",
     "a second document starts here"},
    {"a comma alone", Base::ball, "", ",", 1, "", "the scene ends before this"},
    {"a comma behind the scene", Base::ball, "", "{clack: 1, simulation: {step: 1, end: 1}},\n", 1,
     "", "is there a ',', a quote or a '...' too many?"},
    {"a comma behind a text", Base::ball, "", "\"title\", 1\n", 1, "",
     "the scene ends before this"},
    {"a bracket too many", Base::ball, "", "{clack: 1}]\n", 1, "", "not valid YAML"},
    {"NUL byte", Base::ball, "type", std::string_view("ty\0pe", 5), 4, "",
     "byte 0x00 is not allowed"},
    {"escape byte", Base::ball, "type", "ty\x1b[31mpe", 4, "", "byte 0x1b is not allowed"},
    {"broken UTF-8", Base::ball, "linear", "line\xc3(r", 4, "", "byte 0xc3 is not UTF-8"},
    {"Latin-1 comment", Base::ball, "clack: 1", "clack: 1 # M\xfcller", 1, "",
     "save the scene as UTF-8"},
    {"UTF-16 with its mark", Base::ball, "",
     std::string_view("\xff\xfe"
                      "c\0l\0a\0c\0k\0",
                      12),
     1, "", "is UTF-16; save the scene as UTF-8"},
    {"UTF-16 big endian", Base::ball, "",
     std::string_view("\xfe\xff"
                      "\0c\0l",
                      6),
     1, "", "is UTF-16"},
    {"list that holds itself", Base::ball, "f: [0, -m*g]", "f: &a [0, *a]", 7, "system.f.1",
     "expected a formula of t"},
    {"parameters that hold themselves", Base::ball, "{m: 1, g: 9.81}", "&p {m: 1, g: *p}", 2,
     "parameters.g", "expected a finite number"},
};
INSTANTIATE_TEST_SUITE_P(Yaml, Malformed, testing::ValuesIn(kYaml), case_name);

TEST(Malformed, BasesAreGoodWithoutTheirMistakes) {
  const Folder folder;
  for (const std::string& base : {kBall, kPuck}) {
    const Outcome outcome = run_clack({"check", folder.write("scene.yaml", base)});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
}

}  // namespace
}  // namespace clack::test
