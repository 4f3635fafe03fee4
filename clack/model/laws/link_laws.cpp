// Ties and links between two points.
#include "clack/model/laws/law_list.hpp"

namespace clack {

std::vector<LawInfo> link_laws() { return {}; }

}  // namespace clack
