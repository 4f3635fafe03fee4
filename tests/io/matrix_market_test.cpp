// Matrix Market files and the linear systems of scenes that name them.
#include "clack/io/tables/matrix_market.hpp"

#include <gtest/gtest.h>

#include <string>

#include "clack/core/error.hpp"
#include "clack/io/scene/scene.hpp"
#include "tests/folder.hpp"

namespace clack {
namespace {

constexpr const char* kGeneral = "%%MatrixMarket matrix coordinate real general\n";
constexpr const char* kSymmetric = "%%MatrixMarket matrix coordinate real symmetric\n";

SparseMatrix read(const std::string& text) {
  const test::Folder folder;
  return read_matrix_market(folder.write("A.mtx", text));
}

std::string complaint(const std::string& text) {
  const test::Folder folder;
  const std::string path = folder.write("A.mtx", text);
  try {
    read_matrix_market(path);
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find(path + ":"), 0u) << message;
    return message.substr(path.size() + 1);
  }
  return "";
}

TEST(MatrixMarket, HasTheEntriesOfItsLines) {
  const SparseMatrix A =
      read(std::string(kGeneral) + "% a comment\n\n 2 3 3\n1 1 1.5\n2 3 -2e-3\r\n1\t2 +4\n");
  Matrix expected(2, 3);
  expected << 1.5, 4, 0, 0, 0, -2e-3;
  EXPECT_EQ(Matrix(A), expected);
}

TEST(MatrixMarket, MirrorsOneTriangle) {
  Matrix expected(2, 2);
  expected << 1, 2, 2, 0;
  EXPECT_EQ(Matrix(read(std::string(kSymmetric) + "2 2 2\n1 1 1\n2 1 2\n")), expected);
  EXPECT_EQ(Matrix(read(std::string(kSymmetric) + "2 2 2\n1 1 1\n1 2 2\n")), expected);
}

TEST(MatrixMarket, ReadsWholeColumns) {
  Matrix expected(2, 2);
  expected << 1, 3, 2, 4;
  EXPECT_EQ(Matrix(read("%%MatrixMarket MATRIX array integer general\n2 2\n1\n2\n3\n4\n")),
            expected);
}

TEST(MatrixMarket, SaysWhatIsWrongWithLineAndValue) {
  const auto general = [](const char* lines) { return complaint(std::string(kGeneral) + lines); };
  EXPECT_EQ(complaint(""), "1: is empty; a Matrix Market file starts with %%MatrixMarket");
  EXPECT_NE(complaint("1 2 3\n").find("1: expected '%%MatrixMarket"), std::string::npos);
  EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate complex general\n"),
            "1: 'complex' is not read; allowed: real, integer");
  EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate real skew-symmetric\n"),
            "1: 'skew-symmetric' is not read; allowed: general, symmetric");
  EXPECT_EQ(general("% nothing\n"), "2: ends before the size of the matrix");
  EXPECT_EQ(general("2 2\n"), "2: expected the size, 'rows columns entries'; found 2 words");
  EXPECT_EQ(general("2 -2 1\n"), "2: -2 columns; it must be a whole number from 1 to 1e+07");
  EXPECT_EQ(general("2 2 5\n"), "2: 5 entries; it must be a whole number from 0 to 4");
  EXPECT_EQ(general("2 2 1\n3 1 1\n"),
            "3: row 3 does not exist; the matrix is 2 x 2, counted from 1");
  EXPECT_EQ(general("2 2 1\n1 0 1\n"),
            "3: column 0 does not exist; the matrix is 2 x 2, counted from 1");
  EXPECT_EQ(general("2 2 1\n1 1 one\n"), "3: 'one' is no number");
  EXPECT_EQ(general("2 2 1\n1 1 nan\n"), "3: the value of (1, 1) is nan; it must be finite");
  EXPECT_EQ(general("2 2 1\n1 1\n"), "3: expected an entry, 'row column value'; found 2 words");
  EXPECT_EQ(general("2 2 2\n1 1 1\n"), "3: the matrix says 2 entries and has 1");
  EXPECT_EQ(general("2 2 1\n1 1 1\n2 2 1\n"),
            "4: has another entry; the matrix says that it has 1");
  EXPECT_EQ(general("2 2 2\n1 2 1\n1 2 1\n"),
            "4: the entry (1, 2) is given twice, first in line 3");
  EXPECT_EQ(
      complaint(std::string(kSymmetric) + "2 2 2\n1 2 1\n2 1 1\n"),
      "4: the entry (2, 1) is given twice, first in line 3; of a symmetric matrix one triangle");
  EXPECT_EQ(complaint(std::string(kSymmetric) + "2 3 1\n"),
            "2: is 2 x 3; a symmetric matrix is square");
  EXPECT_THROW(read_matrix_market("/nowhere/A.mtx"), IoError);
}

TEST(MatrixMarket, IsAlsoReadFromNumbers) {
  Table table{{}, 3, {2, 3, 1, 2, 3, 5}};
  EXPECT_EQ(to_sparse_matrix(table, "M").coeff(1, 2), 5);
  table.values[3] = 4;
  EXPECT_THROW(to_sparse_matrix(table, "M"), InputError);
}

// Three masses of 2 kg on springs, two of which stand before stops.
class LinearFiles : public testing::Test {
 protected:
  LinearFiles() {
    folder.write("M.mtx", std::string(kSymmetric) + "3 3 3\n1 1 2\n2 2 2\n3 3 2\n");
    folder.write("K.mtx", std::string(kSymmetric) + "3 3 5\n1 1 8\n2 2 8\n3 3 8\n2 1 -4\n3 2 -4\n");
    folder.write("G.mtx", std::string(kGeneral) + "2 3 2\n1 1 1\n2 3 -1\n");
    folder.write("g0.mtx", "%%MatrixMarket matrix array real general\n2 1\n0.5\n0.25\n");
  }

