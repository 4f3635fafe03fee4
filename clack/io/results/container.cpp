#include "clack/io/results/container.hpp"

#include <algorithm>
#include <cstring>

#include "clack/io/results/hdf5_handle.hpp"
#include "clack/io/results/object_header.hpp"

namespace clack {
namespace {

constexpr std::uint64_t kAlignment = 8;  // [bytes], of whatever lies in the file

hid_t file_type(ColumnType type) {
  switch (type) {
    case ColumnType::float64:
      return H5T_IEEE_F64LE;
    case ColumnType::int32:
      return H5T_STD_I32LE;
    case ColumnType::int64:
      break;
  }
  return H5T_STD_I64LE;
}

// HDF5 builds the file in memory and never touches the disk: a write that fails inside of it
// leaves the library unable to end the program in peace.
Hdf5Handle make_memory_file() {
  constexpr std::size_t kIncrement = 64 << 10;  // [bytes]
  // Nothing can have this name; HDF5 would read a file that has it.
  constexpr const char* kName = "/dev/null/image";
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, kName);
  hdf5_check(H5Pset_fapl_core(access, kIncrement, false), kName);
  // Old-style metadata has no checksums and fixed places: object_header.hpp depends on it.
  hdf5_check(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18), kName);
  hdf5_check(H5Pset_alignment(access, 1, kAlignment), kName);
  return {H5Fcreate(kName, H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose,
          "cannot create an HDF5 file in memory"};
}

std::vector<unsigned char> copy_image(hid_t file) {
  constexpr const char* kWhat = "cannot copy an HDF5 file from memory";
  hdf5_check(H5Fflush(file, H5F_SCOPE_GLOBAL), kWhat);
  const auto size = hdf5_check(H5Fget_file_image(file, nullptr, 0), kWhat);
  std::vector<unsigned char> image(static_cast<std::size_t>(size));
  hdf5_check(H5Fget_file_image(file, image.data(), image.size()), kWhat);
  return image;
}

Hdf5Handle make_link_properties(const std::string& path) {
  Hdf5Handle properties(H5Pcreate(H5P_LINK_CREATE), H5Pclose, path);
  hdf5_check(H5Pset_create_intermediate_group(properties, 1), path);
  return properties;
}

Hdf5Handle make_dataset_properties(const std::string& path) {
  Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, path);
  hdf5_check(H5Pset_layout(properties, H5D_CONTIGUOUS), path);
  // Late: a column, into which HDF5 writes nothing, gets no storage from it.
  hdf5_check(H5Pset_alloc_time(properties, H5D_ALLOC_TIME_LATE), path);
  hdf5_check(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER), path);
  hdf5_check(H5Pset_obj_track_times(properties, false), path);  // equal runs, equal bytes
  return properties;
}

Hdf5Handle make_dataset(hid_t file, const std::string& path, hid_t type,
                        const std::vector<hsize_t>& dims) {
  const Hdf5Handle space(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
                         H5Sclose, path);
  const Hdf5Handle link = make_link_properties(path);
  const Hdf5Handle properties = make_dataset_properties(path);
  return {H5Dcreate2(file, path.c_str(), type, space, link, properties, H5P_DEFAULT), H5Dclose,
          "cannot create dataset " + path};
}

// As HDF5 sees it: with one row. Room and rows are set afterwards.
std::vector<std::uint64_t> column_dims(const ColumnSpec& column) {
  std::vector<std::uint64_t> dims{1};
  dims.insert(dims.end(), column.row_shape.begin(), column.row_shape.end());
  return dims;
}

// Address of its object header.
std::uint64_t make_column(hid_t file, const ColumnSpec& column) {
  const auto dims = column_dims(column);
  const Hdf5Handle dataset =
      make_dataset(file, column.path, file_type(column.type), {dims.begin(), dims.end()});
  return hdf5_address(dataset, column.path);
}

void write_attribute(hid_t file, const std::string& name, const std::string& value) {
  // Variable length: the text lies outside the object header, whose messages end at 64 KiB.
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, name);
  hdf5_check(H5Tset_size(type, H5T_VARIABLE), name);
  hdf5_check(H5Tset_cset(type, H5T_CSET_UTF8), name);
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, name);
  const Hdf5Handle attribute(H5Acreate2(file, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose, "cannot create attribute " + name);
  const char* text = value.c_str();
  hdf5_check(H5Awrite(attribute, type, &text), "cannot write attribute " + name);
}

