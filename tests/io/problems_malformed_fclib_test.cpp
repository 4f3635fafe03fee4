// HDF5 files that are damaged or wrong: an InputError with one clear message, never anything else.
#include <hdf5.h>

#include "clack/core/error.hpp"
#include "problems_support.hpp"

namespace clack::test {
namespace {

bool reads(const std::string& path) {
  try {
    read_problem(path).validate();
    return true;
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(path), std::string::npos) << message;
    EXPECT_LT(message.size(), 2 * path.size() + 300) << message;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not an InputError: " << error.what();
  }
  return false;
}

// The numeric datasets of a file.
std::vector<std::string> dataset_names(const std::string& path) {
  std::vector<std::string> names;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const auto visit = [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &names);
  std::erase_if(names, [&](const std::string& name) {
    const hid_t object = H5Oopen(file, name.c_str(), H5P_DEFAULT);
    const bool keep = H5Iget_type(object) == H5I_DATASET;
    H5Oclose(object);
    return !keep || name.find("info") != std::string::npos;
  });
  H5Fclose(file);
  return names;
}

// Replaces a dataset by another one; `size` < 0: as long as before.
struct Replacement {
  const char* what;
  hid_t type;
  std::vector<hsize_t> dims;
  double value;
  bool allocate;
};

void remove_dataset(const std::string& path, const std::string& name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(H5Ldelete(file, name.c_str(), H5P_DEFAULT), 0);
  H5Fclose(file);
}

void replace_dataset(const std::string& path, const std::string& name, const Replacement& with) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(H5Ldelete(file, name.c_str(), H5P_DEFAULT), 0);
  const hid_t space =
      H5Screate_simple(static_cast<int>(with.dims.size()), with.dims.data(), nullptr);
  const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
  if (!with.allocate) H5Pset_alloc_time(create, H5D_ALLOC_TIME_LATE);
  const hid_t set =
      H5Dcreate2(file, name.c_str(), with.type, space, H5P_DEFAULT, create, H5P_DEFAULT);
  ASSERT_GE(set, 0);
  if (with.allocate) {
    hsize_t count = 1;
    for (const hsize_t dim : with.dims) count *= dim;
    const std::vector<double> values(count, with.value);
    if (H5Tget_class(with.type) != H5T_STRING) {
      H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    }
  }
  H5Dclose(set);
  H5Pclose(create);
  H5Sclose(space);
  H5Fclose(file);
}

hsize_t dataset_length(const std::string& path, const std::string& name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  const hid_t space = H5Dget_space(set);
  const hssize_t points = H5Sget_simple_extent_npoints(space);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
  return static_cast<hsize_t>(points);
}

std::vector<NamedProblem> fclib_problems() {
  return {{"local", reduced_problem(1, coulomb_cones(3))},
          {"equalities", reduced_problem(2, {Cone::coulomb(2, 0.5), Cone::free(1)}, true)},
          {"global", global_problem(3, coulomb_cones(2))},
          {"rolling", global_problem(4, rolling_cones())},
          {"mixture", reduced_problem(5, all_cones())}};
}

TEST(MalformedFclib, TruncatedFilesAreRefused) {
  const Folder directory;
  const std::string path = directory.file("x.hdf5");
  write_problem(path, reduced_problem(1, coulomb_cones(3)));
  const std::string bytes = read_text(path);
  for (std::size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 97) {
    write_text(path, bytes.substr(0, size));
    EXPECT_FALSE(reads(path)) << size;
  }
}

// One dataset of a sound file, which each attempt starts from anew.
struct SoundDataset {
  std::string path, name, bytes;
  hsize_t length;

  bool is_real() const {
    return name.find("vectors") != std::string::npos || name.ends_with("/x") || is_friction();
  }
  bool is_friction() const { return name.find("/mu") != std::string::npos; }
  void replace(const Replacement& with) const {
    write_text(path, bytes);
    replace_dataset(path, name, with);
  }
};

// Calls try_one for each dataset of each kind of problem but nzmax, which says nothing that p and i
// do not.
template <class TryOne>
void for_each_dataset(const TryOne& try_one) {
  const Folder folder;
  const std::string path = folder.file("x.hdf5");
  for (const auto& [kind, problem] : fclib_problems()) {
    write_problem(path, problem);
    const std::string bytes = read_text(path);
    for (const std::string& name : dataset_names(path)) {
      if (name.ends_with("nzmax")) continue;
      SCOPED_TRACE(kind + ": " + name);
      write_text(path, bytes);
      try_one(SoundDataset{path, name, bytes, dataset_length(path, name)});
    }
  }
}

TEST(MalformedFclib, EveryMissingDatasetIsNamed) {
  int tried = 0;
  for_each_dataset([&](const SoundDataset& set) {
    remove_dataset(set.path, set.name);
    try {
      (void)read_problem(set.path);
      ADD_FAILURE() << "read without it";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(set.name), std::string::npos) << error.what();
    }
    ++tried;
  });
  EXPECT_GE(tried, 50);
}

TEST(MalformedFclib, EveryDatasetOfWrongTypeRankOrSizeIsRefused) {
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, 8);
  for_each_dataset([&](const SoundDataset& set) {
    const hid_t type = set.is_real() ? H5T_IEEE_F64LE : H5T_STD_I32LE;
    const std::vector<Replacement> all{{"text", text, {set.length}, 0, true},
                                       {"matrix", type, {set.length, 1}, 0, true},
                                       {"too long", type, {set.length + 1}, 0, true},
                                       {"empty", type, {0}, 0, true},
                                       {"huge", type, {1000000000000}, 0, false}};
    for (const Replacement& with : all) {
      SCOPED_TRACE(with.what);
      set.replace(with);
      EXPECT_FALSE(reads(set.path));
    }
  });
  H5Tclose(text);
}

TEST(MalformedFclib, EveryWildValueIsRefused) {
  for_each_dataset([&](const SoundDataset& set) {
    const bool real = set.is_real();
    std::vector<double> wild = {-7, 2e9, 1e12};
    if (real) wild = {NAN, INFINITY};
    if (set.is_friction()) wild.push_back(-0.5);
    for (const double value : wild) {
      SCOPED_TRACE(std::to_string(value));
      set.replace({"", real ? H5T_IEEE_F64LE : H5T_STD_I64LE, {set.length}, value, true});
      EXPECT_FALSE(reads(set.path));
    }
  });
}

TEST(MalformedFclib, OtherHdf5FilesAreRefused) {
  const Folder directory;
  const std::string path = directory.file("x.hdf5");
  H5Fclose(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  try {
    (void)read_problem(path);
    FAIL() << "no exception";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("fclib_local"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace clack::test
