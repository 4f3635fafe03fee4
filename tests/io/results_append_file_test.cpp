#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <new>
#include <numeric>

#include "clack/io/results/append_file.hpp"
#include "clack/io/results/hdf5_handle.hpp"
#include "clack/io/results/object_header.hpp"
#include "results_support.hpp"

namespace {
thread_local long allocation_count = 0;
}

// Weak: another test of the same program may count as well; then this one has nothing to see.
__attribute__((weak)) void* operator new(std::size_t size) {
  ++allocation_count;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
__attribute__((weak)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((weak)) void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace clack::test {
namespace {

std::vector<ColumnSpec> two_columns(std::int64_t capacity) {
  return {{"/group/deep/pair", ColumnType::int64, {2}, capacity, 0, 0},
          {"/value", ColumnType::float64, {}, capacity, 0, 1}};
}

std::vector<std::int64_t> counting(std::size_t count) {
  std::vector<std::int64_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

std::vector<hsize_t> dims_of(const std::string& path, const char* name) {
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, path);
  const Hdf5Handle dataset(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose, name);
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose, name);
  std::vector<hsize_t> dims(2 * static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, dims.data(), dims.data() + dims.size() / 2);
  return dims;
}

std::vector<std::int64_t> values_of(const std::string& path, const char* name) {
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, path);
  const Hdf5Handle dataset(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose, name);
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose, name);
  std::vector<std::int64_t> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  return values;
}

TEST(AppendFile, ShapeCountsPublishedRowsAndClaimsNoMore) {
  const Folder directory;
  const std::string path = directory.file("table.h5");
  AppendFile file(path, two_columns(100), {});
  const auto values = counting(14);
  file.append(0, values.data(), 7);
  EXPECT_EQ(dims_of(path, "/group/deep/pair"), (std::vector<hsize_t>{0, 2, 0, 2}));
  file.publish();
  EXPECT_EQ(dims_of(path, "/group/deep/pair"), (std::vector<hsize_t>{7, 2, 7, 2}));
  EXPECT_EQ(dims_of(path, "/value"), (std::vector<hsize_t>{0, 0}));
  EXPECT_EQ(values_of(path, "/group/deep/pair"), values);
}

TEST(AppendFile, BlockLargerThanTheBufferKeepsItsPlace) {
  const Folder directory;
  const std::string path = directory.file("table.h5");
  AppendFile file(path, two_columns(3), {});
  const auto values = counting(100006);
  file.append(0, values.data(), 1);
  file.append(0, values.data() + 2, 50000);
  file.append(0, values.data() + 100002, 2);
  file.finish();
  EXPECT_EQ(values_of(path, "/group/deep/pair"), values);
}

TEST(AppendFile, RowsWrittenButNotPublishedSurviveGrowthUnseen) {
  const Folder directory;
  const std::string path = directory.file("table.h5");
  AppendFile file(path, two_columns(4), {});
  const auto values = counting(40002);
  file.append(0, values.data(), 1);
  file.publish();
  file.append(0, values.data() + 2, 20000);  // larger than the buffer: goes to the file at once,
  file.append(1, values.data(), 40000);      // and so does this, which makes the file grow again
  EXPECT_EQ(dims_of(path, "/group/deep/pair")[0], 1U);
  EXPECT_EQ(dims_of(path, "/value")[0], 0U);
  file.publish();
  EXPECT_EQ(values_of(path, "/group/deep/pair"), values);
  EXPECT_EQ(dims_of(path, "/value")[0], 40000U);
}

TEST(AppendFile, CapacityDoublesForTheGroupThatNeedsIt) {
  const Folder directory;
  AppendFile file(directory.file("table.h5"), two_columns(3), {});
  const auto values = counting(14);
  file.append(0, values.data(), 7);
  file.publish();
  EXPECT_EQ(file.capacity(0), 12);
  EXPECT_EQ(file.capacity(1), 3);
}

TEST(AppendFile, RoomForRowsTakesNoDiskSpace) {
  const Folder directory;
  const std::string path = directory.file("table.h5");
  const AppendFile file(path, two_columns(std::int64_t{1} << 26), {});
  EXPECT_GT(std::filesystem::file_size(path), std::uintmax_t{1} << 30);
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_LT(status.st_blocks, 200);  // of 512 bytes
}

TEST(AppendFile, AppendingAllocatesNothing) {
  const Folder directory;
  AppendFile file(directory.file("table.h5"), two_columns(100000), {});
  const auto values = counting(2);
  const long before_probe = allocation_count;
  ::operator delete(::operator new(16));
  if (allocation_count == before_probe) GTEST_SKIP() << "operator new is replaced elsewhere";
  const long before = allocation_count;
  for (int i = 0; i < 100000; ++i) {
    file.append(0, values.data(), 1);
    file.append(1, values.data(), 1);
    if (i % 1000 == 0) file.publish();
  }
  EXPECT_EQ(allocation_count, before);
}

TEST(AppendFile, MissingDirectoryIsAnIoErrorThatNamesPathAndReason) {
  const Folder directory;
  const std::string path = directory.file("nowhere/table.h5");
  try {
    const AppendFile file(path, two_columns(3), {});
    FAIL() << "no exception";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos) << error.what();
  }
}

