// clack report: a folder with results in, one HTML page out.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "clack/app/commands.hpp"
#include "clack/app/page_template.hpp"
#include "clack/io/report/page.hpp"
#include "clack/record/files.hpp"

namespace clack::app {
namespace {

std::string rows_in_words(std::int64_t count, std::int64_t stride, std::int64_t rows) {
  if (stride == 1) return fmt::format("all {} rows", rows);
  return fmt::format("{} of {} rows, every {}{}", count, rows, stride,
                     stride == 2   ? "nd"
                     : stride == 3 ? "rd"
                                   : "th");
}

void print_words(const PageFigures& figures, const ReportArguments& arguments,
                 const std::string& file) {
  fmt::print("{}: {:.2f} MB of at most {:g} MB\n", file, 1e-6 * static_cast<double>(figures.bytes),
             arguments.max_size);
  if (figures.merged > 1) {
    fmt::print("  curves: {} points of {} rows each\n", figures.points, figures.merged);
  }
  if (figures.frames > 0) {
    fmt::print("  bodies: {}\n", rows_in_words(figures.frames, figures.frame_stride, figures.rows));
    fmt::print("  contacts: {}\n",
               rows_in_words(figures.contact_frames, figures.contact_stride, figures.rows));
  }
  if (!figures.within_limit) {
    fmt::print("  larger than --max-size: this much is needed for the first and the last row\n");
  }
}

}  // namespace

int report(const ReportArguments& arguments) {
  const RunData run(arguments.folder, {.coordinates = arguments.coordinates});
  std::filesystem::path file = arguments.output;
  if (file.empty()) file = find_results(arguments.folder).parent_path() / "report.html";
  PageFigures figures;
  write_file(file, make_page(run, page_template(), {.max_size = arguments.max_size}, figures));
  if (!arguments.json) {
    print_words(figures, arguments, file.string());
    return kDone;
  }
  const nlohmann::ordered_json summary = {{"file", file.string()},
                                          {"bytes", figures.bytes},
                                          {"rows", figures.rows},
                                          {"frames", figures.frames},
                                          {"frame_stride", figures.frame_stride},
                                          {"contact_frames", figures.contact_frames},
                                          {"contact_stride", figures.contact_stride},
                                          {"points", figures.points},
                                          {"rows_a_point", figures.merged},
                                          {"within_limit", figures.within_limit}};
  fmt::print("{}\n", summary.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return kDone;
}

}  // namespace clack::app
