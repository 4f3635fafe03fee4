// Contacts as a structured NumPy array.
#pragma once

#include "python/bindings/simulation.hpp"

namespace clack::python {

void bind_contacts(py::class_<PySimulation, std::shared_ptr<PySimulation>>& simulation);

}  // namespace clack::python
