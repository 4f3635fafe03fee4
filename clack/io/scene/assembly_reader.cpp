#include "clack/io/scene/assembly_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "clack/model/bodies/rigid_bodies.hpp"

namespace clack {
namespace {

using formula::Expr;

// Quantities of a body by its unit quaternion w, x, y, z and its rates.
constexpr std::array<std::pair<const char*, const char*>, 13> kTurned = {{
    {"e1x", "1 - 2*(y*y + z*z)"},
    {"e1y", "2*(x*y + w*z)"},
    {"e1z", "2*(x*z - w*y)"},
    {"e2x", "2*(x*y - w*z)"},
    {"e2y", "1 - 2*(x*x + z*z)"},
    {"e2z", "2*(y*z + w*x)"},
    {"e3x", "2*(x*z + w*y)"},
    {"e3y", "2*(y*z - w*x)"},
    {"e3z", "1 - 2*(x*x + y*y)"},
    {"angle", "2*atan2(z, w)"},
    {"wx", "2*(w*x' - w'*x + y*z' - z*y')"},
    {"wy", "2*(w*y' - w'*y + z*x' - x*z')"},
    {"wz", "2*(w*z' - w'*z + x*y' - y*x')"},
}};
constexpr std::array<const char*, 7> kCoordinates = {"x", "y", "z", "qw", "qx", "qy", "qz"};
constexpr std::array<const char*, 3> kAxes = {"x", "y", "z"};
constexpr const char* kCouplingKeys[] = {"define",    "points",      "springs",
                                         "potential", "dissipation", "forces",
                                         "contacts",  "constraints", "actions"};

class AssemblyReader {
 public:
  AssemblyReader(const Field& field, Vocabulary& vocabulary, std::string folder)
      : field_(field), vocabulary_(vocabulary), folder_(std::move(folder)) {}

  NamedAssembly read() {
    field_.expect_map({"type", "parts", "define", "points", "springs", "potential", "dissipation",
                       "forces", "contacts", "constraints", "actions"});
    base_ = vocabulary_.names;
    t_ = vocabulary_.graph.variable("t");
    const auto parts = field_.require("parts", "the parts by their names");
    if (!parts || !parts->expect_free_map()) return {};
    for (const Entry& part : parts->entries()) read_part(part);
    if (parts->entries().empty()) complain(*parts, "has no part; an assembly has one at least");
    vocabulary_.names = base_;
    vocabulary_.names["t"] = t_;
    for (const auto& [name, e] : merged_) vocabulary_.names[name] = e;
    collect_coordinates();
    for (const char* key : kCouplingKeys) {
      if (const auto field = field_.find(key)) name_bodies(*field);
    }
    potential_ = dissipation_ = vocabulary_.graph.constant(0);
    if (const auto points = field_.find("points")) read_points(*points);
    if (const auto springs = field_.find("springs")) read_springs(*springs);
    if (good_) read_formulas();
    return std::move(result_);
  }

 private:
  void complain(const Field& field, const std::string& message) {
    field.complain(message);
    good_ = false;
  }

  // --- parts -----------------------------------------------------------------------------------

  // A part's formulas know its own names alone; those of all parts are known to the coupling.
  void read_part(const Entry& part) {
    vocabulary_.names = base_;
    const auto type = part.value.is_map() ? part.value.find("type") : std::nullopt;
    if (type && type->is_scalar() && type->text() == "rigid-bodies") {
      if (result_.has_bodies) {
        complain(part.value, "is a second part of rigid bodies; all bodies belong to one part");
        return;
      }
      result_.has_bodies = true;
      result_.world = read_world(part.value, vocabulary_, folder_);
      good_ = good_ && result_.world.world;
      return;
    }
    const NamedSystem named = read_system(part.value, vocabulary_);
    if (!named.system) {
      good_ = false;
      return;
    }
    merge_names(part);
    result_.parts.push_back({part.key, named.system});
    NamedSystem& all = result_.coordinates;
    all.t = t_;
    append(all.q_names, named.q_names);
    append(all.v_names, named.v_names);
    append(all.q, named.q);
    append(all.v, named.v);
  }

