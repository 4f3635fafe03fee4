// `type: assembly`: parts of any kind and the formulas that couple them.
#pragma once

#include <string>
#include <vector>

#include "clack/io/scene/system_reader.hpp"
#include "clack/io/scene/world_reader.hpp"
#include "clack/model/assembly.hpp"

namespace clack {

struct NamedAssembly {
  std::vector<AssemblyPart> parts;  // but the rigid bodies, which come before them
  NamedSystem coordinates;          // of these parts
  NamedWorld world;                 // empty where no part has rigid bodies
  bool has_bodies = false;
  Coupling coupling;
  // All that the coupling's formulas may name, bodies among them, as variables of the graph: with
  // their places in q.
  NamedSystem named;
  std::vector<int> places;
};

NamedAssembly read_assembly(const Field& field, Vocabulary& vocabulary, const std::string& folder);

}  // namespace clack
