// `type: linear`: M, C, K or a rod, f(t), gaps G q + g0(t), tangential rows.
#include <fmt/format.h>

#include <algorithm>

#include "clack/io/scene/system_reader.hpp"
#include "clack/model/linear_system.hpp"
#include "clack/model/rod.hpp"

namespace clack {
namespace {

using formula::Expr;

class LinearReader {
 public:
  LinearReader(const Field& field, Vocabulary& vocabulary)
      : field_(field), vocabulary_(vocabulary) {}

  NamedSystem read() {
    field_.expect_map({"type", "coordinates", "velocities", "M", "C", "K", "rod", "f", "contacts",
                       "constraints"});
    const auto rod = field_.find("rod");
    if (rod ? !read_rod(*rod) : !read_mass()) return {};
    n_ = static_cast<int>(data_.M.rows());
    data_.C = optional_matrix("C");
    if (!rod) data_.K = optional_matrix("K");
    const bool has_names = read_coordinates(field_, vocabulary_, n_, named_, node_names_);
    time_names_ = vocabulary_.parameters;
    time_names_["t"] = named_.t;
    read_load();
    if (!has_names) return {};
    if (const auto contacts = field_.find("contacts")) read_contacts(*contacts, false);
    if (const auto constraints = field_.find("constraints")) read_contacts(*constraints, true);
    if (good_) build();
    return named_;
  }

 private:
  bool read_mass() {
    const std::optional<Field> mass = field_.require("M", "the mass matrix, a list of rows");
    const std::optional<Matrix> M = mass ? vocabulary_.matrix(*mass, -1, -1) : std::nullopt;
    if (!M) return false;
    if (M->rows() != M->cols()) {
      mass->complain(fmt::format("is {} x {}; a mass matrix must be square", M->rows(), M->cols()));
      return false;
    }
    data_.M = *M;
    check_mass(*mass);
    return true;
  }

  // Whether a singular matrix will do is for the scheme to say.
  void check_mass(const Field& mass) {
    const double scale = data_.M.cwiseAbs().maxCoeff();
    if ((data_.M - data_.M.transpose()).cwiseAbs().maxCoeff() > 1e-12 * scale) {
      mass.complain("is not symmetric; a mass matrix must be");
      good_ = false;
      return;
    }
    const Vector pivots = Eigen::LDLT<Matrix>(data_.M).vectorD();
    if (!(pivots.minCoeff() >= -1e-12 * scale)) {
      mass.complain("is not positive definite; no motion may have a negative kinetic energy");
      good_ = false;
    }
  }

  bool read_rod(const Field& rod) {
    for (const char* key : {"M", "K"}) {
      const auto matrix = field_.find(key);
      if (matrix) matrix->complain("is made by 'rod'; give one or the other");
      good_ = good_ && !matrix;
    }
    if (!rod.expect_map({"length", "area", "young", "density", "elements", "mass", "left"})) {
      return false;
    }
    RodData data;
    bool good = true;
    const auto number = [&](const char* key, const char* what, double& value) {
      const auto field = rod.require(key, what);
      const auto given = field ? vocabulary_.number(*field, kPositive) : std::nullopt;
      good = good && given.has_value();
      value = given.value_or(1);
    };
    number("length", "a number > 0 [m]", data.length);
    number("area", "the area of the section, a number > 0 [m^2]", data.area);
    number("young", "Young's modulus, a number > 0 [Pa]", data.young);
    number("density", "a number > 0 [kg/m^3]", data.density);
    const auto elements = rod.require("elements", "how many finite elements, a whole number");
    const auto count = elements ? vocabulary_.integer(*elements, 1) : std::nullopt;
    data.elements = static_cast<int>(std::min(count.value_or(1), 1L << 30));
    static const std::vector<std::string> kinds = {"consistent", "lumped", "massless-tip"};
    const auto mass = rod.find("mass"), left = rod.find("left");
    const auto kind = mass ? mass->choice(kinds) : kinds[0];
    const auto end = left ? left->choice({"free", "clamped"}) : "free";
    if (!good || !count || !kind || !end) return false;
    data.mass = static_cast<RodMass>(std::find(kinds.begin(), kinds.end(), *kind) - kinds.begin());
    data.clamped = *end == "clamped";
    return build_rod(rod, data);
  }

