#!/usr/bin/env bash
# The API pages and guides: odoc must have no warning. In a clean copy and without
# dune's cache, since dune shows the warnings of a page only when it builds the page.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

command -v odoc >/dev/null || {
  echo 'odoc is not here: the API pages are not built'
  exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bash test/copy.sh "$work"
DUNE_CACHE=disabled dune build --display=quiet --root "$work" @doc >"$work/log" 2>&1
status=$?
warnings=$(grep -vE '^(Entering|Leaving) directory' "$work/log")
if [ "$status" = 0 ] && [ -z "$warnings" ]; then
  echo 'PASS pages: odoc has no warning'
else
  echo 'FAIL pages: odoc has no warning'
  printf '%s\n' "$warnings" | head -n 60
  exit 1
fi
