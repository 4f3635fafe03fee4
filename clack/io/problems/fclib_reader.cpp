#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "clack/io/problems/fclib_file.hpp"
#include "clack/io/problems/fclib_layout.hpp"
#include "clack/io/results/hdf5_handle.hpp"

namespace clack {
namespace {

constexpr std::int64_t kMostRows = std::numeric_limits<int>::max();
// Deflate, the strongest filter in use, cannot do better than 1032 : 1; a larger claim is a lie.
constexpr double kMostCompression = 1100;

// Reads the datasets of one file by their full name.
class Reader {
 public:
  Reader(hid_t file, std::string path) : file_(file), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& name, const std::string& message) const {
    throw InputError(fmt::format("{}:{}: {}", path_, name, message));
  }

  bool has(const std::string& name) const {
    std::size_t slash = 0;  // HDF5 wants to be asked for each group on the way
    while ((slash = name.find('/', slash + 1)) != std::string::npos) {
      if (H5Lexists(file_, name.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
    }
    return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0;
  }

  // Values of any integer type, each in [lowest, highest].
  std::vector<int> integers(const std::string& name, std::int64_t lowest,
                            std::int64_t highest) const;
  int integer(const std::string& name, std::int64_t lowest, std::int64_t highest) const;
  // Finite values; of a given number if size >= 0.
  Vector reals(const std::string& name, std::int64_t size = -1) const;
  std::int64_t length(const std::string& name) const { return open(name).length; }
  // A text, empty where there is none.
  std::string text(const std::string& name) const;

 private:
  struct Dataset {
    Hdf5Handle id;
    Hdf5Handle type;
    std::int64_t length = 0;
  };
  Dataset open(const std::string& name) const;
  void require_stored(const Dataset& dataset, const std::string& name, std::size_t size) const;

  hid_t file_;
  std::string path_;
};

Reader::Dataset Reader::open(const std::string& name) const {
  if (!has(name)) fail(name, "there is no such dataset; is it a complete FCLIB file?");
  const hid_t id = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
  if (id < 0) fail(name, "cannot be opened as a dataset");
  Dataset dataset{Hdf5Handle(id, H5Dclose, name), {}, 0};
  dataset.type = Hdf5Handle(H5Dget_type(dataset.id), H5Tclose, name);
  const Hdf5Handle space(H5Dget_space(dataset.id), H5Sclose, name);
  const int rank = H5Sget_simple_extent_ndims(space);
  const hssize_t points = H5Sget_simple_extent_npoints(space);
  if (rank < 0 || rank > 1 || points < 0) {
    fail(name, fmt::format("has rank {}; a vector or a single value is expected", rank));
  }
  dataset.length = points;
  return dataset;
}

// A few bytes of a damaged or malicious file can claim any length.
void Reader::require_stored(const Dataset& dataset, const std::string& name,
                            std::size_t size) const {
  const Hdf5Handle created(H5Dget_create_plist(dataset.id), H5Pclose, name);
  const double stored = static_cast<double>(H5Dget_storage_size(dataset.id));
  const double allowed = stored * (H5Pget_layout(created) == H5D_CHUNKED ? kMostCompression : 1.0);
  const double claimed = static_cast<double>(dataset.length) * static_cast<double>(size);
  if (claimed <= allowed) return;
  fail(name, fmt::format("claims {} values, but the file stores {} bytes for them", dataset.length,
                         stored));
}

std::vector<int> Reader::integers(const std::string& name, std::int64_t lowest,
                                  std::int64_t highest) const {
  const Dataset dataset = open(name);
  if (H5Tget_class(dataset.type) != H5T_INTEGER) fail(name, "is not of an integer type");
  require_stored(dataset, name, H5Tget_size(dataset.type));
  std::vector<std::int64_t> wide(static_cast<std::size_t>(dataset.length));
  if (!wide.empty()) {
    hdf5_check(H5Dread(dataset.id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, wide.data()),
               "cannot read " + name);
  }
  std::vector<int> values;
  values.reserve(wide.size());
  for (const std::int64_t value : wide) {
    if (value < lowest || value > std::min(highest, kMostRows)) {
      fail(name, fmt::format("has the value {}; allowed here is {} to {}", value, lowest, highest));
    }
    values.push_back(static_cast<int>(value));
  }
  return values;
}

int Reader::integer(const std::string& name, std::int64_t lowest, std::int64_t highest) const {
  const std::vector<int> values = integers(name, lowest, highest);
  if (values.size() != 1) {
    fail(name, fmt::format("has {} values; one is expected", values.size()));
  }
  return values.front();
}

Vector Reader::reals(const std::string& name, std::int64_t size) const {
  const Dataset dataset = open(name);
  const H5T_class_t type = H5Tget_class(dataset.type);
  if (type != H5T_FLOAT && type != H5T_INTEGER) fail(name, "is not of a real type");
  if (size >= 0 && dataset.length != size) {
    fail(name, fmt::format("has {} values; {} are needed", dataset.length, size));
  }
  require_stored(dataset, name, H5Tget_size(dataset.type));
  Vector values(dataset.length);
  if (values.size() > 0) {
    hdf5_check(H5Dread(dataset.id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
               "cannot read " + name);
  }
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    fail(name, fmt::format("entry {} is {}; only finite numbers are allowed", i, values[i]));
  }
  return values;
}

std::string Reader::text(const std::string& name) const {
  if (!has(name)) return {};
  const Dataset dataset = open(name);
  if (H5Tget_class(dataset.type) != H5T_STRING || dataset.length != 1) return {};
  if (H5Tis_variable_str(dataset.type) > 0) {
    char* words = nullptr;
    hdf5_check(H5Dread(dataset.id, dataset.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &words), name);
    std::string value = words == nullptr ? "" : words;
    H5free_memory(words);
    return value;
  }
  require_stored(dataset, name, H5Tget_size(dataset.type));
  std::string value(H5Tget_size(dataset.type), '\0');
  hdf5_check(H5Dread(dataset.id, dataset.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()), name);
  return value.substr(0, value.find('\0'));
}

// Row pointer (or column pointer) p of `outer` + 1 values, indices i: appends the triplets.
void append_compressed(const Reader& reader, const std::string& group, int outer, int inner,
                       bool by_rows, std::vector<Triplet>& triplets) {
  const std::vector<int> index = reader.integers(group + "/i", 0, inner - 1);
  const auto entries = static_cast<std::int64_t>(index.size());
  const std::vector<int> pointer = reader.integers(group + "/p", 0, entries);
  if (pointer.size() != static_cast<std::size_t>(outer) + 1) {
    reader.fail(group + "/p", fmt::format("has {} values; {} are needed", pointer.size(),
                                          std::int64_t{outer} + 1));
  }
  if (pointer.front() != 0 || !std::ranges::is_sorted(pointer)) {
    reader.fail(group + "/p", "must start with 0 and never decrease");
  }
  const Vector value = reader.reals(group + "/x", entries);
  triplets.reserve(static_cast<std::size_t>(pointer.back()));
  for (int k = 0; k < outer; ++k) {
    const auto row = static_cast<std::size_t>(k);
    for (int e = pointer[row]; e < pointer[row + 1]; ++e) {
      const int i = index[static_cast<std::size_t>(e)];
      triplets.emplace_back(by_rows ? k : i, by_rows ? i : k, value[e]);
    }
  }
}

// Rows are in i and columns in p, as CSparse has it and as all files do; the comment in fclib.h
// says the opposite.
void append_triplets(const Reader& reader, const std::string& group, int rows, int cols, int count,
                     std::vector<Triplet>& triplets) {
  const std::vector<int> row = reader.integers(group + "/i", 0, rows - 1);
  const std::vector<int> col = reader.integers(group + "/p", 0, cols - 1);
  const auto entries = static_cast<std::size_t>(count);
  if (row.size() < entries) {
    reader.fail(group + "/i", fmt::format("has {} values; {} are needed", row.size(), count));
  }
  if (col.size() < entries) {
    reader.fail(group + "/p", fmt::format("has {} values; {} are needed", col.size(), count));
  }
  const Vector value = reader.reals(group + "/x");
  if (value.size() < count) {
    reader.fail(group + "/x", fmt::format("has {} values; {} are needed", value.size(), count));
  }
  triplets.reserve(entries);
  for (std::size_t e = 0; e < entries; ++e) {
    triplets.emplace_back(row[e], col[e], value[static_cast<Eigen::Index>(e)]);
  }
}

// `rows` and `cols` are known from the vectors, so that no size is taken on trust.
SparseMatrix read_matrix(const Reader& reader, const std::string& group, std::int64_t rows,
                         std::int64_t cols) {
  const int m = reader.integer(group + "/m", rows, rows);
  const int n = reader.integer(group + "/n", cols, cols);
  const int kind = reader.integer(group + "/nz", -2, kMostRows);
  std::vector<Triplet> triplets;
  if (kind == -2) append_compressed(reader, group, m, n, true, triplets);
  if (kind == -1) append_compressed(reader, group, n, m, false, triplets);
  if (kind >= 0) append_triplets(reader, group, m, n, kind, triplets);
  SparseMatrix matrix(m, n);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

Vector read_coefficients(const Reader& reader, const std::string& name, std::int64_t contacts) {
  Vector values = reader.reals(name, contacts);
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (values[i] < 0) {
      reader.fail(name, fmt::format("entry {} is {}; it must be >= 0", i, values[i]));
    }
  }
  return values;
}

std::vector<Cone> read_uniform_cones(const Reader& reader, const std::string& group, int spacedim,
                                     std::int64_t rows) {
  if (rows % spacedim != 0) {
    reader.fail(group + "/spacedim",
                fmt::format("is {}, which does not divide the {} rows", spacedim, rows));
  }
  const std::int64_t contacts = rows / spacedim;
  const Vector mu = read_coefficients(reader, group + "/vectors/mu", contacts);
  const Vector mu_r = spacedim == 5 ? read_coefficients(reader, group + "/vectors/mu_r", contacts)
                                    : Vector(Vector::Zero(contacts));
  std::vector<Cone> cones;
  cones.reserve(static_cast<std::size_t>(contacts));
  for (Eigen::Index i = 0; i < contacts; ++i) {
    cones.push_back(make_contact_cone(spacedim, mu[i], mu_r[i]));
  }
  return cones;
}

// Every disc of every cone, as the writer puts cones that mu and mu_r do not describe.
std::vector<Cone> read_disc_cones(const Reader& reader, const std::string& group,
                                  const std::vector<int>& dim, const std::vector<int>& is_free) {
  const auto count = static_cast<std::int64_t>(dim.size()) * Cone::kMaxDiscs;
  const std::string name = group + "/cones/disc_dim";
  const std::vector<int> disc_dim = reader.integers(name, 0, Cone::kMaxDiscDim);
  if (static_cast<std::int64_t>(disc_dim.size()) != count) {
    reader.fail(name, fmt::format("has {} values; {} are needed", disc_dim.size(), count));
  }
  const Vector radius = read_coefficients(reader, group + "/cones/radius", count);
  std::vector<Cone> cones;
  cones.reserve(dim.size());
  for (std::size_t k = 0; k < dim.size(); ++k) {
    std::vector<Cone::DiscShape> shapes;
    int rows = 1;
    for (std::size_t i = k * Cone::kMaxDiscs; i < (k + 1) * Cone::kMaxDiscs; ++i) {
      if (disc_dim[i] == 0) break;
      shapes.push_back({disc_dim[i], radius[static_cast<Eigen::Index>(i)]});
      rows += disc_dim[i];
    }
    if (is_free[k] == 0 && rows != dim[k]) {
      reader.fail(name, fmt::format("gives cone {} {} rows with the normal; cones/dim says {}", k,
                                    rows, dim[k]));
    }
    cones.push_back(is_free[k] == 1 ? Cone::free(dim[k]) : Cone::discs(shapes));
  }
  return cones;
}

std::vector<Cone> read_mixed_cones(const Reader& reader, const std::string& group) {
  const std::vector<int> dim = reader.integers(group + "/cones/dim", 1, Cone::kMaxDim);
  const std::vector<int> is_free = reader.integers(group + "/cones/free", 0, 1);
  const auto count = static_cast<std::int64_t>(dim.size());
  if (is_free.size() != dim.size()) {
    reader.fail(group + "/cones/free",
                fmt::format("has {} values; {} are needed", is_free.size(), count));
  }
  if (reader.has(group + "/cones/disc_dim")) return read_disc_cones(reader, group, dim, is_free);
  const Vector mu = read_coefficients(reader, group + "/cones/mu", count);
  const Vector mu_r = read_coefficients(reader, group + "/cones/mu_r", count);
  std::vector<Cone> cones;
  cones.reserve(dim.size());
  for (std::size_t k = 0; k < dim.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    if (is_free[k] == 0 && (dim[k] == 4 || dim[k] == 6)) {
      reader.fail(group + "/cones/dim",
                  fmt::format("entry {} is {}; a contact has 1, 2, 3 or 5", k, dim[k]));
    }
    cones.push_back(is_free[k] == 1 ? Cone::free(dim[k])
                                    : make_contact_cone(dim[k], mu[i], mu_r[i]));
  }
  return cones;
}

std::int64_t count_rows(const std::vector<Cone>& cones) {
  std::int64_t rows = 0;
  for (const Cone& cone : cones) rows += cone.dim();
  return rows;
}

void append_equalities(std::vector<Cone>& cones, std::int64_t count) {
  cones.insert(cones.end(), static_cast<std::size_t>(count), Cone::free(1));
}

void append_block(const SparseMatrix& matrix, Eigen::Index row, Eigen::Index col,
                  std::vector<Triplet>& triplets) {
  for (int j = 0; j < matrix.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry) {
      triplets.emplace_back(static_cast<int>(row + entry.row()), static_cast<int>(col + j),
                            entry.value());
    }
  }
}

Vector join(const Vector& a, const Vector& b) {
  Vector both(a.size() + b.size());
  both.head(a.size()) = a;
  both.tail(b.size()) = b;
  return both;
}

SparseMatrix assemble(Eigen::Index rows, Eigen::Index cols, const std::vector<Triplet>& triplets) {
  SparseMatrix matrix(rows, cols);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

// u = W r + V lambda + q,  0 = V' r + R lambda + s
ProblemData read_local(const Reader& reader, const std::string& group, std::vector<Cone> cones,
                       Vector q) {
  const Eigen::Index rows = q.size();
  const SparseMatrix W = read_matrix(reader, group + "/W", rows, rows);
  if (!reader.has(group + "/R")) {
    return make_reduced_problem(std::move(cones), W, std::move(q));
  }
  const Vector s = reader.reals(group + "/vectors/s");
  const SparseMatrix V = read_matrix(reader, group + "/V", rows, s.size());
  const SparseMatrix R = read_matrix(reader, group + "/R", s.size(), s.size());
  std::vector<Triplet> triplets;
  append_block(W, 0, 0, triplets);
  append_block(V, 0, rows, triplets);
  append_block(V.transpose(), rows, 0, triplets);
  append_block(R, rows, rows, triplets);
  append_equalities(cones, s.size());
  Vector u_free = join(q, s);
  const SparseMatrix whole = assemble(u_free.size(), u_free.size(), triplets);
  return make_reduced_problem(std::move(cones), whole, std::move(u_free));
}

// M v = H r + G lambda + f,  u = H' v + w,  0 = G' v + b
ProblemData read_global(const Reader& reader, const std::string& group, std::vector<Cone> cones,
                        Vector w) {
  Vector f = reader.reals(group + "/vectors/f");
  SparseMatrix M = read_matrix(reader, group + "/M", f.size(), f.size());
  SparseMatrix H = read_matrix(reader, group + "/H", f.size(), w.size());
  if (reader.has(group + "/G")) {
    const Vector b = reader.reals(group + "/vectors/b");
    const SparseMatrix G = read_matrix(reader, group + "/G", f.size(), b.size());
    std::vector<Triplet> triplets;
    append_block(H, 0, 0, triplets);
    append_block(G, 0, w.size(), triplets);
    append_equalities(cones, b.size());
    w = join(w, b);
    H = assemble(f.size(), w.size(), triplets);
  }
  return make_global_problem(std::move(cones), std::move(M), std::move(H), std::move(f),
                             std::move(w));
}

FclibLayout find_layout(const Reader& reader) {
  for (const ProblemForm form : {ProblemForm::reduced, ProblemForm::global}) {
    for (const int spacedim : {3, 5, 0}) {
      FclibLayout layout{form, spacedim, 0, 0};
      if (reader.has(layout.group())) return layout;
    }
  }
  reader.fail("/",
              "has none of the groups fclib_local, fclib_global, fclib_local_rolling, "
              "fclib_global_rolling, clack_local and clack_global");
}

ProblemData read_any(const Reader& reader) {
  const FclibLayout layout = find_layout(reader);
  const std::string group = layout.group();
  const bool local = layout.form == ProblemForm::reduced;
  Vector offset_term = reader.reals(group + (local ? "/vectors/q" : "/vectors/w"));
  std::vector<Cone> cones;
  if (layout.mixed()) {
    cones = read_mixed_cones(reader, group);
    if (count_rows(cones) != offset_term.size()) {
      reader.fail(group + "/cones/dim", fmt::format("adds up to {} rows; {} are needed",
                                                    count_rows(cones), offset_term.size()));
    }
  } else {
    const int spacedim =
        reader.integer(group + "/spacedim", layout.rolling() ? 5 : 1, layout.rolling() ? 5 : 3);
    cones = read_uniform_cones(reader, group, spacedim, offset_term.size());
  }
  ProblemData problem = local
                            ? read_local(reader, group, std::move(cones), std::move(offset_term))
                            : read_global(reader, group, std::move(cones), std::move(offset_term));
  problem.title = reader.text(group + "/info/title");
  problem.description = reader.text(group + "/info/description");
  problem.math_info = reader.text(group + "/info/math_info");
  return problem;
}

// The equalities' multipliers have a dataset of their own, their velocity is zero.
std::optional<ProblemSolution> read_any_solution(const Reader& reader, const ProblemData& problem) {
  if (!reader.has("/solution/r") || !reader.has("/solution/u")) return std::nullopt;
  const int equalities = find_layout(reader).mixed() ? 0 : choose_layout(problem).equalities;
  const int rows = problem.dimension() - equalities;
  ProblemSolution solution{
      Vector::Zero(problem.dimension()), Vector::Zero(problem.dimension()), {}};
  solution.r.head(rows) = reader.reals("/solution/r", rows);
  solution.u.head(rows) = reader.reals("/solution/u", rows);
  if (equalities > 0 && reader.has("/solution/l")) {
    solution.r.tail(equalities) = reader.reals("/solution/l", equalities);
  }
  if (problem.form == ProblemForm::global && reader.has("/solution/v")) {
    solution.v = reader.reals("/solution/v", problem.dof());
  }
  return solution;
}

// The file is there and readable: whatever HDF5 dislikes in it is bad input.
template <class Read>
auto read_with(const std::string& path, const Read& read) {
  const Hdf5Quiet quiet;
  try {
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path);
    hdf5_check(H5Pset_file_locking(access, false, true), path);
    const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose,
                          path + ": damaged or truncated HDF5 file");
    return read(Reader(file, path));
  } catch (const IoError& error) {
    throw InputError(error.what());
  }
}

}  // namespace

bool is_hdf5_file(const std::string& path) {
  const Hdf5Quiet quiet;
  return H5Fis_hdf5(path.c_str()) > 0;
}

ProblemData read_fclib(const std::string& path) { return read_with(path, read_any); }

std::optional<ProblemSolution> read_fclib_solution(const std::string& path,
                                                   const ProblemData& problem) {
  return read_with(path, [&](const Reader& reader) { return read_any_solution(reader, problem); });
}

}  // namespace clack
