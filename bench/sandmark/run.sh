#!/bin/sh
# run.sh CHECKOUT [--runs N] [--workers 1,2] [--quick] [PROGRAM ..]
#
# Runs Sandmark's parallel programs for Domainslib unchanged, with Domainslib and
# with Dromos in its place (lib/compat/domainslib), in turn, and prints the ratio
# of their wall times with a 95 % interval, as make bench ARGS=--verdict does, and of
# peak memory.
#
# CHECKOUT is a clone of github.com/ocaml-bench/sandmark, which has this commit:
commit=5605805954a00497ed197c930641cddd580e1507
# Domainslib has to be installed as a findlib library. The programs and their sizes
# are in bench/sandmark/programs; PROGRAM .. are some of them (default: all).
# --quick takes sizes a tenth as long. Exits with 1 if a program fails, or prints
# something else with Dromos, and with 2 if it is called in another way.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

usage() {
  echo "run.sh: $1" >&2
  sed -n '2s/^# \{0,1\}/usage: /p' "$0" >&2
  exit 2
}
[ $# -gt 0 ] || usage "a checkout of Sandmark is expected"
case $1 in -*) usage "a checkout of Sandmark is expected before $1" ;; esac
checkout=$1
shift
git -C "$checkout" cat-file -e "$commit^{commit}" 2>/dev/null ||
  usage "$checkout is not a clone of Sandmark with commit $commit"
command -v ocamlfind >/dev/null && ocamlfind query domainslib >/dev/null 2>&1 ||
  usage "Domainslib is not installed as a findlib library"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
mkdir "$work/sandmark"
git -C "$checkout" archive "$commit" benchmarks/multicore-numerical |
  tar -x -C "$work/sandmark"
programs=$work/sandmark/benchmarks/multicore-numerical

# workspace NAME: the programs, and what stands for Domainslib in them.
workspace() {
  mkdir -p "$work/$1/programs"
  echo '(lang dune 3.17)' >"$work/$1/dune-project"
  while read -r name _; do
    case $name in '' | '#'*) continue ;; esac
    cp "$programs/$name.ml" "$work/$1/programs/"
    flags=
    case $name in fannkuch*) flags='(ocamlopt_flags -noassert -unsafe)' ;; esac
    printf '(executable (name %s) (modules %s) (libraries domainslib) %s)\n' \
      "$name" "$name" "$flags" >>"$work/$1/programs/dune"
  done <"$here/programs"
}
workspace domainslib
workspace dromos
sh "$root/lib/compat/domainslib/workspace.sh" "$work/dromos"

echo "building Sandmark's programs twice" >&2
for side in domainslib dromos; do
  (cd "$work/$side" && "$root/setup" exec dune build --root . --profile release ./programs) >&2
done
cd "$root"
./setup exec dune build --profile release --display=quiet ./bench/sandmark/compare.exe
_build/default/bench/sandmark/compare.exe --programs "$here/programs" \
  --dromos "$work/dromos/_build/default/programs" \
  --domainslib "$work/domainslib/_build/default/programs" "$@"
