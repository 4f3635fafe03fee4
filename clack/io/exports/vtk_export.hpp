// Results as VTK files that ParaView opens: NAME.pvd, a time series, beside a folder NAME with
//
//   bodies_K.vtp    a point at the centre of each body that is there, with velocity, spin,
//                   rotation, radius (of spheres and discs, else 0), mass, material, kind, id
//   surfaces_K.vtp  the surfaces of bodies that move and are no spheres or discs; cells carry id
//                   and velocity
//   fixed.vtp       those of fixed bodies that are always there, once; planes and lines have no
//                   end and are left out
//   contacts_K.vtp  a point for each contact, with impulse (vector, on b), r, u, normal, gap,
//                   status, body_a, body_b, and what laws remember
//
// Files are XML with raw appended data, little endian. Field data of bodies_K: time and energies.
#pragma once

#include <cstdint>
#include <string>

namespace clack {

// Returns the number of time steps written. Throws InputError for results without bodies, IoError
// where a file cannot be written.
std::int64_t export_vtk(const std::string& results, const std::string& pvd, std::int64_t every = 1);

}  // namespace clack
