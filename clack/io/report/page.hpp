// One self-contained HTML page: the template of web/ with a run's data in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clack/io/report/block.hpp"
#include "clack/io/report/run_data.hpp"

namespace clack {

struct PageOptions {
  double max_size = 15;  // of the page [MB, 10^6 bytes]
};

struct PageFigures {
  std::int64_t bytes = 0;
  std::int64_t rows = 0;
  std::int64_t frames = 0, frame_stride = 1;  // rows between two frames; 0 frames: a system
  std::int64_t contact_frames = 0, contact_stride = 1;
  std::int64_t points = 0, merged = 1;  // of the curves; rows a point
  bool within_limit = true;             // false: already the first and the last frame exceed it
};

// Poses are drawn at as many rows as the size allows, evenly spaced, the last one with them;
// contacts at every one of these or fewer.
std::string make_page(const RunData& run, std::string_view page_template,
                      const PageOptions& options, PageFigures& figures);

// A page of other data: its head, which names their kind, and blocks by name.
std::string make_block_page(nlohmann::json head,
                            const std::vector<std::pair<std::string, const Block*>>& blocks,
                            std::string_view page_template);

// The same page without data: it asks a server for them (`clack view`).
std::string make_live_page(const nlohmann::json& head, std::string_view page_template);

}  // namespace clack
