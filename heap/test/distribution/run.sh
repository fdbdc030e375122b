#!/bin/sh
# run.sh [PATTERN ..]: runs OCaml's own test programs, as native executables, on OCaml's
# own runtime, on the heap variant, and on the variant with tiny heaps under its verifier.
# Without patterns the run takes about half an hour, and the result goes to
# doc/heap-testsuite.md. With patterns, only tests whose names contain a pattern run.
# Build products stay in _build/distribution/work. fetch.sh fetches the programs; if
# fetching fails, the script prints a line and skips the tests. `make heap-testsuite`
# calls this script.
set -eu
cd "$(dirname "$0")/../../.."
here=heap/test/distribution
built=$PWD/_build/default/heap
cache=$PWD/_build/distribution
page=doc/heap-testsuite.md

dune build ./heap/libasmrun_hh.a ./$here/main.exe
if ! source=$(sh $here/fetch.sh "$cache"); then
  echo 'run.sh: OCaml'\''s own tests are skipped'
  exit 0
fi
rm -rf "$cache/work"
mkdir -p "$cache/work/heap"
cp "$built/libasmrun_hh.a" "$cache/work/heap" # a build meanwhile changes nothing
status=0
"$built/test/distribution/main.exe" "$source" "$cache/work/heap" "$cache/work" \
  $here/explained.txt "$@" >"$cache/page" || status=$?
[ -s "$cache/page" ] || exit 2
if [ $# -eq 0 ]; then
  cat $here/head.md "$cache/page" >"$page"
  echo "$page is written"
else
  cat "$cache/page"
fi
exit $status