  void merge_names(const Entry& part) {
    for (const auto& [name, e] : vocabulary_.names) {
      if (name == "t" || base_.contains(name)) continue;
      if (!merged_.emplace(name, e).second) {
        complain(part.name,
                 fmt::format("the name '{}' is that of another part already; parts share "
                             "their names with the formulas that couple them",
                             name));
      }
    }
  }

  template <class T>
  static void append(std::vector<T>& list, const std::vector<T>& more) {
    list.insert(list.end(), more.begin(), more.end());
  }

  int body_count() const {
    return result_.world.world ? static_cast<int>(result_.world.world->bodies.size()) : 0;
  }
  // Of joints, which stand behind the bodies in q.
  int joint_coordinates() const {
    std::size_t count = 0;
    if (!result_.world.world) return 0;
    for (const Joint& joint : result_.world.world->joints)
      count += joint_type(joint.kind).coordinates(joint, is_planar()).size();
    return static_cast<int>(count);
  }
  bool is_planar() const { return result_.world.world && result_.world.world->planar; }
  int dimension() const { return is_planar() ? 2 : 3; }

  void collect_coordinates() {
    result_.named = result_.coordinates;
    result_.named.t = t_;
    const int begin = RigidBodies::kQ * body_count() + joint_coordinates();
    for (std::size_t i = 0; i < result_.named.q.size(); ++i)
      result_.places.push_back(begin + static_cast<int>(i));
  }

  // --- bodies ----------------------------------------------------------------------------------

  struct BodyVariables {
    std::array<Expr, 7> q, rates;
  };

  // Only bodies that a formula names become variables: there may be thousands.
  const BodyVariables& variables_of(const std::string& name, int body) {
    const auto [it, added] = bodies_.emplace(body, BodyVariables{});
    BodyVariables& own = it->second;
    for (std::size_t k = 0; added && k < kCoordinates.size(); ++k) {
      const std::string coordinate = fmt::format("{}_{}", name, kCoordinates[k]);
      own.q[k] = vocabulary_.graph.variable(coordinate);
      own.rates[k] = vocabulary_.graph.variable(coordinate + "'");
      vocabulary_.names[coordinate] = own.q[k];
      vocabulary_.names[coordinate + "'"] = own.rates[k];
      if (k < 3) vocabulary_.names[fmt::format("{}_v{}", name, kCoordinates[k])] = own.rates[k];
      result_.named.q_names.push_back(coordinate);
      result_.named.v_names.push_back(coordinate + "'");
      result_.named.q.push_back(own.q[k]);
      result_.named.v.push_back(own.rates[k]);
      result_.places.push_back(RigidBodies::kQ * body + static_cast<int>(k));
    }
    return own;
  }

  Expr turned(const BodyVariables& body, const char* text) {
    const formula::Names names = {
        {"w", body.q[3]},      {"x", body.q[4]},      {"y", body.q[5]},      {"z", body.q[6]},
        {"w'", body.rates[3]}, {"x'", body.rates[4]}, {"y'", body.rates[5]}, {"z'", body.rates[6]}};
    return formula::parse(vocabulary_.graph, text, names);
  }

  Expr turned_by_name(const BodyVariables& body, std::string_view name) {
    const auto it = std::find_if(kTurned.begin(), kTurned.end(),
                                 [&](const auto& x) { return name == x.first; });
    return turned(body, it->second);
  }

  // Names such as ball_x, ball_vx, ball_e1x that stand anywhere below.
  void name_bodies(const Field& field) {
    if (field.is_list()) {
      for (const Field& item : field.items()) name_bodies(item);
    } else if (field.is_map()) {
      for (const Entry& entry : field.entries()) {
        name_body(entry.key);
        name_bodies(entry.value);
      }
    } else if (const auto text = field.is_scalar() ? field.text() : std::nullopt) {
      try {
        for (const std::string& name : formula::identifiers(*text)) name_body(name);
      } catch (const formula::ParseError&) {  // no formula, or the parser will say what is wrong
      }
    }
  }

