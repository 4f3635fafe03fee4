#include "clack/io/plots/svg_parts.hpp"

#include <algorithm>

namespace clack {
namespace {

constexpr double kLetter = 6.9;  // the mean width of one at 12 px

}  // namespace

std::string svg_text(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
    }
  }
  return safe;
}

double svg_width(const std::string& text) {
  const auto letters = std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; });
  return kLetter * static_cast<double>(letters);
}

void put_svg_tick(TextBuffer& out, const AxisTick& tick, double x, double y, const char* anchor) {
  put(out, "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\">{}", x, y, anchor,
      svg_text(tick.text));
  if (!tick.exponent.empty())
    put(out, "<tspan dy=\"-5\" font-size=\"9\">{}</tspan>", svg_text(tick.exponent));
  put(out, "</text>\n");
}

}  // namespace clack
