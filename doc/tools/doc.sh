#!/usr/bin/env bash
# Draws doc/map.svg from doc/map.dot, and doc/libraries.svg and doc/modules-*.svg from
# dune's description of the sources, and builds the API pages; a warning of odoc is a
# failure.
set -euo pipefail
cd "$(dirname "$0")/../.."

for tool in dot tred; do
  command -v "$tool" >/dev/null || {
    echo "doc: there is no $tool, which graphviz has: ./setup doc brings it" >&2
    exit 1
  }
done
ocamlfind query csexp >/dev/null 2>&1 || {
  echo 'doc: there is no library csexp: ./setup doc brings it' >&2
  exit 1
}

# The drawings are made in this folder first: a failure or an interrupt leaves the old ones.
drawings=$(mktemp -d)
trap 'rm -rf "$drawings"' EXIT
dune build --display=quiet doc/tools/graph.exe
dune describe workspace --with-deps --lang 0.1 --format=csexp >"$drawings/description"
_build/default/doc/tools/graph.exe "$drawings" <"$drawings/description"
cp doc/map.dot "$drawings/"
for graph in "$drawings"/*.dot; do
  # Headers and comments are removed: one comment has graphviz's version.
  tred "$graph" | dot -Tsvg |
    sed '/^<?xml /d; /^<!DOCTYPE /,/>$/d; /^<!-- .*-->$/d; /^<!-- /,/-->$/d' >"${graph%.dot}.svg"
done
for old in doc/libraries.svg doc/modules-*.svg; do
  [ -e "$drawings/${old#doc/}" ] || rm -f "$old"
done
for new in "$drawings"/*.svg; do
  cp "$new" doc/
  echo "doc/${new##*/}"
done

bash test/pages.sh
dune build --display=quiet @doc
echo 'API pages: _build/default/_doc/_html/index.html'
