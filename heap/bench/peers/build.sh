#!/bin/sh
# build.sh OUT: makes OUT/cpp, OUT/go and OUT/java, the programs of the suite in these
# languages. If a tool is missing, a line names the language that could not be built.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
for language in cpp go java; do
  status=0
  why=$(sh "$here/$language/build.sh" "$1" 2>&1) || status=$?
  case $status in
  0) ;;
  3) echo "$language could not be built ($why): nothing is claimed against it" >&2 ;;
  *) printf '%s\n' "$here/$language/build.sh failed:" "$why" >&2; exit 1 ;;
  esac
done
