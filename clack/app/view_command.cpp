// clack view: the report of a run that may still be going on, served to browsers of this machine.
//
//   GET /                          the page, without data
//   GET /head                      what the page needs to know, anew: more rows, the summary
//   GET /bodies                    a block (clack/io/report/block.hpp)
//   GET /curves, /frames, /contacts?first=K&count=N     points K to K + N of those of the head
#include <fmt/format.h>

#include <cmath>
#include <mutex>

#include "clack/app/commands.hpp"
#include "clack/app/page_template.hpp"
#include "clack/core/error.hpp"
#include "clack/io/report/page.hpp"

#include <httplib.h>  // last: it brings a macro _res that Eigen cannot bear

namespace clack::app {
namespace {

constexpr std::int64_t kMaxPoints = 20000;
constexpr std::int64_t kMaxAsked = 100000;

// Rows a point, so that the whole run keeps to kMaxPoints: it must not change while it grows.
std::int64_t rows_a_point(const nlohmann::json& head) {
  const nlohmann::json& options = head["options"];
  double expected = static_cast<double>(head["rows"].get<std::int64_t>());
  if (options.is_object() && options.value("step", 0.0) > 0) {
    const double steps = (options.value("end", 0.0) - options.value("start", 0.0)) /
                         options.value("step", 1.0) /
                         std::max(1.0, options.value("output_every", 1.0));
    if (std::isfinite(steps)) expected = std::max(expected, steps);
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(expected / kMaxPoints)));
}

class Viewer {
 public:
  explicit Viewer(std::string folder) : folder_(std::move(folder)) {
    merged_ = rows_a_point(RunData(folder_).head());
  }

  nlohmann::json head() const {
    const RunData run(folder_);  // opened anew: to see newer rows
    nlohmann::json head = run.head();
    head["live"] = true;
    head["curves"] = {{"merged", merged_}, {"points", run.points(merged_)}};
    head["frames"] = {{"stride", merged_}, {"per_block", run.rows_per_block()}};
    head["contact_frames"] = {{"stride", 1}, {"per_block", run.rows_per_block()}};
    return head;
  }

  Block block(const std::string& kind, std::int64_t first, std::int64_t count) const {
    const RunData run(folder_);
    if (kind == "bodies") return run.bodies_block();
    const std::int64_t end = std::min(run.points(merged_), first + std::min(count, kMaxAsked));
    if (first < 0 || first >= end) throw InputError("there are no such rows");
    if (kind == "curves") return run.curves_block(merged_, first, end - first);
    std::vector<std::int64_t> rows;
    for (std::int64_t k = first; k < end; ++k) rows.push_back(k * merged_);
    return kind == "frames" ? run.frames_block(rows) : run.contacts_block(rows);
  }

 private:
  std::string folder_;
  std::int64_t merged_ = 1;
};

std::int64_t whole_number(const httplib::Request& request, const char* name) {
  const std::string text = request.get_param_value(name);
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0') throw InputError(std::string(name) + " is not a whole number");
  return value;
}

// What goes wrong is said to the browser, in words.
template <class Answer>
httplib::Server::Handler guarded(std::mutex& mutex, Answer answer) {
  return [&mutex, answer](const httplib::Request& request, httplib::Response& response) {
    const std::lock_guard lock(mutex);  // HDF5 is used by one thread at a time
    try {
      answer(request, response);
    } catch (const std::exception& error) {
      response.status = 500;
      response.set_content(error.what(), "text/plain; charset=utf-8");
    }
  };
}

}  // namespace

int view(const ViewArguments& arguments) {
  const std::string_view page = page_template();
  const Viewer viewer(arguments.folder);
  std::mutex mutex;
  httplib::Server server;
  server.set_socket_options([](socket_t socket) {  // without SO_REUSEPORT, httplib's default: two
    const int yes = 1;                             // programs on one port would share the requests
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.new_task_queue = [] { return new httplib::ThreadPool(4); };
  server.set_default_headers(
      {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}});
  // A page of another site must not read this one through a name that leads here.
  server.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
    const std::string host = request.get_header_value("Host");
    const std::string name = host.substr(0, host.rfind(':'));
    if (name == "127.0.0.1" || name == "localhost")
      return httplib::Server::HandlerResponse::Unhandled;
    response.status = 403;
    return httplib::Server::HandlerResponse::Handled;
  });
  server.Get("/", guarded(mutex, [&](const auto&, auto& response) {
               response.set_content(make_live_page(viewer.head(), page),
                                    "text/html; charset=utf-8");
             }));
  server.Get("/head", guarded(mutex, [&](const auto&, auto& response) {
               response.set_content(
                   viewer.head().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                   "application/json");
             }));
  for (const std::string kind : {"bodies", "curves", "frames", "contacts"}) {
    server.Get("/" + kind, guarded(mutex, [&viewer, kind](const auto& request, auto& response) {
                 const bool all = kind == "bodies";
                 const Block block = viewer.block(kind, all ? 0 : whole_number(request, "first"),
                                                  all ? 1 : whole_number(request, "count"));
                 response.set_content(block.compress(), "application/octet-stream");
               }));
  }
  const int port = arguments.port == 0 ? server.bind_to_any_port("127.0.0.1")
                   : server.bind_to_port("127.0.0.1", arguments.port) ? arguments.port
                                                                      : -1;
  if (port < 0) {
    throw IoError(
        fmt::format("port {} of 127.0.0.1 cannot be had; is it in use? --port 0 takes a free one",
                    arguments.port));
  }
  fmt::print("http://127.0.0.1:{}/ shows {}; end with Ctrl-C\n", port, arguments.folder);
  std::fflush(stdout);
  server.listen_after_bind();
  return kDone;
}

}  // namespace clack::app
