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

struct BadScene {
  std::string name;
  const std::string& base;
  std::string from, to;  // the mistake: a part of the base and what stands there instead
  int line;
  std::string field;  // dotted path; empty for the file itself
  std::string words;  // part of the message
};

std::string with_mistake(const BadScene& scene) {
  std::string text = scene.base;
  const std::size_t at = text.find(scene.from);
  EXPECT_NE(at, std::string::npos) << scene.from;
  return text.replace(at, scene.from.size(), scene.to);
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
  const std::string field = bad.field.empty() ? "" : ": " + bad.field + ": ";
  EXPECT_TRUE(lines[0].starts_with(place)) << lines[0] << "\nexpected line " << bad.line;
  EXPECT_TRUE(std::regex_search(lines[0].substr(place.size()), std::regex("^[1-9][0-9]*: ")))
      << lines[0];
  EXPECT_NE(lines[0].find(field), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find(bad.words), std::string::npos) << lines[0] << "\nwants: " << bad.words;
}

std::string case_name(const testing::TestParamInfo<BadScene>& info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
}

// Kinds of values: a list where a number belongs, and so on.
const std::vector<BadScene> kKinds = {
    {"list for a number", kBall, "step: 0.01", "step: [0.01]", 11, "simulation.step",
     "expected a number > 0"},
    {"map for a number", kBall, "e_n: 0.5", "e_n: {value: 1}", 9, "system.contacts.0.e_n",
     "expected a number in [0, 1]"},
    {"nothing for a number", kBall, "end: 1}", "end: }", 11, "simulation.end", "found nothing"},
    {"map for a list", kBall, "f: [0, -m*g]", "f: {y: -m*g}", 7, "system.f", "expected a list"},
    {"text for a matrix", kBall, "M: [[m, 0], [0, m]]", "M: heavy", 6, "system.M",
     "expected a list of rows"},
    {"number for a matrix", kBall, "M: [[m, 0], [0, m]]", "M: 2", 6, "system.M",
     "[[1, 0], [0, 1]]"},
    {"list of numbers for a matrix", kBall, "M: [[m, 0], [0, m]]", "M: [m]", 6, "system.M",
     "found a list of single values"},
    {"text for the system", kBall,
     "system:\n  type: linear\n  coordinates: [x, y]\n  M: [[m, 0], [0, m]]\n  f: [0, -m*g]\n  "
     "contacts:\n    - {name: floor, G: [0, 1], T: [[1, 0]], mu: 0.3, e_n: 0.5}",
     "system: linear", 3, "system", "type: linear"},
    {"list for the parameters", kBall, "{m: 1, g: 9.81}\n", "[1]\nmeasures: []\n", 2, "parameters",
     "expected a map"},
    {"text for the simulation", kBall, "{step: 0.01, end: 1}", "fast", 11, "simulation",
     "expected a map"},
    {"number for the contacts", kBall,
     "\n    - {name: floor, G: [0, 1], T: [[1, 0]], mu: 0.3, e_n: 0.5}", " 3", 8, "system.contacts",
     "expected a list of contacts"},
    {"text for a contact", kBall, "{name: floor, G: [0, 1], T: [[1, 0]], mu: 0.3, e_n: 0.5}",
     "floor", 9, "system.contacts.0", "expected a map with keys among: name, G"},
    {"text for the forces", kPuck, "{x: -x'}", "strong", 8, "system.forces", "expected a map"},
    {"list for a formula", kPuck, "m*g*y", "[m, g]", 7, "system.potential", "expected a formula"},
    {"list for the title", kBall, "clack: 1", "clack: 1\ntitle: [a]", 2, "title",
     "expected a text"},
    {"list for a word", kBall, "{step", "{scheme: [a], step", 11, "simulation.scheme",
     "expected a single value"},
    {"text for the measures", kPuck, "[{name: height, of: y}]", "all", 13, "measures",
     "expected a list of measures"},
    {"map for a key", kBall, "parameters:", "? {a: 1}\n: 2\nparameters:", 2, "",
     "a key must be a word"},
};
INSTANTIATE_TEST_SUITE_P(Kinds, Malformed, testing::ValuesIn(kKinds), case_name);

