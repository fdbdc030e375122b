#!/bin/sh
# build.sh OUT: builds OUT/cpp, OUT/go and OUT/java, the programs of the suite in three
# languages, and prints a line for each language whose tools are missing.
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