  Scene load(const std::string& rest,
             const std::string& matrices = "  M: {file: M.mtx}\n  K: {file: K.mtx}\n") {
    return load_scene(folder.write("scene.yaml", "clack: 1\nsystem:\n  type: linear\n" + matrices +
                                                     rest + "simulation: {step: 0.01, end: 1}\n"));
  }
  std::string complaint(const std::string& rest,
                        const std::string& matrices = "  M: {file: M.mtx}\n  K: {file: K.mtx}\n") {
    try {
      load(rest, matrices);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  test::Folder folder;
};

TEST_F(LinearFiles, MakeASystemWithOneContactPerRow) {
  const Scene scene = load(
      "  f: {q2: 3*t, q3: 1}\n"
      "  contacts: [{name: stop, G: {file: G.mtx}, g0: {file: g0.mtx}, e_n: 0.5}]\n");
  const System& system = *scene.system;
  ASSERT_TRUE(system.is_sparse());
  ASSERT_EQ(system.contacts().size(), 2u);
  EXPECT_EQ(system.contacts()[1].name, "stop 2");
  EXPECT_EQ(system.contacts()[1].law.e_n, 0.5);
  EXPECT_EQ(system.coordinate_name(2), "q3");
  const Vector q = Vector::LinSpaced(3, 1, 3), v = Vector::Zero(3);
  Vector gap(2);
  system.gaps(0, q, gap);
  EXPECT_EQ(gap, Vector2(1.5, -2.75));
  Forces forces(3);
  system.forces(2, q, v, forces);
  EXPECT_EQ(forces.potential, Vector3(0, 0, -16));
  EXPECT_EQ(forces.external, Vector3(0, 6, 1));
}

TEST_F(LinearFiles, GiveTangentialRowsToo) {
  folder.write("T.mtx", std::string(kGeneral) + "4 3 4\n1 1 1\n2 2 1\n3 2 1\n4 1 7\n");
  const Scene scene = load(
      "  contacts: [{name: stop, G: {file: G.mtx}, T: {file: T.mtx}, mu: 0.3, drive: [1, t]}]\n");
  EXPECT_EQ(scene.system->contacts()[1].tangents, 2);
  Matrix H(3, 6), expected(3, 6);
  Vector w(6), speeds(6);
  scene.system->contact_map(3, Vector::Zero(3), H, w);
  expected << 1, 1, 0, 0, 0, 7, 0, 0, 1, 0, 1, 0, 0, 0, 0, -1, 0, 0;
  speeds << 0, 1, 3, 0, 1, 3;
  EXPECT_EQ(H, expected);
  EXPECT_EQ(w, speeds);
}

TEST_F(LinearFiles, AreRefusedWithTheirPlaceInSceneAndFile) {
  const auto expect = [](const std::string& message, const std::vector<std::string>& parts) {
    for (const std::string& part : parts)
      EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks: " << part;
  };
  folder.write("bad.mtx", std::string(kGeneral) + "3 3 1\n1 4 2\n");
  folder.write("skew.mtx", std::string(kGeneral) + "2 2 3\n1 1 2\n2 2 2\n2 1 0.5\n");
  folder.write("minus.mtx", std::string(kSymmetric) + "2 2 3\n1 1 1\n2 2 1\n2 1 2\n");
  folder.write("zero.mtx", std::string(kGeneral) + "2 3 1\n1 1 1\n");
  const std::string M = "  M: {file: M.mtx}\n";
  expect(complaint("", "  M: {file: bad.mtx}\n"),
         {"scene.yaml:4:13: system.M.file:", "bad.mtx:3: column 4 does not exist"});
  expect(complaint("", "  M: {file: none.mtx}\n"), {"system.M.file", "cannot be read"});
  expect(complaint("", "  M: {file: skew.mtx}\n"),
         {"system.M: is not symmetric, (2, 1) is 0.5 and (1, 2) is 0"});
  expect(complaint("", "  M: {file: minus.mtx}\n"), {"system.M: is not positive definite"});
  expect(complaint("", "  M: {file: G.mtx}\n"), {"is 2 x 3; a mass matrix must be square"});
  expect(complaint("", M + "  K: {file: G.mtx}\n"),
         {"system.K.file: 'G.mtx' is 2 x 3; expected 3 rows and 3 columns"});
  expect(complaint("  contacts: [{G: {file: zero.mtx}}]\n"),
         {"system.contacts.0.G: row 2 is zero: the gap depends on no coordinate"});
  expect(complaint("  contacts: [{G: {file: G.mtx}, T: [[1, 0, 0]], mu: 1}]\n"),
         {"system.contacts.0.T: expected {file: NAME}, as 'G' is given"});
  expect(complaint("  contacts: [{G: {file: G.mtx}, g0: {file: M.mtx}}]\n"),
         {"'M.mtx' is 3 x 3; expected 2 rows and 1 columns"});
  expect(complaint("  f: {q4: 1}\n"), {"system.f.q4: unknown name", "allowed: q1, q2, q3"});
}

TEST_F(LinearFiles, LoadAllCoordinatesByOneFormula) {
  Forces forces(3);
  load("  f: 2*t\n").system->forces(4, Vector::Zero(3), Vector::Zero(3), forces);
  EXPECT_EQ(forces.external, Vector3(8, 8, 8));
  load("  f: 5\n", "  M: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n")
      .system->forces(4, Vector::Zero(3), Vector::Zero(3), forces);
  EXPECT_EQ(forces.external, Vector3(5, 5, 5));
}

}  // namespace
}  // namespace clack