const std::vector<BadScene> kKeys = {
    {"unknown key at the top", kBall, "initial:", "wibble:", 10, "wibble",
     "unknown key; allowed: clack, title"},
    {"misspelt key at the top", kBall, "simulation:", "simulaton: 1\nsimulation:", 11, "simulaton",
     "did you mean 'simulation'?"},
    {"misspelt key inside", kBall, "{step", "{thetta: 0.5, step", 11, "simulation.thetta",
     "did you mean 'theta'?"},
    {"misspelt key in a list", kBall, "mu:", "muu: 0.2, mu:", 9, "system.contacts.0.muu",
     "did you mean 'mu'?"},
    {"key of the other kind of system", kBall, "f:", "kinetic: 1\n  f:", 7, "system.kinetic",
     "unknown key"},
    {"merge key", kBall, "simulation: {", "simulation: {<<: {}, ", 11, "simulation.<<",
     "unknown key"},
    {"duplicate key at the top", kBall, "initial:", "parameters: {m: 2}\ninitial:", 10,
     "parameters", "given twice, first in line 2"},
    {"duplicate key inside", kBall, "end: 1", "end: 1, step: 0.02", 11, "simulation.step",
     "given twice"},
    {"duplicate parameter", kBall, "g: 9.81", "g: 9.81, m: 3", 2, "parameters.m", "given twice"},
    {"duplicate definition", kPuck, "  kinetic", "  define: {a: x, a: y}\n  kinetic", 6,
     "system.define.a", "given twice"},
    {"version missing", kBall, "clack: 1", "title: t", 1, "clack", "is missing"},
    {"version 2", kBall, "clack: 1", "clack: 2", 1, "clack", "reads version 1"},
    {"version as text", kBall, "clack: 1", "clack: one", 1, "clack", "reads version 1"},
    {"version as a list", kBall, "clack: 1", "clack: [1]", 1, "clack", "expected the version"},
    {"system missing", kBall,
     "system:\n  type: linear\n  coordinates: [x, y]\n  M: [[m, 0], [0, m]]\n  f: [0, -m*g]\n  "
     "contacts:\n    - {name: floor, G: [0, 1], T: [[1, 0]], mu: 0.3, e_n: 0.5}\n",
     "", 1, "system", "is missing"},
    {"type missing", kBall, "  type: linear\n", "", 4, "system.type", "linear or lagrangian"},
    {"type unknown", kBall, "type: linear", "type: lineer", 4, "system.type",
     "did you mean 'linear'?"},
    {"mass matrix missing", kBall, "  M: [[m, 0], [0, m]]\n", "", 4, "system.M", "is missing"},
    {"kinetic energy missing", kPuck, "  kinetic: 0.5*m*(x'^2 + y'^2)\n", "", 4, "system.kinetic",
     "is missing"},
    {"coordinates missing", kPuck, "  coordinates: [x, y]\n", "", 4, "system.coordinates",
     "is missing"},
    {"gap row missing", kBall, "G: [0, 1], ", "", 9, "system.contacts.0.G", "is missing"},
    {"gap missing", kPuck, "gap: y, ", "", 10, "system.contacts.0.gap", "is missing"},
    {"step missing", kBall, "step: 0.01, ", "", 11, "simulation.step", "is missing"},
    {"end missing", kBall, ", end: 1", "", 11, "simulation.end", "is missing"},
    {"simulation missing", kBall, "simulation: {step: 0.01, end: 1}\n", "", 1, "simulation",
     "is missing"},
    {"measures of one name", kPuck, "of: y}", "of: y}, {name: height, of: x}", 13, "measures.1.name",
     "'height' is taken already"},
    {"contacts of one name", kPuck, "contacts:", "constraints: [{name: floor, equation: x}]\n  contacts:", 9,
     "system.constraints.0.name", "'floor' is taken already"},
    {"measure of nothing", kPuck, ", of: y", "", 13, "measures.0.of", "is missing"},
};
INSTANTIATE_TEST_SUITE_P(Keys, Malformed, testing::ValuesIn(kKeys), case_name);