std::vector<hsize_t> static_dims(const StaticDataset& dataset) {
  const auto count = std::visit([](const auto& v) { return v.size(); }, dataset.values);
  if (dataset.shape.empty()) return {count};
  std::vector<hsize_t> dims(dataset.shape.begin(), dataset.shape.end());
  hsize_t product = 1;
  for (const hsize_t extent : dims) product *= extent;
  if (product != count) throw InputError("shape of " + dataset.path + " does not fit its values");
  return dims;
}

void write_values(hid_t file, const StaticDataset& dataset, hid_t type, hid_t memory_type,
                  const void* values) {
  const auto dims = static_dims(dataset);
  const Hdf5Handle made = make_dataset(file, dataset.path, type, dims);
  if (std::find(dims.begin(), dims.end(), 0U) != dims.end()) return;
  hdf5_check(H5Dwrite(made, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values),
             "cannot write dataset " + dataset.path);
}

void write_strings(hid_t file, const StaticDataset& dataset,
                   const std::vector<std::string>& values) {
  std::size_t length = 1;  // HDF5 knows no empty string type
  for (const auto& value : values) length = std::max(length, value.size());
  std::vector<char> table(length * values.size(), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::memcpy(table.data() + i * length, values[i].data(), values[i].size());
  }
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, dataset.path);
  hdf5_check(H5Tset_size(type, length), dataset.path);
  hdf5_check(H5Tset_cset(type, H5T_CSET_UTF8), dataset.path);
  hdf5_check(H5Tset_strpad(type, H5T_STR_NULLPAD), dataset.path);
  write_values(file, dataset, type, type, table.data());
}

void write_static(hid_t file, const StaticDataset& dataset) {
  if (const auto* strings = std::get_if<std::vector<std::string>>(&dataset.values)) {
    write_strings(file, dataset, *strings);
  } else if (const auto* doubles = std::get_if<std::vector<double>>(&dataset.values)) {
    write_values(file, dataset, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, doubles->data());
  } else if (const auto* narrow = std::get_if<std::vector<std::int32_t>>(&dataset.values)) {
    write_values(file, dataset, H5T_STD_I32LE, H5T_NATIVE_INT32, narrow->data());
  } else if (const auto* wide = std::get_if<std::vector<std::int64_t>>(&dataset.values)) {
    write_values(file, dataset, H5T_STD_I64LE, H5T_NATIVE_INT64, wide->data());
  }
}

struct Image {
  std::vector<unsigned char> bytes;
  std::vector<std::uint64_t> headers;  // by column: address of its object header
};

Image make_image(const std::vector<ColumnSpec>& columns, const StaticContent& content) {
  const Hdf5Quiet quiet;
  Image image;
  const Hdf5Handle file = make_memory_file();
  for (const auto& [name, value] : content.attributes) write_attribute(file, name, value);
  for (const auto& dataset : content.datasets) write_static(file, dataset);
  for (const auto& column : columns) image.headers.push_back(make_column(file, column));
  image.bytes = copy_image(file);
  return image;
}

std::uint64_t aligned(std::uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

// Gives the columns room behind the image, one after the other. Returns the end of the file.
std::uint64_t place_columns(Image& image, const std::vector<ColumnSpec>& columns,
                            std::vector<ColumnPlace>& places) {
  std::uint64_t end = aligned(image.bytes.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto size = static_cast<std::uint64_t>(columns[i].capacity) * row_size(columns[i]);
    const auto rows = static_cast<std::uint64_t>(columns[i].initial_rows);
    const auto count = place_rows(image.bytes, image.headers[i], column_dims(columns[i]), rows,
                                  {.offset = end, .size = size});
    places.push_back({.rows = end, .count = count});
    end = aligned(end + size);
  }
  place_end_of_file(image.bytes, end);
  return end;
}

}  // namespace

std::size_t size_of(ColumnType type) { return type == ColumnType::int32 ? 4 : 8; }

std::size_t row_size(const ColumnSpec& column) {
  std::size_t size = size_of(column.type);
  for (const int extent : column.row_shape) size *= static_cast<std::size_t>(extent);
  return size;
}

ContainerFile make_container(const std::string& path, const std::vector<ColumnSpec>& columns,
                             const StaticContent& content) {
  Image image = make_image(columns, content);
  ContainerFile made;
  const std::uint64_t end = place_columns(image, columns, made.places);
  made.file = RawFile(path, RawFile::Mode::create);
  made.file.resize(end);
  made.file.write_at(0, image.bytes.data(), image.bytes.size());
  return made;
}

}  // namespace clack
