// Results as CSV and VTK hold the values of the results.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "clack/core/error.hpp"
#include "clack/io/exports/csv_export.hpp"
#include "clack/io/exports/vtk_export.hpp"
#include "tests/io/report_support.hpp"

namespace clack {
namespace {

using test::Folder;

std::vector<std::vector<std::string>> read_csv(const std::string& path) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream file(test::read_text(path));
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (char c : line) {
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        cells.emplace_back();
      else
        cells.back() += c;
    }
    lines.push_back(cells);
  }
  return lines;
}

double number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

TEST(CsvExport, TablesReadBackToTheSameValues) {
  const Folder folder;
  test::write_world(folder.file("results.h5"), 5);
  EXPECT_EQ(export_csv(folder.file("results.h5"), folder.file("t.csv"), 2), 3);
  const auto rows = read_csv(folder.file("t.csv"));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0][0], "time");
  EXPECT_EQ(number(rows[2][0]), test::time_of(2));
  const auto potential =
      std::find(rows[0].begin(), rows[0].end(), "energy/potential") - rows[0].begin();
  EXPECT_EQ(number(rows[3][static_cast<std::size_t>(potential)]), 1e6 + 4e-6);
  const auto bodies = read_csv(folder.file("t_bodies.csv"));
  ASSERT_EQ(bodies.size(), 1u + 3 * test::kWorldBodies);
  const auto& ball = bodies[1 + 2 * test::kWorldBodies + 1];  // row 4
  EXPECT_EQ(ball[2], "ball, red");
  const std::vector<double> q = test::world_q(4), v = test::world_v(4);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(number(ball[3 + i]), q[7 + i]);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(number(ball[10 + i]), v[6 + i]);
  const auto contacts = read_csv(folder.file("t_contacts.csv"));
  ASSERT_EQ(contacts.size(), 3u);  // rows 2 and 4 have one each
  std::map<std::string, std::string> last;
  for (std::size_t i = 0; i < contacts[0].size(); ++i) last[contacts[0][i]] = contacts[2][i];
  EXPECT_EQ(number(last["r_n"]), 3);
  EXPECT_EQ(number(last["gap"]), -4e-6);
  EXPECT_EQ(last["body_b"], "2");
}

// The values of an appended array of a .vtp file.
template <class T>
std::vector<T> vtk_array(const std::string& text, const std::string& name) {
  const std::size_t entry = text.find("Name=\"" + name + "\"");
  if (entry == std::string::npos) return {};
  const std::size_t offset = std::stoul(text.substr(text.find("offset=\"", entry) + 8));
  const std::size_t data = text.find("encoding=\"raw\">\n_") + 17 + offset;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text.data() + data, sizeof bytes);
  std::vector<T> values(bytes / sizeof(T));
  std::memcpy(values.data(), text.data() + data + sizeof bytes, bytes);
  return values;
}

TEST(VtkExport, FilesHoldTheValuesOfTheResults) {
  const Folder folder;
  test::write_world(folder.file("results.h5"), 4);
  EXPECT_EQ(export_vtk(folder.file("results.h5"), folder.file("run.pvd")), 4);
  const std::string pvd = test::read_text(folder.file("run.pvd"));
  EXPECT_NE(pvd.find("timestep=\"0.375\" group=\"\" part=\"0\" name=\"bodies\" "
                     "file=\"run/bodies_000003.vtp\""),
            std::string::npos);
  const std::string bodies = test::read_text(folder.file("run/bodies_000003.vtp"));
  const std::vector<double> q = test::world_q(3), v = test::world_v(3);
  const auto points = vtk_array<double>(bodies, "Points"),
             velocity = vtk_array<double>(bodies, "velocity");
  ASSERT_EQ(points.size(), 6u);  // the floor has no end and is left out
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(points[axis], q[7 + axis]);
    EXPECT_EQ(points[3 + axis], q[14 + axis]);
    EXPECT_EQ(velocity[axis], v[6 + axis]);
  }
  EXPECT_EQ(vtk_array<std::int32_t>(bodies, "id"), (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(vtk_array<double>(bodies, "radius"), (std::vector<double>{test::kBallRadius, 0}));
  EXPECT_EQ(vtk_array<double>(bodies, "TimeValue"), std::vector<double>{0.375});
  const auto surface =
      vtk_array<double>(test::read_text(folder.file("run/surfaces_000003.vtp")), "Points");
  EXPECT_EQ(surface.size(), 8u * 3);
  const std::string contacts = test::read_text(folder.file("run/contacts_000002.vtp"));
  EXPECT_EQ(vtk_array<double>(contacts, "gap"), std::vector<double>{-2e-6});
  const auto impulse = vtk_array<double>(contacts, "impulse");
  ASSERT_EQ(impulse.size(), 3u);
  EXPECT_EQ(impulse[2], 4);  // along the normal z
  EXPECT_NEAR(std::hypot(impulse[0], impulse[1]), 0.5, 1e-15);
}

TEST(VtkExport, FilesOpenInVtk) {
  if (std::system("/usr/bin/python3 -c 'import vtkmodules.vtkIOXML' 2>/dev/null") != 0)
    GTEST_SKIP() << "VTK for Python is not installed (Debian: python3-vtk9)";
  const Folder folder;
  test::write_world(folder.file("results.h5"), 3);
  export_vtk(folder.file("results.h5"), folder.file("run.pvd"));
  std::ofstream(folder.file("check.py")) << R"(
import sys, xml.etree.ElementTree as tree
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
from vtkmodules.util.numpy_support import vtk_to_numpy
sets = list(tree.parse('run.pvd').getroot().iter('DataSet'))
assert len(sets) == 9, len(sets)
def read(name):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(name)
    reader.Update()
    assert reader.GetErrorCode() == 0, name
    return reader.GetOutput()
for entry in sets:
    read(entry.get('file'))
bodies = read('run/bodies_000002.vtp')
assert bodies.GetNumberOfPoints() == 2 and bodies.GetNumberOfCells() == 2
assert bodies.GetPoint(0)[1] == -2000.0, bodies.GetPoint(0)
assert bodies.GetFieldData().GetArray('TimeValue').GetTuple1(0) == 0.25
assert bodies.GetPointData().GetArray('rotation').GetNumberOfComponents() == 4
box = read('run/surfaces_000002.vtp')
assert box.GetNumberOfCells() == 12 and box.GetCellData().GetArray('id').GetTuple1(11) == 2
contacts = read('run/contacts_000001.vtp')
assert contacts.GetPointData().GetArray('impulse').GetTuple3(0)[2] == 3
)";
  const std::string command = "cd " + folder.path().string() + " && /usr/bin/python3 check.py";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(VtkExport, ASystemWithoutBodiesIsRefusedInWords) {
  const Folder folder;
  ResultsWriter writer(folder.file("results.h5"), test::test_header(1));
  test::TestRow row;
  writer.append(row.at(0));
  writer.finish();
  EXPECT_THROW(export_vtk(folder.file("results.h5"), folder.file("run.pvd")), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder.file("run")));
}

}  // namespace
}  // namespace clack
