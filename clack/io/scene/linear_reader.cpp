// `type: linear`: M, C, K or a rod, f(t), gaps G q + g0(t), tangential rows.
#include <fmt/format.h>

#include <algorithm>

#include "clack/io/scene/linear_contacts.hpp"
#include "clack/io/scene/linear_matrices.hpp"
#include "clack/io/scene/system_reader.hpp"
#include "clack/model/linear_system.hpp"
#include "clack/model/rod.hpp"
#include "clack/model/sparse_linear_system.hpp"

namespace clack {
namespace {

using formula::Expr;

Vector to_vector(const SparseRow& row, int size) {
  Vector result = Vector::Zero(size);
  for (const auto& [i, value] : row) result[i] = value;
  return result;
}

// Columns of a sparse matrix, one by one.
class ColumnEntries {
 public:
  void add(const SparseRow& column) {
    for (const auto& [i, value] : column) entries_.emplace_back(i, columns_, value);
    ++columns_;
  }
  SparseMatrix build(int rows) const {
    SparseMatrix result(rows, columns_);
    result.setFromTriplets(entries_.begin(), entries_.end());
    return result;
  }

 private:
  MatrixEntries entries_;
  int columns_ = 0;
};

class LinearReader {
 public:
  LinearReader(const Field& field, Vocabulary& vocabulary)
      : field_(field), vocabulary_(vocabulary) {}

  NamedSystem read() {
    field_.expect_map({"type", "coordinates", "velocities", "M", "C", "K", "rod", "f", "contacts",
                       "constraints"});
    for (const char* key : {"M", "C", "K"}) {
      const auto matrix = field_.find(key);
      sparse_ = sparse_ || (matrix && is_matrix_file(*matrix));
    }
    const auto rod = field_.find("rod");
    if (rod ? !read_rod(*rod) : !read_mass()) return {};
    n_ = static_cast<int>(sparse_ ? M_.rows() : dense_.M.rows());
    read_matrix("C", dense_.C, C_);
    if (!rod) read_matrix("K", dense_.K, K_);
    const bool has_names = read_coordinates(field_, vocabulary_, n_, named_, node_names_);
    time_names_ = vocabulary_.parameters;
    time_names_["t"] = named_.t;
    LinearContactReader contacts(vocabulary_, named_, time_names_);
    load_.assign(static_cast<std::size_t>(n_), vocabulary_.graph.constant(0));
    const auto load = field_.find("f");
    if (load && (has_names || !load->is_map())) read_load(*load, contacts);
    if (!has_names) return {};
    if (const auto list = field_.find("contacts")) contacts.read(*list, false);
    if (const auto list = field_.find("constraints")) contacts.read(*list, true);
    if (good_ && contacts.good()) sparse_ ? build_sparse(contacts) : build_dense(contacts);
    return std::move(named_);
  }

 private:
  bool read_mass() {
    const auto field = field_.require("M", "the mass matrix, a list of rows or {file: NAME}");
    if (!field) return false;
    return sparse_ ? keep_mass(*field, read_sparse_matrix(*field, vocabulary_, -1, -1), M_)
                   : keep_mass(*field, vocabulary_.matrix(*field, -1, -1), dense_.M);
  }

  template <class SomeMatrix>
  bool keep_mass(const Field& field, const std::optional<SomeMatrix>& given, SomeMatrix& M) {
    if (!given) return false;
    if (given->rows() != given->cols()) {
      field.complain(
          fmt::format("is {} x {}; a mass matrix must be square", given->rows(), given->cols()));
      return false;
    }
    M = *given;
    good_ = check_mass_matrix(field, M) && good_;
    return true;
  }

  void read_matrix(const char* key, Matrix& dense, SparseMatrix& sparse) {
    const std::optional<Field> field = field_.find(key);
    sparse.resize(n_, n_);
    if (!sparse_) dense = Matrix::Zero(n_, n_);
    if (!field) return;
    if (sparse_)
      keep(read_sparse_matrix(*field, vocabulary_, n_, n_), sparse);
    else
      keep(vocabulary_.matrix(*field, n_, n_), dense);
  }

  template <class SomeMatrix>
  void keep(std::optional<SomeMatrix> given, SomeMatrix& matrix) {
    good_ = good_ && given.has_value();
    if (given) matrix = std::move(*given);
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
    sparse_ = sparse_ || data.elements > RodData::kFewElements;
    try {
      if (sparse_) {
        SparseRodMatrices matrices = make_sparse_rod(data);
        M_ = std::move(matrices.M);
        K_ = std::move(matrices.K);
        node_names_ = std::move(matrices.names);
      } else {
        RodMatrices matrices = make_rod(data);
        dense_.M = std::move(matrices.M);
        dense_.K = std::move(matrices.K);
        node_names_ = std::move(matrices.names);
      }
      return true;
    } catch (const InputError& error) {
      rod.complain(error.what());
      return false;
    }
  }

  Expr time_formula(const Field& field) {
    const std::optional<Expr> e = vocabulary_.formula(field, time_names_, "a formula of t");
    good_ = good_ && e.has_value();
    return e.value_or(vocabulary_.graph.constant(0));
  }

