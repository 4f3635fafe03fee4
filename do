#!/usr/bin/env bash
# The one entrance to the project: ./do help
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

packages_build=(g++ cmake ninja-build pkg-config libeigen3-dev libfmt-dev libyaml-cpp-dev
                nlohmann-json3-dev libcli11-dev libhdf5-dev libfclib-dev libhwy-dev libsundials-dev
                libqhull-dev libassimp-dev libpugixml-dev libspectra-dev libtbb-dev zlib1g-dev libcpp-httplib-dev)
# The report page is bundled by npm; a newer one than Debian's will do as well.
command -v npm >/dev/null || packages_build+=(nodejs npm)
packages_python=(pybind11-dev python3-dev python3-numpy python3-scipy python3-h5py python3-matplotlib)
packages_test=(libgtest-dev libfcl-dev libccd-dev libmujoco-dev chromium python3 "${packages_python[@]}")
packages_bench=(libbenchmark-dev libbullet-dev)
packages_peer=(python3-siconos)
packages_format=(clang-format git)

usage() {
  cat <<'TEXT'
usage: ./do COMMAND [ARGUMENTS]

  build                 the library and the program build/clack (Release)
  run [SCENE] [OPTION]  builds, then `clack run SCENE -o out/NAME` (examples/woodpecker.yaml)
                        and `clack report out/NAME`: a page to open in a browser
  python [SCRIPT ...]   builds the module, then Python with `import clack`: a prompt, or a script
  test                  all tests but the slow ones
  test targets          all tests but the slow ones once for each vector instruction set of the machine
  test sanitized        the fast tests under ASan and UBSan, in a build of their own
  test debug            the fast tests but physics without optimisation and with assertions, in a build of
                        their own
  test debug -R NAME    any arguments of ctest, in that build
  test slow             the slow tests only
  test NAME             the tests whose name contains NAME (a regular expression)
  test -L LABEL ...     any arguments of ctest, Release only
  bench [FILTER]        the benchmarks, all or those that match FILTER
  bench peer            auto and nsgs against Siconos on ../shared/problems at 1e-8, into out/bench;
                        further options are those of `clack bench`
  bench solvers         all our solvers on the same problems at 1e-4 and 1e-8
  bench scaling         time over size on generated piles: table, CSV and plot in out/bench
  bench orders          orders and costs of all schemes on examples, into out/bench/orders.md, and the picture of
                        energies; --docs puts both into docs/
  format [--check]      clang-format on the C++ files; --check changes nothing and reports
  clean                 removes build/, build-sanitize/ and build-debug/
  help                  this text

Missing Debian packages are installed first (as root or through sudo).
TEXT
}

die() { echo "do: $*" >&2; exit 2; }

# need PACKAGE...: installs those that dpkg does not know as installed; silent when none is missing.
need() {
  command -v dpkg-query >/dev/null || return 0  # not Debian: CMake names what it does not find
  local installed missing=() package as_root=()
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    grep -qxF "installed $package" <<<"$installed" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "missing packages: ${missing[*]}
Neither root nor sudo here. Ask an administrator for:
  apt-get install -y --no-install-recommends ${missing[*]}"
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}"
  as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -qq)
  "${as_root[@]}" update || echo "do: apt-get update failed; trying with the lists at hand" >&2
  "${as_root[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null ||
    die "could not install: ${missing[*]}"
}

# configure FOLDER OPTION...: CMake's output is shown only when it fails or warns.
configure() {
  local folder=$1 log
  shift
  mkdir -p "$root/$folder"
  log=$root/$folder/configure.log
  cmake -S "$root" -B "$root/$folder" -G Ninja "$@" >"$log" 2>&1 || { cat "$log" >&2; return 1; }
  if grep -q '^CMake.* Warning' "$log"; then cat "$log" >&2; fi
}

# compile FOLDER TARGET...: a progress line on a terminal, nothing in a pipe unless it fails.
compile() {
  local build=(cmake --build "$root/$1" --target "${@:2}")
  if [[ -t 1 ]]; then
    "${build[@]}"
  else
    "${build[@]}" -- --quiet | sed '/^ninja: no work to do\.$/d'
  fi
}