TEST(AppendFile, StaticShapeThatDoesNotFitIsRefused) {
  const Folder directory;
  const std::string path = directory.file("table.h5");
  StaticContent content;
  content.datasets = {{"/static", std::vector<double>{1, 2, 3}, {2, 2}}};
  EXPECT_THROW(AppendFile(path, two_columns(3), content), InputError);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
}

TEST(AppendFile, InitialRowsAreThereFromTheStart) {
  const Folder directory;
  const std::string path = directory.file("table.h5");
  AppendFile file(path, {{"/offset", ColumnType::int64, {}, 1, 2}}, {});
  EXPECT_EQ(values_of(path, "/offset"), (std::vector<std::int64_t>{0, 0}));
  const std::int64_t value = 7;
  file.append(0, &value, 1);
  file.finish();
  EXPECT_EQ(values_of(path, "/offset"), (std::vector<std::int64_t>{0, 0, 7}));
}

// A file with the dataset "x" of five integers without storage, and where its header is.
struct Sample {
  std::string bytes;
  std::uint64_t address;
};

Sample make_sample(const std::string& path, H5F_libver_t version) {
  const hsize_t dims = 5;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path);
  H5Pset_libver_bounds(access, version, H5F_LIBVER_LATEST);
  Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, path);
  const Hdf5Handle space(H5Screate_simple(1, &dims, nullptr), H5Sclose, path);
  Hdf5Handle dataset(
      H5Dcreate2(file, "x", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose,
      path);
  const std::uint64_t address = hdf5_address(dataset, path);
  dataset.close(path);
  file.close(path);
  return {read_text(path), address};
}

Hdf5Image image_of(std::string& bytes) {
  return {reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()};
}

// The guard against an HDF5 library whose files do not look as expected.
TEST(ObjectHeader, MetadataThatDiffersFromTheExpectedIsRefusedAndLeftAlone) {
  const Folder directory;
  const Sample sample = make_sample(directory.file("table.h5"), H5F_LIBVER_EARLIEST);
  std::string bytes = sample.bytes;
  bytes[8] = 1;  // superblock version
  EXPECT_THROW((void)place_rows(image_of(bytes), sample.address, {5}, 0, {4096, 400}), IoError);
  bytes = sample.bytes;
  const Hdf5Image image = image_of(bytes);
  const RowStorage storage{4096, 400};
  const auto place = [&](std::uint64_t address, const std::vector<std::uint64_t>& dims) {
    (void)place_rows(image, address, dims, 0, storage);
  };
  EXPECT_THROW(place(sample.address, {6}), IoError);
  EXPECT_THROW(place(sample.address, {5, 1}), IoError);
  EXPECT_THROW(place(sample.address + 8, {5}), IoError);
  EXPECT_THROW(place(bytes.size() - 4, {5}), IoError);
  EXPECT_THROW(place_end_of_file(image.first(image.size() - 1), bytes.size()), IoError);
  EXPECT_EQ(bytes, sample.bytes);
  EXPECT_NO_THROW(place(sample.address, {5}));
  EXPECT_THROW(place(sample.address, {0}), IoError) << "it has storage now";
}

TEST(ObjectHeader, ChecksummedMetadataOfNewerFormatsIsRefused) {
  const Folder directory;
  Sample sample = make_sample(directory.file("table.h5"), H5F_LIBVER_LATEST);
  EXPECT_THROW((void)place_rows(image_of(sample.bytes), sample.address, {5}, 0, {4096, 400}),
               IoError);
}

}  // namespace
}  // namespace clack::test
