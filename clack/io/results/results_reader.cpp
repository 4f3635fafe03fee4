#include "clack/io/results/results_reader.hpp"

#include <algorithm>

#include "clack/io/results/raw_file.hpp"

namespace clack {
namespace {

// A dataset that is open, with its extents.
struct Dataset {
  Hdf5Handle id;
  std::string name;  // path of the file and of the dataset, for messages
  std::vector<hsize_t> dims;

  std::int64_t rows() const { return static_cast<std::int64_t>(dims.front()); }
  std::int64_t width() const { return dims.size() > 1 ? static_cast<std::int64_t>(dims[1]) : 1; }
};

hid_t memory_type(const double*) { return H5T_NATIVE_DOUBLE; }
hid_t memory_type(const std::int32_t*) { return H5T_NATIVE_INT32; }
hid_t memory_type(const std::int64_t*) { return H5T_NATIVE_INT64; }

Hdf5Handle open_file(const std::string& path) {
  const RawFile exists(path, RawFile::Mode::read);  // for the system's own reason
  const htri_t is_hdf5 = H5Fis_hdf5(path.c_str());
  if (is_hdf5 <= 0) throw InputError(path + " is not an HDF5 file");
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path);
  // The writer holds no HDF5 lock, and some file systems know none.
  hdf5_check(H5Pset_file_locking(access, false, true), path);
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "cannot read " + path};
}

Dataset open_dataset(hid_t file, const std::string& path, const std::string& name) {
  Dataset dataset{{}, path + ":" + name, {}};
  const hid_t id = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  if (id < 0) throw InputError(path + " has no dataset " + name + "; is it a Clack results file?");
  dataset.id = Hdf5Handle(id, H5Dclose, dataset.name);
  const Hdf5Handle space(H5Dget_space(dataset.id), H5Sclose, dataset.name);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 1 || rank > 2) throw InputError(dataset.name + " is neither a vector nor a matrix");
  dataset.dims.resize(static_cast<std::size_t>(rank));
  hdf5_check(H5Sget_simple_extent_dims(space, dataset.dims.data(), nullptr), dataset.name);
  return dataset;
}

// Rows from `first` on into `values`, which has room for them.
template <class T>
void read_rows(const Dataset& dataset, std::int64_t rows, T* values, std::int64_t first = 0) {
  if (dataset.rows() < first + rows) {
    throw InputError(dataset.name + " is shorter than /time asks for: the file is damaged");
  }
  if (rows == 0 || dataset.width() == 0) return;
  std::vector<hsize_t> count = dataset.dims;
  count[0] = static_cast<hsize_t>(rows);
  std::vector<hsize_t> start(count.size(), 0);
  start[0] = static_cast<hsize_t>(first);
  const Hdf5Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                          H5Sclose, dataset.name);
  const Hdf5Handle selection(H5Dget_space(dataset.id), H5Sclose, dataset.name);
  hdf5_check(
      H5Sselect_hyperslab(selection, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
      dataset.name);
  hdf5_check(H5Dread(dataset.id, memory_type(values), memory, selection, H5P_DEFAULT, values),
             "cannot read " + dataset.name);
}

// Reads datasets of one file by name, cut to a number of rows.
class Columns {
 public:
  Columns(hid_t file, const std::string& path, std::string prefix, std::int64_t rows)
      : file_(file), path_(path), prefix_(std::move(prefix)), rows_(rows) {}

  template <class T>
  void read(const char* name, std::vector<T>& values) const {
    const Dataset dataset = open_dataset(file_, path_, prefix_ + name);
    if (dataset.width() != 1) throw InputError(dataset.name + " is not a vector");
    values.resize(static_cast<std::size_t>(rows_));
    read_rows(dataset, rows_, values.data());
  }

  void read(const char* name, RowMatrix& values) const {
    const Dataset dataset = open_dataset(file_, path_, prefix_ + name);
    values.resize(rows_, dataset.width());
    read_rows(dataset, rows_, values.data());
  }

  template <class Values>
  Values get(const char* name) const {
    Values values;
    read(name, values);
    return values;
  }

 private:
  hid_t file_;
  const std::string& path_;
  std::string prefix_;
  std::int64_t rows_;
};

std::string read_text_attribute(hid_t attribute, const std::string& name) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, name);
  hdf5_check(H5Tset_size(type, H5T_VARIABLE), name);
  hdf5_check(H5Tset_cset(type, H5T_CSET_UTF8), name);
  char* text = nullptr;  // stays null for an empty text
  hdf5_check(H5Aread(attribute, type, &text), "cannot read attribute " + name);
  std::string value = text == nullptr ? "" : text;
  H5free_memory(text);
  return value;
}

bool is_text_scalar(hid_t attribute, const std::string& name) {
  const Hdf5Handle type(H5Aget_type(attribute), H5Tclose, name);
  const Hdf5Handle space(H5Aget_space(attribute), H5Sclose, name);
  return H5Tis_variable_str(type) > 0 && H5Sget_simple_extent_npoints(space) == 1;
}