  // A list of n formulas, a map by coordinates, one formula for all, or a file of n numbers.
  void read_load(const Field& load, const LinearContactReader& contacts) {
    if (load.is_scalar()) {
      load_.assign(load_.size(), time_formula(load));
    } else if (contacts.is_file(load)) {
      const auto values = read_matrix_file(load, vocabulary_, n_, 1);
      good_ = good_ && values.has_value();
      for (int i = 0; values && i < n_; ++i)
        load_[static_cast<std::size_t>(i)] = vocabulary_.graph.constant(values->coeff(i, 0));
    } else if (load.is_map()) {
      good_ = load.expect_free_map() && good_;
      for (const Entry& entry : load.entries()) {
        const int i = contacts.place(entry);
        const Expr e = time_formula(entry.value);
        good_ = good_ && i >= 0;
        if (i >= 0) load_[static_cast<std::size_t>(i)] = e;
      }
    } else {
      read_load_list(load);
    }
  }

  void read_load_list(const Field& load) {
    const std::vector<Field> items = load.items("a list of formulas of t");
    if (items.size() != load_.size()) {
      if (load.is_list()) {
        load.complain(
            fmt::format("expected {} formulas, one a coordinate; found {}", n_, items.size()));
      }
      good_ = false;
      return;
    }
    for (std::size_t i = 0; i < items.size(); ++i) load_[i] = time_formula(items[i]);
  }

  void build_dense(LinearContactReader& contacts) {
    std::vector<Expr> outputs = load_;
    outputs.insert(outputs.end(), contacts.outputs.begin(), contacts.outputs.end());
    dense_.time = time_functions(outputs, load_.size());
    dense_.rates = rates_of_rows(contacts);
    dense_.names = named_.q_names;
    for (LinearRows& rows : contacts.contacts) {
      LinearContact contact{std::move(rows.contact), to_vector(rows.normal, n_), {}};
      for (const SparseRow& row : rows.tangents) contact.tangents.push_back(to_vector(row, n_));
      dense_.contacts.push_back(std::move(contact));
    }
    named_.system = std::make_shared<LinearSystem>(std::move(dense_));
  }

  // Of the load what is constant is kept as numbers.
  void build_sparse(LinearContactReader& contacts) {
    SparseLinearData data;
    data.M = std::move(M_);
    data.C = std::move(C_);
    data.K = std::move(K_);
    data.f = Vector::Zero(n_);
    std::vector<Expr> outputs;
    for (int i = 0; i < n_; ++i) {
      const Expr e = load_[static_cast<std::size_t>(i)];
      if (vocabulary_.graph.is_constant(e)) {
        data.f[i] = vocabulary_.graph.constant_value(e);
      } else {
        data.loaded.push_back(i);
        outputs.push_back(e);
      }
    }
    outputs.insert(outputs.end(), contacts.outputs.begin(), contacts.outputs.end());
    data.time = time_functions(outputs, data.loaded.size());
    data.rates = rates_of_rows(contacts);
    data.names = named_.q_names;
    data.g0 = Vector::Zero(static_cast<int>(contacts.contacts.size()));
    ColumnEntries normals, tangents;
    for (LinearRows& rows : contacts.contacts) {
      normals.add(rows.normal);
      for (const SparseRow& row : rows.tangents) tangents.add(row);
      data.contacts.push_back(std::move(rows.contact));
    }
    data.G = normals.build(n_);
    data.T = tangents.build(n_);
    named_.system = std::make_shared<SparseLinearSystem>(std::move(data));
  }

  // The first `loads` of the outputs are of the load, the others of contacts.
  TimeFunctions time_functions(const std::vector<Expr>& outputs, std::size_t loads) {
    TimeFunctions time;
    const Expr inputs[] = {named_.t};
    time.tape = std::make_shared<formula::Tape>(vocabulary_.graph, inputs, outputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!vocabulary_.graph.depends_on(outputs[i], named_.t)) continue;
      time.constant = false;
      if (i >= loads) time.moving_contacts = true;
    }
    return time;
  }

  // Of dg0/dt and of the drives: the outputs of contacts, less g0 itself.
  TimeFunctions rates_of_rows(const LinearContactReader& contacts) {
    std::vector<Expr> rates;
    std::size_t i = 0;
    for (const LinearRows& rows : contacts.contacts) {
      ++i;
      for (int k = 0; k < rows.contact.dim(); ++k) {
        rates.push_back(vocabulary_.graph.derivative(contacts.outputs[i++], named_.t));
      }
    }
    const Expr inputs[] = {named_.t};
    TimeFunctions functions;
    functions.tape = std::make_shared<formula::Tape>(vocabulary_.graph, inputs, rates);
    return functions;
  }

  const Field& field_;
  Vocabulary& vocabulary_;
  formula::Names time_names_;
  NamedSystem named_;
  std::vector<std::string> node_names_;  // of a rod
  bool sparse_ = false;                  // matrices of files and large rods
  LinearSystemData dense_;
  SparseMatrix M_, C_, K_;
  std::vector<Expr> load_;  // by coordinate
  int n_ = 0;
  bool good_ = true;
};

}  // namespace

NamedSystem read_linear(const Field& field, Vocabulary& vocabulary) {
  return LinearReader(field, vocabulary).read();
}

}  // namespace clack