  void name_body(std::string name) {
    if (!name.empty() && name.back() == '\'') name.pop_back();
    const std::size_t cut = name.rfind('_');
    if (cut == std::string::npos || vocabulary_.names.contains(name)) return;
    const auto body = result_.world.names.find(name.substr(0, cut));
    if (body == result_.world.names.end()) return;
    const std::string quantity = name.substr(cut + 1);
    const BodyVariables& own = variables_of(body->first, body->second);
    for (const auto& [known, text] : kTurned) {
      if (quantity == known) add_name(name, turned(own, text));
    }
  }

  // A position brings its rate along.
  void add_name(const std::string& name, Expr e) {
    vocabulary_.names[name] = e;
    const auto moves = [&](Expr x) { return vocabulary_.graph.depends_on(e, x); };
    if (std::none_of(result_.named.v.begin(), result_.named.v.end(), moves))
      vocabulary_.names[name + "'"] = rate(e);
  }

  Expr rate(Expr e) {
    formula::Graph& graph = vocabulary_.graph;
    return graph.add(graph.directional(e, result_.named.q, result_.named.v),
                     graph.derivative(e, t_));
  }

  // --- points and springs ----------------------------------------------------------------------

  using Point = std::vector<Expr>;

  Point point_of_body(const std::string& name, int body, const Vector& at) {
    formula::Graph& graph = vocabulary_.graph;
    const BodyVariables& own = variables_of(name, body);
    Point point;
    for (int i = 0; i < dimension(); ++i) {
      Expr sum = own.q[static_cast<std::size_t>(i)];
      for (int k = 0; k < at.size(); ++k) {
        const Expr axis = turned_by_name(own, fmt::format("e{}{}", k + 1, kAxes[i]));
        sum = graph.add(sum, graph.multiply(graph.constant(at[k]), axis));
      }
      point.push_back(sum);
    }
    return point;
  }

  // {body: ..., at: [...]} or one formula per direction.
  std::optional<Point> read_point(const Field& field) {
    if (field.is_list()) return read_formula_point(field);
    if (!field.expect_map({"body", "at"})) return std::nullopt;
    const auto name = field.require("body", "the name of a body");
    const auto at = field.require("at", "a point in the frame of the body [m]");
    const auto word = name ? name->text("the name of a body") : std::nullopt;
    const auto place = at ? vocabulary_.row(*at, dimension()) : std::nullopt;
    if (!word || !place) return std::nullopt;
    const auto body = result_.world.names.find(*word);
    if (body == result_.world.names.end()) {
      std::vector<std::string_view> known;
      for (const auto& [x, number] : result_.world.names) known.push_back(x);
      name->complain(fmt::format("there is no body '{}'", *word) + allowed_words(*word, known));
      return std::nullopt;
    }
    return point_of_body(body->first, body->second, *place);
  }

  std::optional<Point> read_formula_point(const Field& field) {
    Point point;
    const std::vector<Field> items = field.items();
    if (result_.has_bodies ? static_cast<int>(items.size()) != dimension()
                           : items.empty() || items.size() > 3) {
      field.complain(fmt::format(
          "has {} formulas; a point has {}", items.size(),
          result_.has_bodies ? fmt::format("{}, one per direction", dimension()) : "1 to 3"));
      return std::nullopt;
    }
    for (const Field& item : items) {
      const auto e = vocabulary_.formula(item, vocabulary_.names);
      if (!e) return std::nullopt;
      point.push_back(*e);
    }
    return point;
  }

  void read_points(const Field& field) {
    if (!field.expect_free_map()) {
      good_ = false;
      return;
    }
    for (const Entry& entry : field.entries()) {
      const std::optional<Point> point = read_point(entry.value);
      if (!point) {
        good_ = false;
        continue;
      }
      points_[entry.key] = *point;
      for (std::size_t i = 0; i < point->size(); ++i) {
        const std::string name = fmt::format("{}_{}", entry.key, kAxes[i]);
        if (!vocabulary_.add(entry.name, name, (*point)[i])) {
          good_ = false;
          continue;
        }
        add_name(name, (*point)[i]);
      }
    }
  }