const std::vector<BadScene> kNumbers = {
    {"nan of YAML", kBall, "m: 1", "m: .nan", 2, "parameters.m", "expected a finite number"},
    {"nan as text", kBall, "step: 0.01", "step: nan", 11, "simulation.step",
     "expected a number > 0"},
    {"nan by division", kBall, "step: 0.01", "step: 0/0", 11, "simulation.step",
     "'0/0' is not a number; it must be a number > 0"},
    {"infinity as text", kBall, "end: 1", "end: inf", 11, "simulation.end",
     "expected a finite number"},
    {"infinity of YAML", kBall, "end: 1", "end: -.inf", 11, "simulation.end",
     "expected a finite number"},
    {"infinity by division", kBall, "end: 1", "end: 1/0", 11, "simulation.end",
     "'1/0' is infinite"},
    {"number too large", kBall, "end: 1", "end: 1e999", 11, "simulation.end", "out of range"},
    {"number with garbage", kBall, "step: 0.01", "step: 0.01s", 11, "simulation.step",
     "unexpected 's'"},
    {"number with two points", kBall, "step: 0.01", "step: 0.0.1", 11, "simulation.step",
     "malformed number"},
    {"decimal comma", kBall, "step: 0.01", "step: \"0,01\"", 11, "simulation.step",
     "unexpected ','"},
    {"empty text for a number", kBall, "step: 0.01", "step: ''", 11, "simulation.step",
     "empty formula"},
    {"step zero", kBall, "step: 0.01", "step: 0", 11, "simulation.step",
     "0 is not allowed; it must be a number > 0"},
    {"step negative", kBall, "step: 0.01", "step: -0.01", 11, "simulation.step",
     "-0.01 is not allowed"},
    {"end before the start", kBall, "end: 1", "end: -1", 11, "simulation.end",
     "lies before the start at 0 s"},
    {"too many steps", kBall, "end: 1", "end: 1e300", 11, "simulation.end",
     "more than 1e+12 steps"},
    {"theta above one", kBall, "{step", "{theta: 1.5, step", 11, "simulation.theta",
     "a number in [0, 1]"},
    {"theta negative", kBall, "{step", "{theta: -0.5, step", 11, "simulation.theta",
     "a number in [0, 1]"},
    {"gamma negative", kBall, "{step", "{gamma: -1, step", 11, "simulation.gamma", "a number >= 0"},
    {"activation tolerance negative", kBall, "{step", "{activation_tolerance: -1, step", 11,
     "simulation.activation_tolerance", "a number >= 0"},
    {"newton tolerance zero", kBall, "{step", "{newton_tolerance: 0, step", 11,
     "simulation.newton_tolerance", "a number in (0, 0.1]"},
    {"newton iterations zero", kBall, "{step", "{newton_max_iterations: 0, step", 11,
     "simulation.newton_max_iterations", "a whole number from 1"},
    {"newton iterations fractional", kBall, "{step", "{newton_max_iterations: 2.5, step", 11,
     "simulation.newton_max_iterations", "a whole number from 1"},
    {"normal restitution above one", kBall, "e_n: 0.5", "e_n: 1.1", 9, "system.contacts.0.e_n",
     "a number in [0, 1]"},
    {"normal restitution negative", kBall, "e_n: 0.5", "e_n: -0.1", 9, "system.contacts.0.e_n",
     "a number in [0, 1]"},
    {"tangential restitution minus one", kBall, "e_n: 0.5", "e_t: -1", 9, "system.contacts.0.e_t",
     "a number in (-1, 1]"},
    {"friction negative", kBall, "mu: 0.3", "mu: -0.3", 9, "system.contacts.0.mu",
     "must be finite and >= 0"},
    {"friction negative at some speeds", kBall, "mu: 0.3", "mu: 0.3 - slip*exp(-slip)", 9,
     "system.contacts.0.mu", "at slip ="},
    {"friction not finite at rest", kBall, "mu: 0.3", "mu: 0.3/slip", 9, "system.contacts.0.mu",
     "at slip = 0 m/s"},
    {"output every zero", kBall, "initial:", "output: {every: 0}\ninitial:", 10, "output.every",
     "a whole number from 1"},
    {"solver tolerance negative", kBall, "initial:", "solver: {tolerance: -1}\ninitial:", 10,
     "solver.tolerance", "a number > 0"},
    {"solver unknown", kBall, "initial:", "solver: {name: nsgss}\ninitial:", 10, "solver.name",
     "did you mean 'nsgs'?"},
    {"scheme unknown", kBall, "{step", "{scheme: moreau-jeen, step", 11, "simulation.scheme",
     "did you mean 'moreau-jean'?"},
    {"take unknown", kPuck, "of: y", "of: y, take: maximum", 13, "measures.0.take",
     "allowed: final, min, max"},
};
INSTANTIATE_TEST_SUITE_P(Numbers, Malformed, testing::ValuesIn(kNumbers), case_name);

