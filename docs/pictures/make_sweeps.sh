#!/bin/sh
# Makes sweep_diagram.svg and sweep_basins.svg beside it; from the root of the repository, after ./do build.
set -e
out=out/sweep_pictures
build/clack sweep examples/vibro_impact.yaml --vary parameters.W=2.4:3.4:161 --section impact --period '2*pi/W' --skip-periods 150 --keep 40 -o $out/diagram
build/clack sweep examples/bistable_stop.yaml --vary initial.q.0=-2:2:61 --vary initial.v.0=-2:2:61 --section period=1 --skip-periods 250 --keep 4 -o $out/basins
cp $out/diagram/diagram.svg docs/pictures/sweep_diagram.svg
cp $out/basins/attractors.svg docs/pictures/sweep_basins.svg
