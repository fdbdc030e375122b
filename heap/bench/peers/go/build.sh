#!/bin/sh
# build.sh OUT: makes OUT/go, the programs in Go. Without Go 1.22 or later it exits with
# 3 and names the missing tool on stderr.
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
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
cp "$here"/*.go "$here/go.mod" "$here/../../../../bench/peers/go/shared.go" "$sources"
cd "$sources"
go build -buildvcs=false -o "$out/go" .