const std::vector<BadScene> kMatrices = {
    {"mass negative", kBall, "[[m, 0], [0, m]]", "[[-m, 0], [0, m]]", 6, "system.M",
     "positive definite"},
    {"mass zero", kBall, "[[m, 0], [0, m]]", "[[0, 0], [0, 0]]", 6, "system.M",
     "every coordinate needs a positive mass"},
    {"mass singular", kBall, "[[m, 0], [0, m]]", "[[1, 1], [1, 1]]", 6, "system.M", "singular"},
    {"mass not symmetric", kBall, "[[m, 0], [0, m]]", "[[m, 1], [0, m]]", 6, "system.M",
     "is not symmetric"},
    {"mass not square", kBall, "[[m, 0], [0, m]]", "[[m, 0, 0], [0, m, 0]]", 6, "system.M",
     "2 x 3; a mass matrix must be square"},
    {"mass without rows", kBall, "[[m, 0], [0, m]]", "[]", 6, "system.M", "at least one row"},
    {"mass with ragged rows", kBall, "[[m, 0], [0, m]]", "[[m, 0], [m]]", 6, "system.M.1",
     "expected 2 numbers; found 1"},
    {"mass with a text entry", kBall, "[[m, 0], [0, m]]", "[[m, 0], [0, mm]]", 6, "system.M.1.1",
     "unknown name 'mm'"},
    {"stiffness of the wrong size", kBall, "  f:", "  K: [[1]]\n  f:", 7, "system.K",
     "expected 2 rows; found 1"},
    {"damping with short rows", kBall, "  f:", "  C: [[1], [1, 2]]\n  f:", 7, "system.C.0",
     "expected 2 numbers; found 1"},
    {"load of the wrong length", kBall, "f: [0, -m*g]", "f: [0]", 7, "system.f",
     "expected 2 formulas"},
    {"load of a coordinate", kBall, "f: [0, -m*g]", "f: [0, -y]", 7, "system.f.1",
     "unknown name 'y'"},
    {"gap row of the wrong length", kBall, "G: [0, 1]", "G: [1]", 9, "system.contacts.0.G",
     "expected 2 numbers; found 1"},
    {"gap row zero", kBall, "G: [0, 1]", "G: [0, 0]", 9, "system.contacts.0.G", "is zero"},
    {"tangential row of the wrong length", kBall, "T: [[1, 0]]", "T: [[1]]", 9,
     "system.contacts.0.T.0", "expected 2 numbers; found 1"},
    {"tangential row without its brackets", kBall, "T: [[1, 0]]", "T: [1, 0]", 9,
     "system.contacts.0.T", "expected a list of rows"},
    {"three tangential rows", kBall, "T: [[1, 0]]", "T: [[1, 0], [0, 1], [1, 1]]", 9,
     "system.contacts.0.T", "one (plane) or two (space)"},
    {"tangential row zero", kBall, "T: [[1, 0]]", "T: [[0, 0]]", 9, "system.contacts.0.T.0",
     "is zero"},
    {"drive of the wrong length", kBall, "mu: 0.3", "mu: 0.3, drive: [1, 2]", 9,
     "system.contacts.0.drive", "expected one formula a tangential row"},
    {"drive not a list", kBall, "mu: 0.3", "mu: 0.3, drive: sin(t)", 9, "system.contacts.0.drive",
     "expected a list of formulas"},
    {"drive without tangential rows", kBall, "T: [[1, 0]], mu: 0.3", "drive: [1]", 9,
     "system.contacts.0.drive", "give 'T' too"},
    {"friction without tangential rows", kBall, "T: [[1, 0]], ", "", 9, "system.contacts.0.mu",
     "give 'T' too"},
    {"names of the wrong length", kBall, "[x, y]", "[x]", 5, "system.coordinates",
     "expected 2 names"},
    {"constraint with a zero row", kBall, "initial:", "  constraints: [{G: [0, 0]}]\ninitial:", 10,
     "system.constraints.0.G", "is zero"},
    {"constraint with friction", kBall, "initial:", "  constraints: [{G: [1, 0], mu: 1}]\ninitial:",
     10, "system.constraints.0.mu", "unknown key"},
};
INSTANTIATE_TEST_SUITE_P(Matrices, Malformed, testing::ValuesIn(kMatrices), case_name);