  // The name of a point or of a body, or formulas.
  std::optional<Point> read_end(const Field& field) {
    if (!field.is_scalar()) return read_point(field);
    const std::string name = field.text().value_or("");
    if (const auto point = points_.find(name); point != points_.end()) return point->second;
    if (const auto body = result_.world.names.find(name); body != result_.world.names.end())
      return point_of_body(body->first, body->second, Vector());
    std::vector<std::string_view> known;
    for (const auto& [x, point] : points_) known.push_back(x);
    for (const auto& [x, number] : result_.world.names) known.push_back(x);
    field.complain(fmt::format("'{}' is neither a point under 'points' nor a body", name) +
                   allowed_words(name, known));
    return std::nullopt;
  }

  void read_springs(const Field& field) {
    for (const Field& item : field.items("a list of springs")) read_spring(item);
    if (!field.is_list()) good_ = false;
  }

  // k (|d| - l)^2/2 and the dissipation c (|d|')^2/2.
  void read_spring(const Field& field) {
    if (!field.expect_map({"between", "stiffness", "length", "damping"})) {
      good_ = false;
      return;
    }
    const auto between = field.require("between", "two points");
    const std::vector<Field> ends = between ? between->items("two points") : std::vector<Field>{};
    if (between && ends.size() != 2) complain(*between, "names two ends, [from, to]");
    if (ends.size() != 2) {
      good_ = false;
      return;
    }
    const auto stiffness = field.require("stiffness", "a number >= 0 [N/m]");
    const auto k = stiffness ? vocabulary_.number(*stiffness, kNonNegative) : std::nullopt;
    const auto optional_number = [&](const char* key) {
      const auto given = field.find(key);
      return given ? vocabulary_.number(*given, kNonNegative).value_or(0) : 0.0;
    };
    const double length = optional_number("length"), damping = optional_number("damping");
    const std::optional<Point> a = read_end(ends[0]), b = read_end(ends[1]);
    if (!k || !a || !b) {
      good_ = false;
      return;
    }
    if (a->size() != b->size()) {
      complain(*between, fmt::format("joins a point with {} coordinates to one with {}", a->size(),
                                     b->size()));
      return;
    }
    add_spring(*a, *b, *k, length, damping);
  }

  void add_spring(const Point& a, const Point& b, double k, double length, double damping) {
    formula::Graph& graph = vocabulary_.graph;
    const auto half = [&](double factor, Expr e) {
      return graph.multiply(graph.constant(0.5 * factor), e);
    };
    Expr square = graph.constant(0);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Expr d = graph.subtract(b[i], a[i]);
      square = graph.add(square, graph.multiply(d, d));
    }
    const Expr distance = graph.apply(formula::Function::kSqrt, square);
    const Expr stretch = graph.subtract(distance, graph.constant(length));
    // A spring without a length has no direction where its ends meet, and needs none.
    const Expr energy = length == 0 ? square : graph.multiply(stretch, stretch);
    potential_ = graph.add(potential_, half(k, energy));
    if (damping == 0) return;
    const Expr speed = rate(distance);
    dissipation_ = graph.add(dissipation_, half(damping, graph.multiply(speed, speed)));
  }

  void read_formulas() {
    const CouplingFormulas formulas =
        read_coupling(field_, vocabulary_, result_.named, potential_, dissipation_);
    good_ = good_ && formulas.good;
    if (!formulas.system) return;
    result_.coupling.formulas = formulas.system;
    for (const int i : formulas.coordinates)
      result_.coupling.coordinates.push_back(result_.places[static_cast<std::size_t>(i)]);
  }

  const Field& field_;
  Vocabulary& vocabulary_;
  std::string folder_;
  formula::Names base_, merged_;
  Expr t_ = formula::kNone;
  NamedAssembly result_;
  std::map<int, BodyVariables> bodies_;
  std::map<std::string, Point> points_;
  Expr potential_ = formula::kNone, dissipation_ = formula::kNone;
  bool good_ = true;
};

}  // namespace

NamedAssembly read_assembly(const Field& field, Vocabulary& vocabulary, const std::string& folder) {
  return AssemblyReader(field, vocabulary, folder).read();
}

}  // namespace clack
