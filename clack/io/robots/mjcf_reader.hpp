// The common part of MJCF, the models of MuJoCo. docs/robots.md says what is read.
#pragma once

#include "clack/io/robots/robot_options.hpp"
#include "clack/io/robots/xml_document.hpp"

namespace clack {

// Throws SceneError with every complaint.
Robot read_mjcf(XmlDocument& document, const RobotOptions& options);

}  // namespace clack
