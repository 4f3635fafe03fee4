#include <algorithm>
#include <cstdint>
#include <vector>

#include "clack/io/problems/fclib_file.hpp"
#include "clack/io/problems/fclib_layout.hpp"
#include "clack/io/results/hdf5_handle.hpp"

namespace clack {
namespace {

class Writer {
 public:
  Writer(hid_t file, const std::string& path) : file_(file), path_(path) {}

  void group(const std::string& name) const {
    Hdf5Handle(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
               what(name));
  }
  void reals(const std::string& name, const double* values, Eigen::Index size) const {
    write(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, size);
  }
  void reals(const std::string& name, const Vector& values) const {
    reals(name, values.data(), values.size());
  }
  void integers(const std::string& name, const std::vector<int>& values) const {
    write(name, H5T_STD_I32LE, H5T_NATIVE_INT, values.data(),
          static_cast<Eigen::Index>(values.size()));
  }
  void integer(const std::string& name, int value) const { integers(name, {value}); }
  void text(const std::string& name, const std::string& value) const;

 private:
  std::string what(const std::string& name) const { return "cannot write " + path_ + ":" + name; }
  void write(const std::string& name, hid_t stored, hid_t native, const void* values,
             Eigen::Index size) const;

  hid_t file_;
  const std::string& path_;
};

void Writer::write(const std::string& name, hid_t stored, hid_t native, const void* values,
                   Eigen::Index size) const {
  const auto dim = static_cast<hsize_t>(size);
  const Hdf5Handle space(H5Screate_simple(1, &dim, nullptr), H5Sclose, what(name));
  const Hdf5Handle dataset(
      H5Dcreate2(file_, name.c_str(), stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose, what(name));
  if (size == 0) return;
  hdf5_check(H5Dwrite(dataset, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), what(name));
}

// A scalar of fixed length with its zero, as H5LTmake_dataset_string makes it.
void Writer::text(const std::string& name, const std::string& value) const {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, what(name));
  hdf5_check(H5Tset_size(type, value.size() + 1), what(name));
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, what(name));
  const Hdf5Handle dataset(
      H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose,
      what(name));
  hdf5_check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str()), what(name));
}

// As compressed rows, FCLIB's usual choice.
void write_matrix(const Writer& writer, const std::string& name, const SparseMatrix& matrix) {
  const Eigen::SparseMatrix<double, Eigen::RowMajor> rows(matrix);
  const auto count = static_cast<std::size_t>(rows.nonZeros());
  writer.group(name);
  writer.integer(name + "/nzmax", static_cast<int>(count));
  writer.integer(name + "/m", static_cast<int>(rows.rows()));
  writer.integer(name + "/n", static_cast<int>(rows.cols()));
  writer.integer(name + "/nz", -2);
  const int* pointer = rows.outerIndexPtr();
  writer.integers(name + "/p", {pointer, pointer + rows.outerSize() + 1});
  writer.integers(name + "/i", {rows.innerIndexPtr(), rows.innerIndexPtr() + count});
  writer.reals(name + "/x", rows.valuePtr(), rows.nonZeros());
}

// Cones that mu and mu_r do not describe: every disc of every cone.
void write_discs(const Writer& writer, const std::string& group, const ProblemData& problem) {
  std::vector<int> dim;
  std::vector<double> radius;
  for (const Cone& cone : problem.cones) {
    for (int i = 0; i < Cone::kMaxDiscs; ++i) {
      dim.push_back(i < cone.disc_count() ? cone.disc(i).dim : 0);
      radius.push_back(i < cone.disc_count() ? cone.disc(i).radius : 0.0);
    }
  }
  writer.integers(group + "/cones/disc_dim", dim);
  writer.reals(group + "/cones/radius", radius.data(), static_cast<Eigen::Index>(radius.size()));
}

