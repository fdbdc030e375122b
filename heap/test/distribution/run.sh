#!/bin/sh
# run.sh [PATTERN ..]: runs the test programs of OCaml's distribution that are built as
# native executables: on stock's runtime, on the variant, and on the variant with tiny
# heaps under its verifier. Without patterns the script takes some half an hour, and
# writes the result to doc/heap-testsuite.md. With patterns it runs only the tests that
# have a pattern in their names. The built programs stay in _build/distribution/work. The
# script fetches the tests (fetch.sh); if it cannot, a line says so. Called by
# `make heap-testsuite`.
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
cp "$built/libasmrun_hh.a" "$cache/work/heap" # a copy: a build meanwhile has no effect
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
