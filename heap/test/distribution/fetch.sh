#!/bin/sh
# fetch.sh CACHE: prints the folder with the source of the compiler on the PATH, and its
# testsuite/. The folder is the one that OCAML_SOURCE names; else the copy of an earlier
# call in CACHE; else opam's source, or that of the machine's package archive, whose
# address apt knows. The script writes only into CACHE. Without a source it exits with 1,
# and prints the reason on stderr.
set -eu
say() { printf 'fetch.sh: %s\n' "$*" >&2; }

version=$(ocamlfind ocamlopt -version)
cache=$1
source=$cache/ocaml-$version

has_tests() { [ -d "$1/testsuite/tests" ]; }

from_opam() {
  command -v opam >/dev/null || return 1
  opam source "ocaml-base-compiler.$version" --dir "$source" >&2
}

# The origin of the installed package, as a line for apt's sources.
archive() {
  apt-cache madison "$1" | awk -v version="$2" '
    $3 == version && $NF == "Packages" {
      n = split($6, part, "/"); component = part[n]
      print "deb-src", $5, substr($6, 1, length($6) - length(component) - 1), component
    }'
}

from_apt() {
  command -v apt-get >/dev/null || return 1
  package=$(dpkg -S "$(readlink -f "$(command -v ocamlopt)")" | cut -d : -f 1)
  installed=$(dpkg-query -W -f '${Version}' "$package")
  original=$(dpkg-query -W -f '${source:Version}' "$package")
  name=$(dpkg-query -W -f '${source:Package}' "$package")
  apt=$cache/apt
  mkdir -p "$apt/lists/partial"
  archive "$package" "$installed" >"$apt/sources.list"
  private="-o Dir::Etc::sourcelist=$apt/sources.list -o Dir::Etc::sourceparts=-
    -o Dir::State::lists=$apt/lists -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache="
  # shellcheck disable=SC2086
  (cd "$cache" && apt-get $private -qq update >&2 &&
    apt-get $private -qq -o APT::Sandbox::User=root source --tar-only "$name=$original" >&2) &&
    mkdir "$source" &&
    tar -xf "$cache/${name}_$version".orig.tar.* -C "$source" --strip-components 1
}

if [ -n "${OCAML_SOURCE:-}" ]; then
  source=$OCAML_SOURCE
elif ! has_tests "$source"; then
  mkdir -p "$cache"
  cache=$(cd "$cache" && pwd)
  source=$cache/ocaml-$version
  rm -rf "$source"
  from_opam || from_apt || { say "the source of OCaml $version cannot be fetched"; exit 1; }
fi
has_tests "$source" || { say "$source: no folder testsuite/tests"; exit 1; }
echo "$source"
