// What a program adds to a scene where words are not enough: objects that the scene names.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "clack/io/tables/table_reader.hpp"
#include "clack/model/bodies/world_load.hpp"
#include "clack/model/forced_system.hpp"
#include "clack/model/laws/law.hpp"

namespace clack {

struct SceneObjects {
  std::map<std::string, LawPtr> laws;                            // wherever a law is named
  std::map<std::string, std::shared_ptr<const System>> systems;  // {type: own, object: NAME}
  std::map<std::string, Table> tables;                           // in place of files of that name
  std::shared_ptr<const AppliedForce> force;                     // on a system with coordinates
  std::shared_ptr<const WorldLoad> load;                         // on a world of rigid bodies
};

}  // namespace clack
