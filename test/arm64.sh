#!/usr/bin/env bash
# Dromos on arm64, in a Debian of its own that an emulator runs: `make elsewhere
# ARGS=arm64` makes that Debian and calls this script in it.
#
#   test/arm64.sh [SUITE ..]     SUITE: a folder of test/; default: those listed below
#
# The script builds and installs the packages dromos-suspend and dromos, compiles and
# runs examples/small against the installed packages, and runs suites in native code.
# An emulator is slow: the limits of tests are longer here, and the suites fewer than in
# `make test`. An emulator on amd64 keeps amd64's order of memory accesses, so no test
# here meets arm64's weaker order.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

suites=(service fiber fifo deque base deadlock front sync kernel)
[ $# = 0 ] || suites=("$@")
export DROMOS_TEST_PATIENCE=${DROMOS_TEST_PATIENCE:-20}
log=$(mktemp)
work=$(mktemp -d)
trap 'rm -rf "$log" "$work"' EXIT
status=0

{
  echo "== packages"
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -qq -y --no-install-recommends -o DPkg::Use-Pty=0 gcc libc6-dev \
    ocaml ocaml-dune ocaml-findlib libbackoff-ocaml-dev libdomain-local-await-ocaml-dev \
    libmtime-ocaml-dev libpsq-ocaml-dev libhmap-ocaml-dev libfmt-ocaml-dev \
    libalcotest-ocaml-dev libqcheck-ocaml-dev libqcheck-stm-ocaml-dev \
    libqcheck-lin-ocaml-dev libdscheck-ocaml-dev >"$work/apt" 2>&1 ||
    tail -n 20 "$work/apt"
  echo "OCaml $(ocamlfind ocamlopt -version) on $(uname -m)"

  echo "== dromos-suspend and dromos by themselves"
  build=(dune build --display=quiet -p dromos-suspend,dromos)
  if "${build[@]}" @install &&
    dune install --display=quiet --prefix "$work/inst" dromos-suspend dromos 2>/dev/null
  then echo "PASS arm64: built and installed"
  else echo "FAIL arm64: built and installed"
  fi

  echo "== examples/small"
  export OCAMLPATH=$work/inst/lib
  cp examples/small/* "$work" 2>/dev/null
  for source in examples/small/*.ml; do
    name=$(basename "$source" .ml)
    if (cd "$work" &&
      ocamlfind ocamlopt -package dromos,unix -linkpkg "$name.ml" -o "$name" >said 2>&1 &&
      "./$name" rose.txt >said 2>&1 && cmp said "$name.expected")
    then echo "PASS arm64: $name"
    else echo "FAIL arm64: $name"; head -n 20 "$work/said"
    fi
  done
  unset OCAMLPATH

  for suite in "${suites[@]}"; do
    echo "== test/$suite, $(date +%T)"
    if timeout -k 10 3600 "${build[@]}" --force "@test/$suite/runtest"
    then echo "PASS arm64: test/$suite"
    else echo "FAIL arm64: test/$suite"
    fi
  done
} 2>&1 | tee "$log"

! grep -q '^FAIL arm64' "$log" || status=1
sed 's/\x1b\[[0-9;]*m//g' "$log" | awk -v status="$status" -f test/count.awk