  bool build_rod(const Field& rod, const RodData& data) {
    try {
      RodMatrices matrices = make_rod(data);
      data_.M = std::move(matrices.M);
      data_.K = std::move(matrices.K);
      node_names_ = std::move(matrices.names);
      return true;
    } catch (const InputError& error) {
      rod.complain(error.what());
      return false;
    }
  }

  Matrix optional_matrix(const char* key) {
    const std::optional<Field> field = field_.find(key);
    if (!field) return Matrix::Zero(n_, n_);
    const std::optional<Matrix> value = vocabulary_.matrix(*field, n_, n_);
    good_ = good_ && value.has_value();
    return value.value_or(Matrix::Zero(n_, n_));
  }

  Expr time_formula(const Field& field) {
    const std::optional<Expr> e = vocabulary_.formula(field, time_names_, "a formula of t");
    good_ = good_ && e.has_value();
    return e.value_or(vocabulary_.graph.constant(0));
  }

  void read_load() {
    outputs_.assign(n_, vocabulary_.graph.constant(0));
    const std::optional<Field> load = field_.find("f");
    if (!load) return;
    const std::vector<Field> items = load->items("a list of formulas of t");
    if (load->is_list() && static_cast<int>(items.size()) != n_) {
      load->complain(
          fmt::format("expected {} formulas, one a coordinate; found {}", n_, items.size()));
      good_ = false;
      return;
    }
    for (std::size_t i = 0; i < items.size(); ++i) outputs_[i] = time_formula(items[i]);
  }

  void read_contacts(const Field& list, bool bilateral) {
    const std::vector<Field> items =
        list.items(bilateral ? "a list of constraints" : "a list of contacts");
    for (std::size_t i = 0; i < items.size(); ++i) read_contact(items[i], bilateral, i);
  }

  void read_contact(const Field& field, bool bilateral, std::size_t index) {
    const bool is_map =
        bilateral ? field.expect_map({"name", "G", "g0"})
                  : field.expect_map({"name", "G", "g0", "T", "drive", "turn", "area", "mu", "e_n",
                                      "e_t", "normal", "friction", "cohesion", "link"});
    if (!is_map) {
      good_ = false;
      return;
    }
    LinearContact result;
    result.contact.name =
        read_name(field, vocabulary_, bilateral ? "constraint" : "contact", index);
    result.contact.bilateral = bilateral;
    const auto G = field.require("G", fmt::format("the row of the gap, {} numbers", n_));
    const auto normal = G ? read_row(*G) : std::nullopt;
    good_ = good_ && normal.has_value();
    result.normal = normal.value_or(Vector::Zero(n_));
    if (normal && normal->isZero(0)) {
      G->complain("is zero: the gap depends on no coordinate");
      good_ = false;
    }
    const auto g0 = field.find("g0");
    const Expr offset = g0 ? time_formula(*g0) : vocabulary_.graph.constant(0);
    outputs_.push_back(offset);
    outputs_.push_back(vocabulary_.graph.derivative(offset, named_.t));
    read_tangents(field, result);
    if (const auto turn = field.find("turn")) read_turns(*turn, result);
    if (!bilateral) result.contact.law = read_law(field, vocabulary_, "T");
    result.contact.area = read_area(field, vocabulary_);
    data_.contacts.push_back(std::move(result));
  }

  // A list of n numbers, or a map by the names of coordinates; what a map leaves out is zero.
  std::optional<Vector> read_row(const Field& field) {
    if (!field.is_map()) return vocabulary_.row(field, n_);
    if (!field.expect_free_map()) return std::nullopt;
    Vector row = Vector::Zero(n_);
    bool good = true;
    for (const Entry& entry : field.entries()) {
      const std::vector<std::string>& names = named_.q_names;
      const auto it = std::find(names.begin(), names.end(), entry.key);
      const auto value = vocabulary_.number(entry.value);
      if (it == names.end()) {
        entry.name.complain("unknown name" +
                            allowed_words(entry.key, {names.begin(), names.end()}));
      } else if (value) {
        row[it - names.begin()] = *value;
      }
      good = good && value && it != names.end();
    }
    if (!good) return std::nullopt;
    return row;
  }

