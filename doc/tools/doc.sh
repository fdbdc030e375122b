#!/usr/bin/env bash
# Draws doc/libraries.svg and doc/modules-*.svg from what dune knows of the
# sources, and builds the API pages, which must give no warning.
set -euo pipefail
cd "$(dirname "$0")/../.."

dune build --display=quiet doc/tools/graph.exe
description=$(mktemp)
trap 'rm -f "$description"' EXIT
dune describe workspace --with-deps --lang 0.1 >"$description"
# The old ones go, so that a library that is gone leaves no picture behind.
rm -f doc/libraries.svg doc/modules-*.svg
_build/default/doc/tools/graph.exe doc <"$description"

warnings=$(dune build --display=quiet @doc 2>&1) || {
  printf '%s\n' "$warnings" >&2
  exit 1
}
if [ -n "$warnings" ]; then
  printf '%s\n' "$warnings" >&2
  echo 'doc: odoc has warnings, above' >&2
  exit 1
fi
echo 'API pages: _build/default/_doc/_html/index.html'
