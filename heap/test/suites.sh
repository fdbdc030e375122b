#!/usr/bin/env bash
# suites.sh [-n TIMES] [SUITE ..]: Dromos's own suites, linked on the variant.
#
# SUITE is a folder of test/ (all of those below, if none is named). Each is run with
# ordinary heaps, with small ones, and with small ones that are verified, TIMES times
# (1) with new seeds; a test that fails or hangs says which seed it had. They are
# linked in a build folder of their own, beside the ordinary one. Half an hour, and
# more on a busy machine: sync, kernel, deque and base have model checking among
# them. The last line is "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2

times=1
if [ "${1-}" = -n ]; then
  times=${2:?suites.sh: -n wants a number}
  shift 2
fi
[ $# -gt 0 ] || set -- front sched sync par dag deadlock kernel deque base

limit=${DROMOS_TEST_SECONDS:-900}
folder=$PWD/_build/heap-suites
library=$folder.library
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Nothing tells dune that a program depends on the library: if that is another one than
# last time, all are linked anew. (Dune's cache would bring back the old ones.)
dune build heap/libasmrun_hh.a || exit 2
mkdir -p "$folder" "$library"
if ! cmp -s _build/default/heap/libasmrun_hh.a "$library/libasmrun_hh.a"; then
  find "$folder" -name '*.exe' -delete
  cp -f _build/default/heap/libasmrun_hh.a "$library"
fi
export OCAMLPARAM="_,runtime-variant=_hh,I=$library" DUNE_CACHE=disabled

run() { # suite, heap
  echo "== $1, DROMOS_HEAP=$2"
  DROMOS_HEAP=$2 timeout -k 10 "$limit" dune build --display=quiet \
    --build-dir "$folder" --force "@test/$1/runtest" 2>&1
  local status=$?
  [ $status = 0 ] || echo "FAIL $1 with DROMOS_HEAP=$2 ended with status $status"
}

for _ in $(seq "$times"); do
  for heap in '' n=64k,l=256k,g=8M c,n=64k,l=256k,g=8M; do
    for suite in "$@"; do run "$suite" "$heap"; done
  done
done | tee "$log"

sed 's/\x1b\[[0-9;]*m//g' "$log" | awk -v status=0 -f test/count.awk
