#include "clack/io/results/object_header.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "clack/core/error.hpp"

namespace clack {
namespace {

static_assert(std::endian::native == std::endian::little, "HDF5 metadata is little endian");

constexpr std::uint16_t kDataspaceMessage = 0x0001;
constexpr std::uint16_t kLayoutMessage = 0x0008;
constexpr std::uint16_t kContinuationMessage = 0x0010;
constexpr std::uint64_t kUndefinedAddress = std::numeric_limits<std::uint64_t>::max();

constexpr std::size_t kSuperblockSize = 96;
constexpr std::size_t kBaseAddress = 24;  // offsets in the superblock
constexpr std::size_t kEndOfFile = 40;
constexpr std::size_t kPrefixSize = 16;  // of a version 1 object header, with its padding
constexpr std::size_t kMessageHeaderSize = 8;
constexpr std::size_t kDataspaceFlags = 2;  // offsets in the dataspace message
constexpr std::size_t kDataspaceDims = 8;
constexpr std::size_t kLayoutAddress = 2;  // offsets in the layout message
constexpr std::size_t kLayoutSize = 10;
constexpr unsigned char kHasMaximumDims = 0x01;

[[noreturn]] void throw_unexpected(const std::string& what) {
  throw IoError("unexpected HDF5 metadata: " + what +
                "; this HDF5 library writes a format that Clack cannot append to");
}

void require(bool condition, const char* what) {
  if (!condition) throw_unexpected(what);
}

// The part [offset, offset + size) of the image, which must have it.
Hdf5Image part(Hdf5Image image, std::uint64_t offset, std::uint64_t size) {
  require(offset <= image.size() && size <= image.size() - offset, "address outside of the file");
  return image.subspan(offset, size);
}

template <class T>
T load(Hdf5Image bytes, std::size_t at) {
  T value;
  std::memcpy(&value, part(bytes, at, sizeof(T)).data(), sizeof(T));
  return value;
}

void store(Hdf5Image bytes, std::size_t at, std::uint64_t value) {
  std::memcpy(part(bytes, at, sizeof value).data(), &value, sizeof value);
}

void check_superblock(Hdf5Image image) {
  const Hdf5Image block = part(image, 0, kSuperblockSize);
  require(std::memcmp(block.data(), "\211HDF\r\n\032\n", 8) == 0, "no HDF5 signature");
  require(block[8] == 0, "superblock version");
  require(block[13] == 8 && block[14] == 8, "size of offsets or lengths");
  require(load<std::uint64_t>(block, kBaseAddress) == 0, "base address");
}

// Data of the first message of a type in the version 1 object header at `address`.
Hdf5Image find_message(Hdf5Image image, std::uint64_t address, std::uint16_t wanted) {
  constexpr std::size_t kMaxBlocks = 64;  // a chain that does not end is damage
  const Hdf5Image prefix = part(image, address, kPrefixSize);
  require(prefix[0] == 1, "object header version");
  std::vector<Hdf5Image> blocks{part(image, address + kPrefixSize, load<std::uint32_t>(prefix, 8))};
  for (std::size_t i = 0; i < blocks.size() && i < kMaxBlocks; ++i) {
    Hdf5Image rest = blocks[i];
    while (rest.size() >= kMessageHeaderSize) {
      const auto type = load<std::uint16_t>(rest, 0);
      const Hdf5Image data = part(rest, kMessageHeaderSize, load<std::uint16_t>(rest, 2));
      if (type == wanted) return data;
      if (type == kContinuationMessage) {
        blocks.push_back(part(image, load<std::uint64_t>(data, 0), load<std::uint64_t>(data, 8)));
      }
      rest = rest.subspan(kMessageHeaderSize + data.size());
    }
  }
  throw_unexpected("missing object header message");
}

Hdf5Image find_dataspace(Hdf5Image image, std::uint64_t address,
                         const std::vector<std::uint64_t>& dims) {
  const Hdf5Image space = find_message(image, address, kDataspaceMessage);
  const std::size_t size = 8 * dims.size();
  require(space.size() >= kDataspaceDims + size, "dataspace size");
  require(space[0] == 1 && space[1] == dims.size(), "dataspace version or rank");
  require(std::memcmp(&space[kDataspaceDims], dims.data(), size) == 0, "dataspace dimensions");
  // An aligned count lies in one page, so that no reader can see half of it.
  require((space.data() - image.data()) % 8 == 0, "dataspace alignment");
  return space;
}

Hdf5Image find_layout(Hdf5Image image, std::uint64_t address) {
  constexpr unsigned char kContiguous = 1;
  const Hdf5Image layout = find_message(image, address, kLayoutMessage);
  require(layout.size() >= kLayoutSize + 8, "layout size");
  require(layout[0] == 3 && layout[1] == kContiguous, "layout version or class");
  require(load<std::uint64_t>(layout, kLayoutAddress) == kUndefinedAddress, "storage address");
  return layout;
}

}  // namespace

std::uint64_t place_rows(Hdf5Image image, std::uint64_t address,
                         const std::vector<std::uint64_t>& dims, std::uint64_t rows,
                         const RowStorage& storage) {
  check_superblock(image);
  const Hdf5Image space = find_dataspace(image, address, dims);
  const Hdf5Image layout = find_layout(image, address);
  space[kDataspaceFlags] = static_cast<unsigned char>(space[kDataspaceFlags] & ~kHasMaximumDims);
  store(space, kDataspaceDims, rows);
  const Hdf5Image maximum_dims = space.subspan(kDataspaceDims + 8 * dims.size());
  std::memset(maximum_dims.data(), 0, maximum_dims.size());
  store(layout, kLayoutAddress, storage.size > 0 ? storage.offset : kUndefinedAddress);
  store(layout, kLayoutSize, storage.size);
  return static_cast<std::uint64_t>(space.data() - image.data()) + kDataspaceDims;
}

void place_end_of_file(Hdf5Image image, std::uint64_t end) {
  check_superblock(image);
  require(load<std::uint64_t>(image, kEndOfFile) == image.size(), "end of file");
  require(end >= image.size(), "end of file");
  store(image, kEndOfFile, end);
}

}  // namespace clack