slow_tests=ON
release() {
  configure build -DCMAKE_BUILD_TYPE=Release -DCLACK_SANITIZE=OFF -DCLACK_SLOW_TESTS=$slow_tests
  compile build "$@"
}

do_build() {
  need "${packages_build[@]}"
  release clack_build
}

do_run() {
  local scene=$root/examples/woodpecker.yaml name status=0 words=1 page=0
  if (($#)) && [[ $1 != -* ]]; then
    scene=$1
    shift
  fi
  [[ -f $scene ]] || die "no scene file '$scene'"
  do_build
  name=$(basename "${scene%.*}")
  "$root/build/clack" run "$scene" -o "$root/out/$name" "$@" || status=$?
  ((status < 2)) || return "$status"  # 1: a step failed; what was computed is kept and shown
  [[ " $* " != *" --json "* ]] || words=2  # the JSON object stays the last line of stdout
  {
    "$root/build/clack" report "$root/out/$name" >/dev/null && page=1
    echo "Results in out/$name:"
    (cd "$root/out/$name" && find . -type f | sed 's|^\./|  |' | sort)
    ((page == 0)) || echo "Open in a browser: file://$root/out/$name/report.html"
  } >&"$words"
  return "$status"
}

# Debian's own interpreter: another python3 in PATH may lack the packages.
do_python() {
  need "${packages_build[@]}" "${packages_python[@]}"
  release clack_package
  PYTHONPATH=$root/build/python${PYTHONPATH:+:$PYTHONPATH} exec /usr/bin/python3 "$@"
}

# ctest_in FOLDER ARGUMENT...: runs ctest, adds its counts to passed, failed and skipped.
passed=0 failed=0 skipped=0
ctest_in() {
  local folder=$1 status=0 report counts
  report=$root/$folder/ctest.xml
  shift
  rm -f "$report"
  ctest --test-dir "$root/$folder" --parallel "$(nproc)" --output-on-failure \
        --output-junit "$report" "$@" || status=$?
  if [[ -f $report ]]; then
    counts=$(tr '\n' ' ' <"$report" | sed -E 's/^[^<]*(<\?[^>]*>)? *<testsuite ([^>]*)>.*/\2/')
    count() { sed -nE "s/.*[[:space:]]$1=\"([0-9]+)\".*/\1/p" <<<" $counts"; }
    failed=$((failed + $(count failures)))
    skipped=$((skipped + $(count skipped) + $(count disabled)))
    passed=$((passed + $(count tests) - $(count failures) - $(count skipped) - $(count disabled)))
  fi
  return "$status"
}

do_test() {
  local status=0
  need "${packages_build[@]}" "${packages_test[@]}"
  # Where the slow ones are not run they need not be built.
  if (($# == 0)) || [[ $1 == targets ]]; then slow_tests=OFF; fi
  [[ ${1-} == sanitized || ${1-} == debug ]] || release clack_tests
  case ${1-} in
    '') ctest_in build -LE '^slow$' --no-tests=error || status=1 ;;
    sanitized) test_sanitized || status=1 ;;
    debug) shift
           test_debug "$@" || status=1 ;;
    targets) test_targets || status=1 ;;
    slow) shift
          ctest_in build -L '^slow$' --no-tests=ignore "$@" || status=1 ;;
    -*) ctest_in build --no-tests=error "$@" || status=1 ;;
    *) ctest_in build --no-tests=error -R "$@" || status=1 ;;
  esac
  echo "$passed passed, $failed failed, $skipped skipped"
  return "$status"
}

# The targets are those that `clack list targets` knows here.
test_targets() {
  local target status=0
  for target in $("$root/build/clack" list targets | cut -d' ' -f1); do
    echo "Vector target $target"
    CLACK_VECTOR_TARGET=$target ctest_in build -LE '^slow$' --no-tests=error || status=1
  done
  return "$status"
}

