#!/bin/sh
# build.sh OUT: leaves the programs in Go as OUT/go. Exits with 3, and says on stderr
# what is missing, where there is no Go of 1.22 or later.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
absent() { echo "$1 is not there" >&2; exit 3; }
command -v go >/dev/null || absent go
export GOTOOLCHAIN=local
version=$(go env GOVERSION)
[ "$(printf '%s\n' go1.22 "$version" | sort -V | head -n 1)" = go1.22 ] ||
  absent "go 1.22 or later"
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$here"
go build -buildvcs=false -o "$out/go" .
