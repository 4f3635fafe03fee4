// A quantity over two others as coloured cells in SVG, with a colour bar; or classes with a legend.
//
// Colours of quantities are those of viridis, which rise evenly in lightness; classes have those of
// Okabe and Ito. A cell without a value is white with a cross.
#pragma once

#include <string>
#include <vector>

namespace clack {

struct SvgMap {
  std::string title;
  std::string x_label, y_label, value_label;  // with their units
  std::vector<double> x, y;                   // centres of the cells, each value once
  std::vector<double> values;                 // y.size() rows of x.size(); NaN: none
  std::vector<std::string> classes;           // not empty: values are indices of these
  int width = 440, height = 400;              // of the area inside the axes [px]
};

// Throws InputError where the sizes do not fit or a centre occurs twice.
std::string format_svg(const SvgMap& map);

}  // namespace clack
