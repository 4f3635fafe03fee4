// Events of a run: what happened at contacts and links between two steps, whatever rows are kept.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace clack {

enum class EventKind : std::int32_t {
  impact,  // a contact takes up load while its bodies approach each other
  close,   // it takes up load without such a velocity
  open,    // it carries load no more
  stick,   // it slid and sticks now
  slip,    // it stuck and slides now
  rupture  // a bond or a link breaks
};
constexpr int kEventKinds = 6;

// The name used in files: impact, close, open, stick, slip, break.
std::string_view to_string(EventKind kind);
// That of a code of a file; "unknown" for one that is none.
std::string_view event_name(std::int32_t code);

struct EventRow {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  double time = 0;  // [s]: end of the step, or the instant where the scheme locates it
  EventKind kind = EventKind::impact;
  int id = -1;      // index into /model/contact_name; -1 between rigid bodies without a link
  int body_a = -1;  // indices into /bodies; -1 is the surroundings
  int body_b = -1;
  std::int64_t feature = 0;                                      // as in ContactRow
  std::array<double, 3> u_before{kUnknown, kUnknown, kUnknown};  // N, T1, T2 [m/s]
  std::array<double, 3> u_after = u_before;                      // [m/s]
  std::array<double, 3> impulse{};                               // of the step [N s]
};

}  // namespace clack
