// Thin RAII over the HDF5 C API: one handle type, failures as IoError, nothing printed.
#pragma once

#include <hdf5.h>

#include <string>
#include <string_view>
#include <utility>

#include "clack/core/error.hpp"

namespace clack {

// Switches HDF5's automatic printing off for a scope and restores what the host program had set.
class Hdf5Quiet {
 public:
  Hdf5Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &report_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Quiet() { H5Eset_auto2(H5E_DEFAULT, report_, data_); }
  Hdf5Quiet(const Hdf5Quiet&) = delete;
  Hdf5Quiet& operator=(const Hdf5Quiet&) = delete;

 private:
  H5E_auto2_t report_ = nullptr;
  void* data_ = nullptr;
};

// `what` and the deepest line of HDF5's error stack, which names the cause ("No such file ...").
inline std::string hdf5_message(std::string_view what) {
  std::string cause;
  const auto keep_first = [](unsigned, const H5E_error2_t* entry, void* out) -> herr_t {
    auto& text = *static_cast<std::string*>(out);
    if (text.empty() && entry->desc != nullptr) text = entry->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &cause);
  return std::string(what) + ": " + (cause.empty() ? "HDF5 error" : cause);
}

// Throws IoError if an HDF5 call returned a negative value, else hands the value on.
template <class Result>
Result hdf5_check(Result result, std::string_view what) {
  if (result < 0) throw IoError(hdf5_message(what));
  return result;
}

// Owns one HDF5 identifier together with the function that closes it:
//   Hdf5Handle file(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "open results.h5");
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close_id, std::string_view what)
      : id_(hdf5_check(id, what)), close_(close_id) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }

  operator hid_t() const { return id_; }  // passes straight into the C API

  // A file's data may reach the disk only here, so its failure must be seen.
  void close(std::string_view what) {
    if (id_ >= 0) hdf5_check(close_(std::exchange(id_, H5I_INVALID_HID)), what);
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

// Where the header of an open group or dataset lies in its file [bytes from the start].
inline haddr_t hdf5_address(hid_t object, std::string_view what) {
#if H5_VERSION_GE(1, 12, 0)
  H5O_info1_t info;
#else
  H5O_info_t info;
#endif
  hdf5_check(H5Oget_info1(object, &info), what);
  return info.addr;
}

}  // namespace clack
