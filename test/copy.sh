#!/usr/bin/env bash
# Copies the sources of the tree into the folder FOLDER, which must exist: the files that
# git knows, as they are now; outside of git all files but those of builds.
#
#   test/copy.sh FOLDER
set -uo pipefail
[ -d "${1-}" ] || { echo 'usage: test/copy.sh FOLDER' >&2; exit 2; }
to=$(cd "$1" && pwd)
cd "$(dirname "$0")/.." || exit 2
# A copy inside another repository of git is not a tree that git knows.
if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$PWD" ]; then
  git ls-files -z
else
  find . -path './_*' -prune -o -path ./.git -prune -o -type f -print0
fi | tar -cf - --null --ignore-failed-read -T - 2>/dev/null | tar -xf - -C "$to"
