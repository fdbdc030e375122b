#!/bin/sh
# sanitize.sh: runs the tests with the runtime's C compiled for UBSan, with tiny heaps
# under the verifier; and, where valgrind is installed, the program of one domain under
# memcheck. Each message of UBSan or memcheck is a failure. The script takes some ten
# minutes, and is not part of `make test`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# link LIBRARY PROGRAM OPTIONS..: from the sources of the tests.
link() {
  library=$1
  program=$2
  shift 2
  (cd "$work" && ocamlfind ocamlopt -g -package unix,threads.posix -linkpkg \
    -I "$library" -runtime-variant _hh "$@" said.mli said.ml check.mli check.ml \
    alarm.mli alarm.ml child.mli child.ml "$program.ml" -o "$program")
}

# verdict NAME: the program's output is in the file output, its status in status.
verdict() {
  if [ "$status" -eq 0 ] && ! grep -v '^PASS' "$work/output" >&2; then
    echo "PASS heap: $1"
  else
    echo "FAIL heap: $1 (status $status)"
    failed=1
  fi
}

cp "$here"/*.ml "$here"/*.mli "$here"/../../test/said/*.ml* "$work"
HH_CFLAGS="-O1 -g -fsanitize=undefined" sh "$here/../build.sh" "$work/ubsan"
for program in as_stock limits objects fibers sharing passing; do
  link "$work/ubsan" "$program" -ccopt -fsanitize=undefined
  status=0
  DROMOS_HEAP=c,n=16k,l=64k,g=4M,s=32k "$work/$program" >"$work/output" 2>&1 || status=$?
  verdict "$program, UBSan"
done

if command -v valgrind >/dev/null; then
  HH_CFLAGS="-O1 -g" sh "$here/../build.sh" "$work/plain"
  link "$work/plain" objects
  status=0
  DROMOS_HEAP=n=256k,l=1M valgrind -q --error-exitcode=9 --max-stackframe=100000000 \
    "$work/objects" >"$work/output" 2>&1 || status=$?
  verdict "objects, memcheck"
else
  echo 'sanitize.sh: no valgrind, memcheck is left out' >&2
fi
exit $failed
