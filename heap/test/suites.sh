#!/usr/bin/env bash
# suites.sh [-n TIMES] [-s SETTINGS] [SUITE ..]: Dromos's own suites, linked on the
# variant.
#
# SUITE is a folder of test/ (default: the list below). Each suite runs with ordinary
# heaps, with small heaps in which cycles of the concurrent collection follow each other,
# and with small heaps under the verifier, TIMES times (1) with new seeds; with -s only
# with DROMOS_HEAP=SETTINGS. A test that fails or hangs prints its seed. A test or a
# suite that takes longer than its limit counts as hanging; on a busy machine
# DROMOS_TEST_PATIENCE raises the limits of tests, and DROMOS_TEST_SECONDS the limit of a
# suite (900). The suites are linked in a build folder of their own, beside the ordinary
# one. All suites take half an hour, more on a busy machine, because sync, kernel, deque
# and base do model checking. Model checking has one domain, and would take hours under
# the verifier, so it is left out there. The last line is "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2

times=1
small=n=64k,l=256k,g=8M,s=64k
heaps=('' "$small" "c,$small")
while getopts n:s: option; do
  case $option in
  n) times=$OPTARG ;;
  s) heaps=("$OPTARG") ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- front sched sync par dag deadlock kernel deque base

limit=${DROMOS_TEST_SECONDS:-900}
folder=$PWD/_build/heap-suites
library=$folder.library
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# dune does not know that a program depends on the library. If the library has changed
# since the last time, all programs are linked again, without dune's cache, which would
# bring back the old programs.
dune build heap/libasmrun_hh.a || exit 2
mkdir -p "$folder" "$library"
if ! cmp -s _build/default/heap/libasmrun_hh.a "$library/libasmrun_hh.a"; then
  find "$folder" -name '*.exe' -delete
  cp -f _build/default/heap/libasmrun_hh.a "$library"
fi
export OCAMLPARAM="_,runtime-variant=_hh,I=$library" DUNE_CACHE=disabled

timed() { # suite, heap, command
  local suite=$1 heap=$2
  shift 2
  DROMOS_HEAP=$heap timeout -k 10 "$limit" "$@" 2>&1
  local status=$?
  [ $status = 0 ] || echo "FAIL $suite with DROMOS_HEAP=$heap ended with status $status"
}

build=(dune build --display=quiet --build-dir "$folder")

models='test_model$|test_locks_model$|test_parking$'

without_models() { # suite, heap
  local dune name program
  for dune in $(find "test/$1" -name dune); do
    for name in $(tr '\n' ' ' <"$dune" | grep -oP '\(names? +\K[^)]+' | grep -o '\btest_[a-z_]*'); do
      [[ $name =~ $models ]] && continue
      program=$(dirname "$dune")/$name.exe
      "${build[@]}" "./$program" 2>&1 || echo "FAIL $program is not built"
      timed "$1" "$2" "$folder/default/$program"
    done
  done
}

run() { # suite, heap
  echo "== $1, DROMOS_HEAP=$2"
  case $2,$1 in
  c,*,sync | c,*,kernel | c,*,deque | c,*,base) without_models "$@" ;;
  *) timed "$@" "${build[@]}" --force "@test/$1/runtest" ;;
  esac
}

for _ in $(seq "$times"); do
  for heap in "${heaps[@]}"; do
    for suite in "$@"; do run "$suite" "$heap"; done
  done
done | tee "$log"

sed 's/\x1b\[[0-9;]*m//g' "$log" | awk -v status=0 -f test/count.awk
