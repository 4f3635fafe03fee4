#include <gtest/gtest.h>

#include "results_support.hpp"

namespace clack::test {
namespace {

template <class Error>
void expect_refused(const std::string& path, const std::string& reason) {
  try {
    const ResultsReader reader(path);
    FAIL() << "no exception";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(path), std::string::npos) << message;
    EXPECT_NE(message.find(reason), std::string::npos) << message;
  }
}

TEST(ResultsReader, MissingFileIsAnIoError) {
  const Folder directory;
  expect_refused<IoError>(directory.file("results.h5"), "No such file");
}

TEST(ResultsReader, GarbageIsAnInputError) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  std::ofstream(path) << std::string(5000, 'g');
  expect_refused<InputError>(path, "not an HDF5 file");
  std::ofstream(path, std::ios::trunc).close();
  expect_refused<InputError>(path, "not an HDF5 file");
}

TEST(ResultsReader, TruncatedFileIsAnIoError) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  {
    ResultsWriter writer(path, test_header(100));
    write_test_rows(writer, 0, 100);
    writer.finish();
  }
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  expect_refused<IoError>(path, "truncated");
}

TEST(ResultsReader, OtherHdf5FileIsAnInputErrorThatNamesTheMissingDataset) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  AppendFile(path, {{"/other"}}, {}).finish();
  expect_refused<InputError>(path, "/time");
}

TEST(ResultsReader, ArrayShorterThanTimeIsAnInputError) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  AppendFile file(path, {{"/q", ColumnType::float64, {2}, 9}, {"/time"}}, {});
  const double values[] = {1, 2, 3, 4};
  file.append(0, values, 1);
  file.append(1, values, 2);
  file.finish();
  const ResultsReader reader(path);
  EXPECT_EQ(reader.time(), (std::vector<double>{1, 2}));
  EXPECT_THROW((void)reader.q(), InputError);
  EXPECT_THROW((void)reader.v(), InputError);
}

TEST(ResultsReader, ArraysLongerThanTimeAreCut) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  AppendFile file(path, {{"/q", ColumnType::float64, {2}, 9}, {"/time"}}, {});
  const double values[] = {1, 2, 3, 4};
  file.append(0, values, 2);
  file.append(1, values, 1);
  file.finish();
  EXPECT_EQ(ResultsReader(path).q(), (RowMatrix(1, 2) << 1, 2).finished());
}

}  // namespace
}  // namespace clack::test
