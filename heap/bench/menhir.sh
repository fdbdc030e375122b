#!/bin/sh
# menhir.sh CACHE LIBRARY: builds Menhir from its source twice, on stock OCaml and on the
# variant in the folder LIBRARY, as CACHE/menhir.stock and CACHE/menhir.variant. The
# source is the folder that MENHIR_SOURCE names, or the copy of an earlier call in CACHE;
# else opam's source, or that of the machine's package archive. Without a source it
# exits with 1, and prints the reason on stderr.
set -eu
say() { printf 'menhir.sh: %s\n' "$*" >&2; }
cache=$1
library=$2
source=$cache/menhir

from_opam() {
  command -v opam >/dev/null && opam source menhir --dir "$source" >&2
}

# The archives that apt reads packages from have their sources too.
from_apt() {
  command -v apt-get >/dev/null || return 1
  apt=$cache/apt-menhir
  mkdir -p "$apt/lists/partial" "$source"
  grep -hs '^deb ' /etc/apt/sources.list /etc/apt/sources.list.d/*.list |
    sed 's/^deb /deb-src /' >"$apt/sources.list"
  private="-o Dir::Etc::sourcelist=$apt/sources.list -o Dir::Etc::sourceparts=-
    -o Dir::State::lists=$apt/lists -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache="
  # shellcheck disable=SC2086
  (cd "$apt" && apt-get $private -qq update >&2 &&
    apt-get $private -qq source --download-only menhir >&2) || return 1
  tar -x -f "$apt"/menhir_*.orig.tar.* -C "$source" --strip-components=1
}

build() {
  dune build -j1 --root "$source" --build-dir "$cache/build.$1" --profile release \
    src/stage2/main.exe >"$cache/menhir.log" 2>&1 || true
  cp -f "$cache/build.$1/default/src/stage2/main.exe" "$cache/menhir.$1" 2>/dev/null ||
    { say "does not build, see $cache/menhir.log"; exit 1; }
}

if [ -n "${MENHIR_SOURCE:-}" ]; then
  source=$MENHIR_SOURCE
elif [ ! -e "$source/dune-project" ]; then
  mkdir -p "$cache"
  from_opam || from_apt || { say "no source of Menhir: set MENHIR_SOURCE"; exit 1; }
fi
[ -e "$cache/menhir.stock" ] || build stock
rm -f "$cache/build.variant/default/src/stage2/main.exe"
OCAMLPARAM="_,runtime-variant=_hh,I=$library" build variant
