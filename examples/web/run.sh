#!/bin/sh
# run.sh [--load] OPTION ..: builds the web service and runs it, or its load test.
# From the root of the tree.
set -eu
if ! ocamlfind query sqlite3 >/dev/null 2>&1; then
  echo "web: SQLite's binding for OCaml is missing:  ./setup web" >&2
  exit 1
fi
dune build --display=quiet ./examples/web ./bin/main.exe
folder=_build/default/examples/web
if [ "${1:-}" = --load ]; then
  shift
  exec $folder/load_main.exe "$@"
fi
exec $folder/main.exe "$@"