const std::vector<BadScene> kNames = {
    {"parameters in a cycle", kBall, "g: 9.81", "g: 9.81, a: b, b: c, c: a", 2, "parameters.a",
     "depends on itself: a -> b -> c -> a"},
    {"parameter of itself", kBall, "g: 9.81", "g: g + 1", 2, "parameters.g",
     "depends on itself: g -> g"},
    {"parameter named sin", kBall, "g: 9.81", "g: 9.81, sin: 1", 2, "parameters.sin",
     "cannot be a name"},
    {"parameter named t", kBall, "g: 9.81", "g: 9.81, t: 1", 2, "parameters.t", "cannot be a name"},
    {"parameter named pi", kBall, "g: 9.81", "g: 9.81, pi: 3", 2, "parameters.pi",
     "cannot be a name"},
    {"parameter named slip", kBall, "g: 9.81", "g: 9.81, slip: 1", 2, "parameters.slip",
     "cannot be a name"},
    {"parameter named 2x", kBall, "g: 9.81", "g: 9.81, 2x: 1", 2, "parameters.2x",
     "a letter first"},
    {"parameter of an unknown name", kBall, "g: 9.81", "g: 9.81, a: mm", 2, "parameters.a",
     "unknown name 'mm'"},
    {"unknown name like a known one", kPuck, "parameters: {m: 1,",
     "parameters: {mass: 1, k: masss, m: 1,", 2, "parameters.k", "did you mean 'mass'?"},
    {"unknown name in a formula", kPuck, "m*g*y", "m*gg*y", 7, "system.potential",
     "unknown name 'gg'"},
    {"coordinates empty", kPuck, "[x, y]", "[]", 5, "system.coordinates", "at least one name"},
    {"coordinates not a list", kPuck, "[x, y]", "x", 5, "system.coordinates",
     "expected a list of names"},
    {"coordinate not a name", kPuck, "[x, y]", "[x, [y]]", 5, "system.coordinates.1",
     "expected a name"},
    {"coordinate twice", kPuck, "[x, y]", "[x, y, x]", 5, "system.coordinates.2",
     "'x' is taken already"},
    {"coordinate reserved", kPuck, "[x, y]", "[x, y, cos]", 5, "system.coordinates.2",
     "cannot be a name"},
    {"coordinate named t", kPuck, "[x, y]", "[x, y, t]", 5, "system.coordinates.2",
     "cannot be a name"},
    {"coordinate named like a parameter", kPuck, "[x, y]", "[x, y, m]", 5, "system.coordinates.2",
     "'m' is taken already"},
    {"coordinate with a space", kPuck, "[x, y]", "[x, y, a b]", 5, "system.coordinates.2",
     "cannot be a name"},
    {"velocities of the wrong length", kPuck, "[x, y]", "[x, y]\n  velocities: [vx]", 6,
     "system.velocities", "expected 2 names"},
    {"velocity named like a coordinate", kPuck, "[x, y]", "[x, y]\n  velocities: [vx, y]", 6,
     "system.velocities.1", "'y' is taken already"},
    {"force on an unknown coordinate", kPuck, "{x: -x'}", "{xx: -x'}", 8, "system.forces.xx",
     "did you mean 'x'?"},
    {"initial unknown name", kPuck, "q: {y: 1}", "q: {z: 1}", 11, "initial.q.z", "allowed: x, y"},
    {"initial velocity under a coordinate's name", kPuck, "v: {x': 1}", "v: {x: 1}", 11,
     "initial.v.x", "did you mean 'x''?"},
    {"initial wrong length", kBall, "q: [0, 1]", "q: [0]", 10, "initial.q",
     "expected 2 numbers; found 1"},
    {"initial text", kBall, "q: [0, 1]", "q: rest", 10, "initial.q",
     "expected a list of 2 numbers"},
    {"initial time text", kBall, "{q:", "{t: now, q:", 10, "initial.t", "expected a finite number"},
    {"initial not finite", kBall, "q: [0, 1]", "q: [0, .inf]", 10, "initial.q.1",
     "expected a finite number"},
};
INSTANTIATE_TEST_SUITE_P(Names, Malformed, testing::ValuesIn(kNames), case_name);

