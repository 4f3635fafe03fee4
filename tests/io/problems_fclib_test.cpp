// libfclib itself reads what Clack writes. It is loaded at run time, so that only this test needs
// it.
#include <dlfcn.h>

#include <cstdlib>
#include <functional>
#include <memory>

#include "problems_support.hpp"

#if __has_include(<fclib.h>)
extern "C" {
#include <fclib.h>
}

namespace clack::test {
namespace {

// libfclib's own structures. Version 3.1 frees what a problem points to, not the problem.
using Local = std::unique_ptr<fclib_local, std::function<void(fclib_local*)>>;
using Global = std::unique_ptr<fclib_global, std::function<void(fclib_global*)>>;
using Solution = std::unique_ptr<fclib_solution, std::function<void(fclib_solution*)>>;

class Fclib {
 public:
  Fclib() : library_(dlopen("libfclib.so.0", RTLD_NOW | RTLD_LOCAL)) {}
  bool loaded() const { return library_ != nullptr; }

  Local read_local(const std::string& path) const {
    auto* remove = get<decltype(fclib_delete_local)>("fclib_delete_local");
    return {get<decltype(fclib_read_local)>("fclib_read_local")(path.c_str()),
            [remove](fclib_local* problem) {
              remove(problem);
              std::free(problem);
            }};
  }
  Global read_global(const std::string& path) const {
    auto* remove = get<decltype(fclib_delete_global)>("fclib_delete_global");
    return {get<decltype(fclib_read_global)>("fclib_read_global")(path.c_str()),
            [remove](fclib_global* problem) {
              remove(problem);
              std::free(problem);
            }};
  }
  Solution read_solution(const std::string& path) const {
    auto* remove = get<decltype(fclib_delete_solutions)>("fclib_delete_solutions");
    return {get<decltype(fclib_read_solution)>("fclib_read_solution")(path.c_str()),
            [remove](fclib_solution* solution) { remove(solution, 1); }};
  }
  template <class Function>
  Function* get(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }

