#include "clack/io/report/page.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "clack/core/error.hpp"

namespace clack {
namespace {

using Json = nlohmann::json;
using RowList = std::vector<std::int64_t>;
using Pack = std::function<Block(const RowList&)>;

constexpr std::string_view kMark = "<!--CLACK-DATA-->";
constexpr std::int64_t kMaxPoints = 20000;
constexpr double kPoseShare = 0.65;  // of the room for frames, where it does not hold everything
constexpr int kSamples = 3;          // blocks packed to guess the size of all
constexpr std::size_t kListed = 28;  // bytes of a frame's row and time in the head

// A script tag ends at "</", wherever it stands.
std::string safe(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3)
    text.replace(at, 2, "<\\/");
  return text;
}

std::string tag(const std::string& kind, const Block& block) {
  return "<script type=\"text/plain\" data-kind=\"" + kind + "\">" + base64(block.compress()) +
         "</script>\n";
}

RowList every(std::int64_t rows, std::int64_t stride) {
  RowList chosen;
  for (std::int64_t k = 0; k < rows; k += stride) chosen.push_back(k);
  if (chosen.back() != rows - 1) chosen.push_back(rows - 1);
  return chosen;
}

// Some of the frames, as blocks of at most `length`.
std::vector<RowList> cut(const RowList& rows, std::int64_t length) {
  std::vector<RowList> blocks;
  for (std::size_t k = 0; k < rows.size(); k += static_cast<std::size_t>(length)) {
    const auto end = std::min(rows.size(), k + static_cast<std::size_t>(length));
    blocks.emplace_back(rows.begin() + static_cast<std::ptrdiff_t>(k),
                        rows.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return blocks;
}

struct Layer {
  std::string text;
  std::int64_t stride = 1, frames = 0;
};

std::string pack_all(const std::string& kind, const Pack& pack, const RowList& rows,
                     std::int64_t length) {
  std::string text;
  for (const RowList& block : cut(rows, length)) text += tag(kind, pack(block));
  return text;
}

// Bytes of all these rows, from some blocks of them.
double guess(const std::string& kind, const Pack& pack, const RowList& rows, std::int64_t length) {
  const std::vector<RowList> blocks = cut(rows, length);
  std::size_t bytes = 0, seen = 0;
  const auto n = static_cast<std::int64_t>(blocks.size());
  const std::int64_t samples = std::min<std::int64_t>(n, kSamples);
  for (std::int64_t i = 0; i < samples; ++i) {
    const auto at = static_cast<std::size_t>((2 * i + 1) * n / (2 * samples));
    bytes += tag(kind, pack(blocks[at])).size() + kListed * blocks[at].size();
    seen += blocks[at].size();
  }
  return static_cast<double>(bytes) * static_cast<double>(rows.size()) / static_cast<double>(seen);
}

// Packs every stride-th of `rows`, with the smallest stride that keeps to `room` bytes.
Layer fit(const std::string& kind, const Pack& pack, const RowList& rows, std::int64_t length,
          double room) {
  Layer layer;
  const auto choose = [&](std::int64_t stride) {
    RowList chosen;
    for (std::int64_t k : every(static_cast<std::int64_t>(rows.size()), stride))
      chosen.push_back(rows[static_cast<std::size_t>(k)]);
    return chosen;
  };
  const auto last = std::max<std::int64_t>(1, static_cast<std::int64_t>(rows.size()) - 1);
  while (layer.stride < last && guess(kind, pack, choose(layer.stride), length) > 1.2 * room)
    layer.stride = std::min(last, 2 * layer.stride);
  if (layer.stride > 1) layer.stride = layer.stride / 2 + 1;  // the doubling went past it
  for (;;) {
    const RowList chosen = choose(layer.stride);
    layer.text = pack_all(kind, pack, chosen, length);
    layer.frames = static_cast<std::int64_t>(chosen.size());
    const double excess = static_cast<double>(layer.text.size() + kListed * chosen.size()) / room;
    if (excess <= 1 || layer.stride >= last) return layer;
    layer.stride = std::clamp(static_cast<std::int64_t>(std::ceil(layer.stride * excess)),
                              layer.stride + 1, last);
  }
}

std::string insert(std::string_view page_template, const std::string& data) {
  const std::size_t at = page_template.find(kMark);
  if (at == std::string_view::npos) throw InputError("the template of the report has no mark");
  std::string page(page_template.substr(0, at));
  page += data;
  page += page_template.substr(at + kMark.size());
  return page;
}

std::string head_tag(const Json& head) {
  return "<script type=\"application/json\" id=\"clack-head\">" + safe(head) + "</script>\n";
}

}  // namespace

std::string make_page(const RunData& run, std::string_view page_template,
                      const PageOptions& options, PageFigures& figures) {
  const double limit = 1e6 * options.max_size;
  figures.rows = run.rows();
  figures.merged = (run.rows() + kMaxPoints - 1) / kMaxPoints;
  figures.points = run.points(figures.merged);
  Json head = run.head();
  head["curves"] = {{"merged", figures.merged}, {"points", figures.points}};
  std::string data = tag("curves", run.curves_block(figures.merged, 0, figures.points));
  if (run.is_world()) {
    data += tag("bodies", run.bodies_block());
    const std::int64_t length = run.rows_per_block();
    const double room = limit - static_cast<double>(page_template.size() + data.size()) -
                        static_cast<double>(safe(head).size()) - 1000;
    const Pack poses = [&](const RowList& rows) { return run.frames_block(rows); };
    const Pack contacts = [&](const RowList& rows) { return run.contacts_block(rows); };
    const RowList all = every(run.rows(), 1);
    const double whole_contacts = guess("contacts", contacts, all, length);
    const double pose_room = std::max(kPoseShare * room, room - 1.2 * whole_contacts);
    const Layer frames = fit("frames", poses, all, length, std::max(1.0, pose_room));
    const RowList chosen = every(run.rows(), frames.stride);
    const double left =
        std::max(1.0, room - static_cast<double>(frames.text.size() + kListed * chosen.size()));
    const Layer forces = fit("contacts", contacts, chosen, length, left);
    Json times = Json::array();
    for (std::int64_t row : chosen) times.push_back(run.time()[static_cast<std::size_t>(row)]);
    head["frames"] = {
        {"stride", frames.stride}, {"per_block", length}, {"rows", chosen}, {"times", times}};
    head["contact_frames"] = {
        {"stride", forces.stride}, {"per_block", length}, {"count", forces.frames}};
    data += frames.text + forces.text;
    figures.frames = frames.frames;
    figures.frame_stride = frames.stride;
    figures.contact_frames = forces.frames;
    figures.contact_stride = frames.stride * forces.stride;
  }
  head["limit"] = limit;
  for (std::int64_t bytes = 0;; bytes = figures.bytes) {  // the page states its own size
    head["bytes"] = bytes;
    const std::string page = insert(page_template, head_tag(head) + data);
    figures.bytes = static_cast<std::int64_t>(page.size());
    figures.within_limit = static_cast<double>(figures.bytes) <= limit;
    if (figures.bytes == bytes) return page;
  }
}

std::string make_block_page(Json head,
                            const std::vector<std::pair<std::string, const Block*>>& blocks,
                            std::string_view page_template) {
  std::string data;
  for (const auto& [name, block] : blocks) data += tag(name, *block);
  return insert(page_template, head_tag(head) + data);
}

std::string make_live_page(const nlohmann::json& head, std::string_view page_template) {
  return insert(page_template, head_tag(head));
}

}  // namespace clack