std::string attribute_name(hid_t attribute, const std::string& path) {
  const ssize_t length = hdf5_check(H5Aget_name(attribute, 0, nullptr), path);
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  hdf5_check(H5Aget_name(attribute, name.size(), name.data()), path);
  name.pop_back();
  return name;
}

std::vector<std::string> split_table(const std::vector<char>& table, std::size_t length) {
  std::vector<std::string> values;
  for (auto at = table.begin(); at != table.end(); at += static_cast<std::ptrdiff_t>(length)) {
    values.emplace_back(at, std::find(at, at + static_cast<std::ptrdiff_t>(length), '\0'));
  }
  return values;
}

}  // namespace

ResultsReader::ResultsReader(const std::string& path) : path_(path) {
  const Hdf5Quiet quiet;
  file_ = open_file(path_);
  // First of all: whatever is opened later is at least as long (append_file.hpp).
  rows_ = open_dataset(file_, path_, "/time").rows();
}

std::vector<double> ResultsReader::time() const {
  const Hdf5Quiet quiet;
  return Columns(file_, path_, "/", rows_).get<std::vector<double>>("time");
}

RowMatrix ResultsReader::q() const {
  const Hdf5Quiet quiet;
  return Columns(file_, path_, "/", rows_).get<RowMatrix>("q");
}

RowMatrix ResultsReader::v() const {
  const Hdf5Quiet quiet;
  return Columns(file_, path_, "/", rows_).get<RowMatrix>("v");
}

EnergyColumns ResultsReader::energy() const {
  const Hdf5Quiet quiet;
  const Columns columns(file_, path_, "/energy/", rows_);
  EnergyColumns energy;
  columns.read("kinetic", energy.kinetic);
  columns.read("potential", energy.potential);
  columns.read("work_external", energy.work_external);
  columns.read("work_damping", energy.work_damping);
  columns.read("work_contact", energy.work_contact);
  columns.read("work_impact", energy.work_impact);
  columns.read("work_friction", energy.work_friction);
  energy.work_bond.assign(energy.kinetic.size(), 0);
  if (has("/energy/work_bond")) columns.read("work_bond", energy.work_bond);
  columns.read("numerical", energy.numerical);
  return energy;
}

SolverColumns ResultsReader::solver() const {
  const Hdf5Quiet quiet;
  const Columns columns(file_, path_, "/solver/", rows_);
  SolverColumns solver;
  columns.read("iterations", solver.iterations);
  columns.read("residual", solver.residual);
  columns.read("residual_scaled", solver.residual_scaled);
  solver.velocity_error.assign(solver.residual.size(), 0);
  if (has("/solver/velocity_error")) columns.read("velocity_error", solver.velocity_error);
  columns.read("status", solver.status);
  columns.read("seconds", solver.seconds);
  return solver;
}

ContactColumns ResultsReader::contacts() const {
  const Hdf5Quiet quiet;
  ContactColumns contacts;
  Columns(file_, path_, "/contacts/", rows_ + 1).read("offset", contacts.offset);
  const Columns columns(file_, path_, "/contacts/", contacts.offset.back());
  columns.read("id", contacts.id);
  columns.read("body_a", contacts.body_a);
  columns.read("body_b", contacts.body_b);
  columns.read("gap", contacts.gap);
  columns.read("point", contacts.point);
  columns.read("normal", contacts.normal);
  columns.read("r", contacts.r);
  columns.read("u", contacts.u);
  contacts.impulse = contacts.r;
  if (has("/contacts/impulse")) columns.read("impulse", contacts.impulse);
  columns.read("status", contacts.status);
  contacts.feature.assign(contacts.id.size(), 0);
  if (has("/contacts/feature")) columns.read("feature", contacts.feature);
  return contacts;
}

EventColumns ResultsReader::events() const {
  EventColumns events;
  if (!has("/events/offset")) return events;
  const Hdf5Quiet quiet;
  Columns(file_, path_, "/events/", rows_ + 1).read("offset", events.offset);
  const Columns columns(file_, path_, "/events/", events.offset.back());
  columns.read("time", events.time);
  columns.read("kind", events.kind);
  columns.read("id", events.id);
  columns.read("body_a", events.body_a);
  columns.read("body_b", events.body_b);
  columns.read("feature", events.feature);
  columns.read("u_before", events.u_before);
  columns.read("u_after", events.u_after);
  columns.read("impulse", events.impulse);
  for (const RowMatrix* values : {&events.u_before, &events.u_after, &events.impulse}) {
    if (values->cols() != 3) throw InputError(path_ + ": a dataset of /events is not [E,3]");
  }
  return events;
}

