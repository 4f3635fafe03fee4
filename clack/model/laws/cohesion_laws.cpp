// The laws of cohesion: attraction and bonds that break.
#include "clack/model/laws/law_list.hpp"

namespace clack {

std::vector<LawInfo> cohesion_laws() { return {}; }

}  // namespace clack
