// Changes the place and the number of rows of a contiguous dataset in the bytes of an HDF5 file.
//
// HDF5 File Format Specification Version 3.0, sections II.A (superblock), IV.A.1.a (version 1
// object header), IV.A.2.b (dataspace message) and IV.A.2.i (data layout message). Assumes
// superblock version 0 with 8-byte offsets and lengths, as H5F_LIBVER_EARLIEST writes it: no
// checksums, hence nothing else to keep up to date. Whatever is changed is first compared with
// what HDF5 must have written there; a difference throws IoError and changes nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace clack {

using Hdf5Image = std::span<unsigned char>;  // a whole file, from its first byte

struct RowStorage {
  std::uint64_t offset;  // of the first row [bytes from the start of the file]
  std::uint64_t size;    // room for rows [bytes]; may exceed what the rows take
};

// For the dataset with dimensions `dims` and no storage yet whose object header is at `address`:
// sets its storage and its first dimension. Its optional maximum dimensions are dropped, or it
// would claim to be extendible, which HDF5 forbids for contiguous storage. Returns the place of
// the 8-byte first dimension, so that rows can be made visible by writing it alone.
[[nodiscard]] std::uint64_t place_rows(Hdf5Image image, std::uint64_t address,
                                       const std::vector<std::uint64_t>& dims, std::uint64_t rows,
                                       const RowStorage& storage);

// Declares that the file ends at `end`, behind the bytes of the image.
void place_end_of_file(Hdf5Image image, std::uint64_t end);

}  // namespace clack