void write_cones(const Writer& writer, const std::string& group, const ProblemData& problem,
                 const FclibLayout& layout) {
  const Eigen::Index count = layout.contacts;
  Vector mu(count);
  Vector mu_r = Vector::Zero(count);
  std::vector<int> dim;
  std::vector<int> is_free;
  for (Eigen::Index i = 0; i < count; ++i) {
    const Cone& cone = problem.cones[static_cast<std::size_t>(i)];
    mu[i] = cone.mu();
    if (cone.disc_count() > 1) mu_r[i] = cone.disc(1).radius;
    dim.push_back(cone.dim());
    is_free.push_back(cone.is_free() ? 1 : 0);
  }
  if (!layout.mixed()) {
    writer.integer(group + "/spacedim", layout.spacedim);
    writer.reals(group + "/vectors/mu", mu);
    if (layout.rolling()) writer.reals(group + "/vectors/mu_r", mu_r);
    return;
  }
  writer.group(group + "/cones");
  writer.integers(group + "/cones/dim", dim);
  writer.integers(group + "/cones/free", is_free);
  const bool plain = std::ranges::all_of(
      problem.cones, [](const Cone& cone) { return cone.is_free() || is_contact_cone(cone); });
  if (!plain) {
    write_discs(writer, group, problem);
    return;
  }
  writer.reals(group + "/cones/mu", mu);
  writer.reals(group + "/cones/mu_r", mu_r);
}

void write_local(const Writer& writer, const std::string& group, const ProblemData& problem,
                 int equalities) {
  const int rows = problem.dimension() - equalities;
  const SparseMatrix whole = problem.W.to_sparse();
  write_matrix(writer, group + "/W", whole.block(0, 0, rows, rows));
  writer.reals(group + "/vectors/q", problem.u_free.head(rows));
  if (equalities == 0) return;
  write_matrix(writer, group + "/V", whole.block(0, rows, rows, equalities));
  write_matrix(writer, group + "/R", whole.block(rows, rows, equalities, equalities));
  writer.reals(group + "/vectors/s", problem.u_free.tail(equalities));
}

void write_global(const Writer& writer, const std::string& group, const ProblemData& problem,
                  int equalities) {
  const int rows = problem.dimension() - equalities;
  write_matrix(writer, group + "/M", problem.M);
  write_matrix(writer, group + "/H", problem.H.leftCols(rows));
  writer.reals(group + "/vectors/f", problem.f);
  writer.reals(group + "/vectors/w", problem.w.head(rows));
  if (equalities == 0) return;
  write_matrix(writer, group + "/G", problem.H.rightCols(equalities));
  writer.reals(group + "/vectors/b", problem.w.tail(equalities));
}

void write_solution(const Writer& writer, const ProblemData& problem,
                    const ProblemSolution& solution, int equalities) {
  const int rows = problem.dimension() - equalities;
  writer.group("/solution");
  if (problem.form == ProblemForm::global) writer.reals("/solution/v", solution.v);
  writer.reals("/solution/u", solution.u.head(rows));
  writer.reals("/solution/r", solution.r.head(rows));
  if (equalities > 0) writer.reals("/solution/l", solution.r.tail(equalities));
}

}  // namespace

void write_fclib(const std::string& path, const ProblemData& problem,
                 const ProblemSolution* solution) {
  const Hdf5Quiet quiet;
  const FclibLayout layout = choose_layout(problem);
  const std::string group = layout.group();
  Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose,
                  "cannot write " + path);
  const Writer writer(file, path);
  writer.group(group);
  writer.group(group + "/vectors");
  writer.group(group + "/info");
  writer.text(group + "/info/title", problem.title);
  writer.text(group + "/info/description", problem.description);
  writer.text(group + "/info/math_info", problem.math_info);
  write_cones(writer, group, problem, layout);
  if (problem.form == ProblemForm::reduced) {
    write_local(writer, group, problem, layout.equalities);
  } else {
    write_global(writer, group, problem, layout.equalities);
  }
  if (solution != nullptr) write_solution(writer, problem, *solution, layout.equalities);
  file.close("cannot write " + path);
}

}  // namespace clack