const std::vector<BadScene> kFormulas = {
    {"formula that ends early", kPuck, "m*g*y", "m*g*", 7, "system.potential",
     "unexpected end of formula"},
    {"formula with an open parenthesis", kPuck, "m*g*y", "m*(g*y", 7, "system.potential",
     "unclosed '('"},
    {"formula with a closing parenthesis", kPuck, "m*g*y", "m*g*y)", 7, "system.potential",
     "unexpected ')'"},
    {"formula without an operator", kPuck, "m*g*y", "m g y", 7, "system.potential",
     "is an operator such as '*' missing?"},
    {"formula with an unknown function", kPuck, "m*g*y", "sinn(y)", 7, "system.potential",
     "did you mean 'sin'?"},
    {"formula with too many arguments", kPuck, "m*g*y", "sin(x, y)", 7, "system.potential",
     "takes 1 argument"},
    {"formula with a function without arguments", kPuck, "m*g*y", "sin*y", 7, "system.potential",
     "without its arguments"},
    {"formula with an assignment", kPuck, "m*g*y", "y = 2", 7, "system.potential", "'=='"},
    {"formula with a strange character", kPuck, "m*g*y", "m*g*y $ 2", 7, "system.potential",
     "unexpected '$'"},
    {"formula over two lines", kPuck, "m*g*y", "|\n    m*g\n    y", 7, "system.potential",
     "unexpected 'y'"},
    {"bad formula of a force", kPuck, "{x: -x'}", "{x: -*x'}", 8, "system.forces.x",
     "unexpected '*'"},
    {"bad formula of a gap", kPuck, "gap: y", "gap: y+", 10, "system.contacts.0.gap",
     "unexpected end of formula"},
    {"bad formula of a tangent", kPuck, "tangent: x'", "tangent: x' x'", 10,
     "system.contacts.0.tangent", "unexpected"},
    {"bad formula of the friction", kPuck, "mu: 0.3", "mu: 0.3 + y", 10, "system.contacts.0.mu",
     "a formula of slip"},
    {"bad formula of a definition", kPuck, "  kinetic", "  define: {a: 2*}\n  kinetic", 6,
     "system.define.a", "unexpected end of formula"},
    {"bad formula of the dissipation", kPuck, "  forces", "  dissipation: c*x'^2\n  forces", 8,
     "system.dissipation", "unknown name 'c'"},
    {"bad formula of a measure", kPuck, "of: y", "of: z", 13, "measures.0.of", "unknown name 'z'"},
    {"bad formula of a load", kBall, "f: [0, -m*g]", "f: [0, cos(]", 7, "system.f.1",
     "unexpected end of formula"},
    {"bad formula of a gap's offset", kBall, "G: [0, 1]", "G: [0, 1], g0: sin t", 9,
     "system.contacts.0.g0", "function 'sin' without its arguments"},
    {"potential of a velocity", kPuck, "m*g*y", "m*g*y + x'", 7, "system.potential",
     "depends on the velocity x'"},
    {"potential of a hidden velocity", kPuck, "  potential: m*g*y",
     "  define: {a: 2*x'}\n  potential: m*g*y + a", 8, "system.potential",
     "depends on the velocity x'"},
    {"gap of a velocity", kPuck, "gap: y", "gap: y + y'", 10, "system.contacts.0.gap",
     "depends on the velocity y'"},
    {"gap of no coordinate", kPuck, "gap: y", "gap: sin(t)", 10, "system.contacts.0.gap",
     "depends on no coordinate"},
    {"constraint of no coordinate", kPuck,
     "initial:", "  constraints: [{equation: m - 1}]\ninitial:", 11,
     "system.constraints.0.equation", "depends on no coordinate"},
    {"tangent of no velocity", kPuck, "tangent: x'", "tangent: x", 10, "system.contacts.0.tangent",
     "depends on no velocity"},
    {"tangent not affine", kPuck, "tangent: x'", "tangent: x'^2", 10, "system.contacts.0.tangent",
     "must be affine"},
    {"three tangents", kPuck, "tangent: x'", "tangent: [x', y', x']", 10,
     "system.contacts.0.tangent", "one tangential velocity (plane) or two (space)"},
    {"friction without a tangent", kPuck, "tangent: x', ", "", 10, "system.contacts.0.mu",
     "give 'tangent' too"},
    {"kinetic energy cubic", kPuck, "y'^2)", "y'^3)", 6, "system.kinetic", "must be quadratic"},
    {"kinetic energy without a coordinate", kPuck, "(x'^2 + y'^2)", "x'^2", 6, "system.kinetic",
     "coordinate 'y' the mass 0"},
    {"kinetic energy negative", kPuck, "(x'^2 + y'^2)", "(x'^2 - y'^2)", 6, "system.kinetic",
     "coordinate 'y' the mass -1"},
    {"kinetic energy with coupled coordinates", kPuck, "(x'^2 + y'^2)", "(x' + y')^2", 6,
     "system.kinetic", "not positive definite"},
    {"potential not finite at the start", kPuck, "m*g*y", "1/x", 7, "system.potential",
     "not finite in the initial state"},
    {"kinetic energy not finite at the start", kPuck, "0.5*m*(x'^2", "0.5*m*(x'^2/x", 6,
     "system.kinetic", "in the initial state"},
    {"force not finite at the start", kPuck, "{x: -x'}", "{x: log(x - 1)}", 4, "system",
     "force on coordinate 'x' is not finite"},
    {"gap not finite at the start", kPuck, "gap: y", "gap: sqrt(y - 2)", 4, "system",
     "gap of 'floor' is not finite"},
    {"statics with friction", kBall, "{step", "{scheme: statics, step", 11, "simulation.scheme",
     "knows no friction"},
};
INSTANTIATE_TEST_SUITE_P(Formulas, Malformed, testing::ValuesIn(kFormulas), case_name);

