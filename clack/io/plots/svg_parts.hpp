// What pictures in SVG have in common.
#pragma once

#include <string>

#include "clack/io/plots/axis_map.hpp"
#include "clack/io/text_buffer.hpp"

namespace clack {

std::string svg_text(const std::string& text);  // with the signs of XML escaped
double svg_width(const std::string& text);      // of text of 12 px, letters not bytes [px]
void put_svg_tick(TextBuffer& out, const AxisTick& tick, double x, double y, const char* anchor);

}  // namespace clack