std::map<std::string, std::string> ResultsReader::attributes() const {
  const Hdf5Quiet quiet;
  std::map<std::string, std::string> found;
  const Hdf5Handle root(H5Gopen2(file_, "/", H5P_DEFAULT), H5Gclose, path_);
  const int count = hdf5_check(H5Aget_num_attrs(root), path_);
  for (int i = 0; i < count; ++i) {
    const Hdf5Handle attribute(H5Aopen_by_idx(root, ".", H5_INDEX_NAME, H5_ITER_INC,
                                              static_cast<hsize_t>(i), H5P_DEFAULT, H5P_DEFAULT),
                               H5Aclose, path_);
    const std::string name = attribute_name(attribute, path_);
    if (is_text_scalar(attribute, name)) found[name] = read_text_attribute(attribute, name);
  }
  return found;
}

std::vector<BodyEntry> ResultsReader::bodies() const {
  const auto names = strings("/bodies/name");
  const auto shapes = strings("/bodies/shape");
  const RowMatrix q_range = matrix("/bodies/q_range");
  const RowMatrix v_range = matrix("/bodies/v_range");
  const auto count = static_cast<Eigen::Index>(names.size());
  const bool same = shapes.size() == names.size() && q_range.rows() == count &&
                    v_range.rows() == count && q_range.cols() == 2 && v_range.cols() == 2;
  if (!same) throw InputError(path_ + ": the datasets of /bodies differ in length");
  std::vector<BodyEntry> bodies;
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto at = [i](const RowMatrix& range, int k) {
      return static_cast<std::int32_t>(range(i, k));
    };
    bodies.push_back({names[static_cast<std::size_t>(i)],
                      shapes[static_cast<std::size_t>(i)],
                      {at(q_range, 0), at(q_range, 1)},
                      {at(v_range, 0), at(v_range, 1)}});
  }
  return bodies;
}

std::vector<std::string> ResultsReader::q_names() const { return strings("/model/q_name"); }

std::vector<std::string> ResultsReader::v_names() const { return strings("/model/v_name"); }

std::vector<std::string> ResultsReader::contact_names() const {
  return strings("/model/contact_name");
}

bool ResultsReader::has(const std::string& dataset) const {
  const Hdf5Quiet quiet;
  const hid_t id = H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT);
  if (id >= 0) H5Dclose(id);
  return id >= 0;
}

std::vector<std::string> ResultsReader::strings(const std::string& dataset) const {
  const Hdf5Quiet quiet;
  const Dataset source = open_dataset(file_, path_, dataset);
  const Hdf5Handle type(H5Dget_type(source.id), H5Tclose, source.name);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) {
    throw InputError(source.name + " does not hold strings of fixed length");
  }
  const std::size_t length = H5Tget_size(type);
  std::vector<char> table(length * static_cast<std::size_t>(source.rows() * source.width()));
  if (table.empty()) return {};
  hdf5_check(H5Dread(source.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.data()),
             "cannot read " + source.name);
  return split_table(table, length);
}

RowMatrix ResultsReader::column(const std::string& dataset) const {
  const Hdf5Quiet quiet;
  return Columns(file_, path_, "", rows_).get<RowMatrix>(dataset.c_str());
}

RowMatrix ResultsReader::slice(const std::string& dataset, std::int64_t first,
                               std::int64_t count) const {
  const Hdf5Quiet quiet;
  const Dataset source = open_dataset(file_, path_, dataset);
  RowMatrix values(count, source.width());
  read_rows(source, count, values.data(), first);
  return values;
}

std::vector<std::int64_t> ResultsReader::contact_offset() const {
  const Hdf5Quiet quiet;
  return Columns(file_, path_, "/contacts/", rows_ + 1).get<std::vector<std::int64_t>>("offset");
}

std::vector<double> ResultsReader::restart(std::int64_t row) const {
  if (!has("/restart/offset")) return {};
  const Hdf5Quiet quiet;
  std::int64_t ends[2];
  read_rows(open_dataset(file_, path_, "/restart/offset"), 2, ends, row);
  const Dataset values = open_dataset(file_, path_, "/restart/value");
  if (!(ends[0] >= 0 && ends[0] <= ends[1] && ends[1] <= values.rows()))
    throw InputError(path_ + ": /restart/offset does not fit /restart/value: the file is damaged");
  std::vector<double> numbers(static_cast<std::size_t>(ends[1] - ends[0]));
  read_rows(values, ends[1] - ends[0], numbers.data(), ends[0]);
  return numbers;
}

std::vector<std::string> ResultsReader::members(const std::string& group) const {
  const Hdf5Quiet quiet;
  if (H5Lexists(file_, group.c_str(), H5P_DEFAULT) <= 0) return {};
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  std::vector<std::string> names;
  hdf5_check(H5Literate_by_name(file_, group.c_str(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add,
                                &names, H5P_DEFAULT),
             path_ + ":" + group);
  return names;
}

RowMatrix ResultsReader::matrix(const std::string& dataset) const {
  const Hdf5Quiet quiet;
  const Dataset source = open_dataset(file_, path_, dataset);
  RowMatrix values(source.rows(), source.width());
  read_rows(source, source.rows(), values.data());
  return values;
}

}  // namespace clack