const std::vector<BadScene> kYaml = {
    {"only the version", kBall, kBall.substr(9), "simulation: {step: 1, end: 1}", 1, "system",
     "is missing"},
    {"empty file", kBall, kBall, "", 1, "", "a scene starts with 'clack: 1'"},
    {"only comments", kBall, kBall, "# nothing\n# here\n", 1, "", "a scene starts with 'clack: 1'"},
    {"list at the top", kBall, kBall, "- clack\n- 1\n", 1, "",
     "expected a map with keys among: clack"},
    {"scalar at the top", kBall, kBall, "clack 1\n", 1, "",
     "expected a map with keys among: clack"},
    {"tab as indentation", kBall, "  type: linear", "\ttype: linear", 4, "", "not with tabs"},
    {"unclosed bracket", kBall, "end: 1}", "end: 1", 12, "", "a '{' is not closed"},
    {"unclosed quote", kBall, "clack: 1", "clack: 1\ntitle: \"a", 2, "", "a quote is not closed"},
    {"unclosed single quote", kBall, "end: 1}\n", "end: 1}\ntitle: 'a", 12, "",
     "a quote is not closed"},
    {"bad indentation", kBall, "  M:", "   M:", 6, "", "is the indentation right?"},
    {"unknown alias", kBall, "f: [0, -m*g]", "f: *load", 7, "", "not valid YAML"},
    {"two documents", kBall, "initial:", "---\ninitial:", 11, "", "a second document starts here"},
    {"NUL byte", kBall, "type", std::string("ty\0pe", 5), 4, "", "byte 0x00 is not allowed"},
    {"escape byte", kBall, "type", "ty\x1b[31mpe", 4, "", "byte 0x1b is not allowed"},
    {"broken UTF-8", kBall, "linear", "line\xc3(r", 4, "", "byte 0xc3 is not UTF-8"},
    {"Latin-1 comment", kBall, "clack: 1", "clack: 1 # M\xfcller", 1, "",
     "save the scene as UTF-8"},
    {"UTF-16 with its mark", kBall, kBall,
     std::string("\xff\xfe"
                 "c\0l\0a\0c\0k\0",
                 12),
     1, "", "is UTF-16; save the scene as UTF-8"},
    {"UTF-16 big endian", kBall, kBall,
     std::string("\xfe\xff"
                 "\0c\0l",
                 6),
     1, "", "is UTF-16"},
    {"list that holds itself", kBall, "f: [0, -m*g]", "f: &a [0, *a]", 7, "system.f.1",
     "expected a formula of t"},
    {"parameters that hold themselves", kBall, "{m: 1, g: 9.81}", "&p {m: 1, g: *p}", 2,
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