  void read_tangents(const Field& field, LinearContact& result) {
    const auto T = field.find("T");
    const auto drive = field.find("drive");
    if (!T) {
      if (drive) drive->complain("needs a tangential direction: give 'T' too");
      return;
    }
    const std::optional<Matrix> rows = vocabulary_.matrix(*T, -1, n_);
    good_ = good_ && rows.has_value();
    if (!rows) return;
    check_tangents(*T, *rows);
    for (int k = 0; k < rows->rows(); ++k) result.tangents.push_back(rows->row(k).transpose());
    result.contact.tangents = static_cast<int>(rows->rows());
    std::vector<Expr> speeds(rows->rows(), vocabulary_.graph.constant(0));
    if (drive) read_drive(*drive, speeds);
    outputs_.insert(outputs_.end(), speeds.begin(), speeds.end());
  }

  // Rows of relative rotation follow the tangential ones.
  void read_turns(const Field& turn, LinearContact& result) {
    const std::optional<Matrix> rows = vocabulary_.matrix(turn, -1, n_);
    good_ = good_ && rows.has_value();
    if (!rows) return;
    const int turns = allowed_turns(turn, result.contact.tangents, static_cast<int>(rows->rows()));
    good_ = good_ && turns > 0;
    for (int k = 0; k < turns; ++k) {
      result.tangents.push_back(rows->row(k).transpose());
      outputs_.push_back(vocabulary_.graph.constant(0));
    }
    result.contact.turns = turns;
  }

  void check_tangents(const Field& T, const Matrix& rows) {
    if (rows.rows() > 2) {
      T.complain(fmt::format("has {} tangential rows; one (plane) or two (space) are allowed",
                             rows.rows()));
      good_ = false;
    }
    for (int k = 0; k < rows.rows(); ++k) {
      if (!rows.row(k).isZero(0)) continue;
      T.items()[k].complain("is zero: a tangential velocity must depend on a velocity");
      good_ = false;
    }
  }

  void read_drive(const Field& drive, std::vector<Expr>& speeds) {
    const std::vector<Field> items =
        drive.items("a list of formulas of t, one a tangential row [m/s]");
    if (drive.is_list() && items.size() != speeds.size()) {
      drive.complain(fmt::format("expected one formula a tangential row, {} in all; found {}",
                                 speeds.size(), items.size()));
      good_ = false;
      return;
    }
    for (std::size_t k = 0; k < items.size(); ++k) speeds[k] = time_formula(items[k]);
  }

  void build() {
    const Expr inputs[] = {named_.t};
    data_.time.tape = std::make_shared<formula::Tape>(vocabulary_.graph, inputs, outputs_);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (!vocabulary_.graph.depends_on(outputs_[i], named_.t)) continue;
      data_.time.constant = false;
      if (static_cast<int>(i) >= n_) data_.time.moving_contacts = true;
    }
    data_.rates.tape = std::make_shared<formula::Tape>(vocabulary_.graph, inputs, rates_of_rows());
    data_.names = named_.q_names;
    named_.system = std::make_shared<LinearSystem>(std::move(data_));
  }

  // Of dg0/dt and of the drives: what follows the load, less g0 itself.
  std::vector<Expr> rates_of_rows() {
    std::vector<Expr> rates;
    std::size_t i = static_cast<std::size_t>(n_);
    for (const LinearContact& contact : data_.contacts) {
      ++i;
      for (int k = 0; k < contact.contact.dim(); ++k) {
        rates.push_back(vocabulary_.graph.derivative(outputs_[i++], named_.t));
      }
    }
    return rates;
  }

  const Field& field_;
  Vocabulary& vocabulary_;
  formula::Names time_names_;
  NamedSystem named_;
  std::vector<std::string> node_names_;  // of a rod
  LinearSystemData data_;
  std::vector<Expr> outputs_;
  int n_ = 0;
  bool good_ = true;
};

}  // namespace

NamedSystem read_linear(const Field& field, Vocabulary& vocabulary) {
  return LinearReader(field, vocabulary).read();
}

}  // namespace clack