 private:
  void* library_;  // never closed: HDF5 does not like to be unloaded
};

#define LOAD_OR_SKIP(fclib) \
  const Fclib fclib;        \
  if (!fclib.loaded()) GTEST_SKIP() << "libfclib.so.0 is not installed"

void expect_matrix(const fclib_matrix* actual, const SparseMatrix& expected) {
  ASSERT_NE(actual, nullptr);
  ASSERT_EQ(actual->m, expected.rows());
  ASSERT_EQ(actual->n, expected.cols());
  ASSERT_EQ(actual->nz, -2);
  Matrix dense = Matrix::Zero(actual->m, actual->n);
  for (int i = 0; i < actual->m; ++i) {
    for (int k = actual->p[i]; k < actual->p[i + 1]; ++k) dense(i, actual->i[k]) = actual->x[k];
  }
  EXPECT_EQ(dense, Matrix(expected));
}

void expect_values(const double* actual, const Vector& expected) {
  ASSERT_NE(actual, nullptr);
  EXPECT_EQ(Vector(ConstVectorMap(actual, expected.size())), expected);
}

TEST(Fclib, ReadsALocalProblemAndItsSolution) {
  LOAD_OR_SKIP(fclib);
  const Folder directory;
  const std::string path = directory.file("x.hdf5");
  for (const int dim : {2, 3}) {
    const ProblemData problem = reduced_problem(1, coulomb_cones(dim));
    const ProblemSolution solution{2 * problem.u_free, 3 * problem.u_free, {}};
    write_problem(path, problem, &solution);
    const Local read = fclib.read_local(path);
    ASSERT_NE(read, nullptr);
    EXPECT_EQ(read->spacedim, dim);
    EXPECT_STREQ(read->info->title, "title");
    expect_matrix(read->W, problem.W.to_sparse());
    EXPECT_EQ(read->V, nullptr);
    expect_values(read->q, problem.u_free);
    expect_values(read->mu, Eigen::Vector3d(0.1, 0, 1.0 / 3));
    const Solution found = fclib.read_solution(path);
    ASSERT_NE(found, nullptr);
    expect_values(found->r, solution.r);
    expect_values(found->u, solution.u);
  }
}

TEST(Fclib, ReadsAGlobalProblemAndItsSolution) {
  LOAD_OR_SKIP(fclib);
  const Folder directory;
  const std::string path = directory.file("x.hdf5");
  const ProblemData problem = global_problem(1, coulomb_cones(3));
  const ProblemSolution solution{2 * problem.w, 3 * problem.w, 4 * problem.f};
  write_problem(path, problem, &solution);
  const Global read = fclib.read_global(path);
  ASSERT_NE(read, nullptr);
  expect_matrix(read->M, problem.M);
  expect_matrix(read->H, problem.H);
  EXPECT_EQ(read->G, nullptr);
  expect_values(read->f, problem.f);
  expect_values(read->w, problem.w);
  const Solution found = fclib.read_solution(path);
  ASSERT_NE(found, nullptr);
  expect_values(found->r, solution.r);
  expect_values(found->u, solution.u);
  expect_values(found->v, solution.v);
}

TEST(Fclib, ReadsEqualityConstraints) {
  LOAD_OR_SKIP(fclib);
  const Folder directory;
  const std::string path = directory.file("x.hdf5");
  const std::vector<Cone> cones{Cone::coulomb(3, 0.5), Cone::free(1), Cone::free(1)};
  const ProblemData local = reduced_problem(1, cones, true);
  write_problem(path, local);
  const Local read = fclib.read_local(path);
  ASSERT_NE(read, nullptr);
  const SparseMatrix W = local.W.to_sparse();
  expect_matrix(read->W, W.block(0, 0, 3, 3));
  expect_matrix(read->V, W.block(0, 3, 3, 2));
  expect_matrix(read->R, W.block(3, 3, 2, 2));
  expect_values(read->s, local.u_free.tail(2));

  const ProblemData global = global_problem(1, cones);
  write_problem(path, global);
  const Global whole = fclib.read_global(path);
  ASSERT_NE(whole, nullptr);
  expect_matrix(whole->G, global.H.rightCols(2));
  expect_values(whole->b, global.w.tail(2));
}

TEST(Fclib, WritesWhatClackReads) {
  LOAD_OR_SKIP(fclib);
  const Folder directory;
  const std::string path = directory.file("x.hdf5");
  // [4 1; 2 3] in each of FCLIB's three storages; triplets have rows in i and columns in p.
  int p_triplet[] = {0, 1, 0, 1};
  int i_triplet[] = {0, 0, 1, 1};
  double x_rows[] = {4, 1, 2, 3};
  int pointer[] = {0, 2, 4};
  int index[] = {0, 1, 0, 1};
  double x_columns[] = {4, 2, 1, 3};
  fclib_matrix storages[] = {{4, 2, 2, p_triplet, i_triplet, x_rows, 4, nullptr},
                             {4, 2, 2, pointer, index, x_columns, -1, nullptr},
                             {4, 2, 2, pointer, index, x_rows, -2, nullptr}};
  double mu[] = {0.25};
  double q[] = {-1, 0.5};
  for (fclib_matrix& W : storages) {
    std::filesystem::remove(path);
    fclib_local local{&W, nullptr, nullptr, mu, q, nullptr, 2, nullptr};
    ASSERT_EQ(fclib.get<decltype(fclib_write_local)>("fclib_write_local")(&local, path.c_str()), 1);
    const ProblemData problem = read_problem(path);
    EXPECT_EQ(Matrix(problem.W.to_sparse()), (Matrix{{4, 1}, {2, 3}})) << W.nz;
    EXPECT_EQ(problem.u_free, Eigen::Vector2d(-1, 0.5));
    EXPECT_EQ(problem.cones.at(0).mu(), 0.25);
  }
}

}  // namespace
}  // namespace clack::test

#endif