test_sanitized() {
  # Debug keeps assert() and Eigen's checks; the sanitizer flags of cmake/warnings.cmake set -O1.
  configure build-sanitize -DCMAKE_BUILD_TYPE=Debug -DCLACK_SANITIZE=ON -DCLACK_SLOW_TESTS=OFF || return 1
  compile build-sanitize all || return 1
  ASAN_OPTIONS=detect_leaks=1:halt_on_error=1 \
  UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
    ctest_in build-sanitize -L '^fast$' --no-tests=error
}

# No optimiser between the code and its assertions, and a debugger that shows every variable. Without it Eigen is some
# 30 times slower, and the physics would take hours.
test_debug() {
  configure build-debug -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG='-O0 -g' -DCLACK_SANITIZE=OFF \
            -DCLACK_SLOW_TESTS=OFF -DCLACK_BENCH=OFF || return 1
  compile build-debug clack_tests || return 1
  if (($# == 0)); then set -- -L '^fast$' -LE '^physics$'; fi
  ctest_in build-debug --no-tests=error "$@"
}

do_bench() {
  case ${1-} in
    peer) shift
          need "${packages_build[@]}" "${packages_peer[@]}"
          bench_problems auto,nsgs 1e-8 --peer siconos "$@" ;;
    solvers) shift
             need "${packages_build[@]}"
             bench_problems all 1e-4,1e-8 "$@" ;;
    scaling) need "${packages_build[@]}" "${packages_bench[@]}"
             release all
             "$root/build/bench/scaling" "$root/out/bench" ;;
    orders) shift
            bench_orders "$@" ;;
    *) bench_programs "$@" ;;
  esac
}

bench_orders() {
  local pictures=$root/out/bench
  need "${packages_build[@]}" "${packages_bench[@]}" python3
  release all
  python3 "$root/bench/orders.py" "$@"
  if [[ " $* " == *" --docs "* ]]; then pictures=$root/docs/pictures; fi
  "$root/build/bench/energies" "$pictures"
}

bench_programs() {
  local program arguments=()
  need "${packages_build[@]}" "${packages_bench[@]}"
  release all
  if (($#)); then arguments=(--benchmark_filter="$1" "${@:2}"); fi
  for program in "$root"/build/bench/*_bench; do
    if [[ -f $program && -x $program ]]; then "$program" "${arguments[@]}"; fi
  done
}

# bench_problems SOLVERS TOLERANCES OPTION...: clack bench on the collection beside the checkout;
# SOLVERS (all: every one of ours), TOLERANCES and the folder out/bench give way to the options.
bench_problems() {
  local problems=$root/../shared/problems solvers=$1 tolerances=$2 kind folders=() options=()
  shift 2
  [[ -d $problems ]] || die "there is no folder $problems with problems to solve
With your own: build/clack bench PROBLEM... $*"
  for kind in fc3d fc2d global rolling; do
    if [[ -d $problems/$kind ]]; then folders+=("$problems/$kind"); fi
  done
  release clack_build
  if [[ $solvers == all ]]; then
    solvers=$("$root/build/clack" list solvers | cut -d' ' -f1 | paste -sd,)
  fi
  [[ " $*" == *" --solvers"* ]] || options+=(--solvers "$solvers")
  [[ " $*" == *" --tol"* ]] || options+=(--tol "$tolerances")
  [[ " $*" == *" -o"* || " $*" == *" --output"* ]] || options+=(-o "$root/out/bench")
  "$root/build/clack" bench "${folders[@]}" "${options[@]}" "$@"
}

do_format() {
  local mode=(-i)
  need "${packages_format[@]}"
  if [[ ${1-} == --check ]]; then mode=(--dry-run --Werror); fi
  cd "$root"
  git ls-files -z --cached --others --exclude-standard -- '*.cpp' '*.hpp' '*.cu' |
    while IFS= read -r -d '' file; do
      if [[ -f $file ]]; then printf '%s\0' "$file"; fi
    done |
    xargs -0 -r clang-format --style=file "${mode[@]}"
}

do_clean() { rm -rf "$root/build" "$root/build-sanitize" "$root/build-debug"; }

command=${1-help}
if (($#)); then shift; fi
case $command in
  build | run | python | test | bench | format | clean) "do_$command" "$@" ;;
  help | -h | --help) usage ;;
  *) usage >&2
     die "unknown command '$command'" ;;
esac
