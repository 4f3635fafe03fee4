#include "clack/io/scene/motion_reader.hpp"

#include <fmt/format.h>

#include "clack/io/tables/table_reader.hpp"

namespace clack {

// Columns t, x, y, z and the rotation vector; in the plane t, x, y and the angle.
std::shared_ptr<const TimeTable> read_motion_table(const Field& field, const ShapeReader& shapes) {
  const auto name = field.text("a file of numbers");
  if (!name) return nullptr;
  try {
    const Table table = read_table(shapes.folder() + "/" + *name);
    const bool planar = shapes.planar();
    const std::size_t wanted = planar ? 4 : 7;
    if (table.columns != wanted) {
      field.complain(fmt::format(
          "has {} columns; expected {}", table.columns,
          planar ? "4: t, x, y, angle" : "7: t, x, y, z and three of the rotation vector"));
      return nullptr;
    }
    TimeTable result;
    for (std::size_t k = 0; k < table.rows(); ++k) {
      std::array<double, 6> values{};
      for (std::size_t j = 1; j < wanted; ++j)
        values[planar && j == 3 ? 5 : j - 1] = table.at(k, j);
      result.add(table.at(k, 0), values);
    }
    return std::make_shared<const TimeTable>(std::move(result));
  } catch (const InputError& error) {
    field.complain(error.what());
  } catch (const IoError& error) {
    field.complain(error.what());
  }
  return nullptr;
}

}  // namespace clack
