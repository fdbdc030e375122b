#!/bin/sh
# run.sh CHECKOUT [--runs N] [--workers 1,2] [--quick] [PROGRAM ..]
#
# Runs Sandmark's parallel programs for Domainslib unchanged, with Domainslib and
# with Dromos in its place (lib/compat/domainslib), in turn, and prints the ratio
# of their wall times with a 95 % interval, as make bench ARGS=--verdict does, and of
# peak memory. Each program is built at eight places in memory (bench/placements), and
# run i of both sides uses place i modulo 8.
#
# CHECKOUT is a clone of github.com/ocaml-bench/sandmark with the commit named in
# run.sh. Domainslib has to be installed as a findlib library. The programs and
# their sizes are in bench/sandmark/programs; PROGRAM .. are some of them (default:
# all). --runs is the number of runs of each (8), --workers a list of numbers of
# workers, and --quick takes sizes a tenth as long. Exits with 1 if a program fails, or
# prints other output with Dromos, and with 2 after wrong arguments or without
# Sandmark's programs.
set -eu
commit=5605805954a00497ed197c930641cddd580e1507
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

help() { sed -n -e '2,/^[^#]/s/^# \{0,1\}//p' "$0" | sed '1s/^/usage: /'; }
fail() {
  echo "run.sh: $1" >&2
  exit 2
}
usage() {
  echo "run.sh: $1" >&2
  help | sed 1q >&2
  exit 2
}
programs() { sed -e '/^#/d' -e '/^$/d' -e 's/ .*//' "$here/programs"; }

[ $# -gt 0 ] || usage "a checkout of Sandmark is expected"
for argument; do
  case $argument in --help | -h) help; exit 0 ;; esac
done
case $1 in -*) usage "a checkout of Sandmark is expected before $1" ;; esac
checkout=$1
shift

# number: a number from 1 to 999; numbers: a list of numbers of workers, up to 128.
number() { case $1 in '' | *[!0-9]* | ????*) return 1 ;; *) [ "$1" -ge 1 ] ;; esac }
numbers() {
  case ,$1, in *,,* | *[!0-9,]*) return 1 ;; esac
  for n in $(echo "$1" | tr , ' '); do
    number "$n" && [ "$n" -le 128 ] || return 1
  done
}
option=
chosen=
for argument; do
  case $option in
    --runs) number "$argument" || usage "--runs $argument is not a number from 1 to 999" ;;
    --workers) numbers "$argument" || usage "--workers $argument is not a list of numbers from 1 to 128" ;;
  esac
  case $option in --*) option=; continue ;; esac
  case $argument in
    --runs | --workers) option=$argument ;;
    --quick) ;;
    -*) usage "there is no option $argument" ;;
    *)
      programs | grep -qxF -e "$argument" ||
        usage "there is no program $argument, but: $(programs | paste -sd ' ' -)"
      chosen="$chosen $argument"
      ;;
  esac
done
[ -z "$option" ] || usage "$option needs a value"

git -C "$checkout" cat-file -e "$commit^{commit}" 2>/dev/null ||
  usage "$checkout is not a clone of Sandmark with commit $commit
  (git clone https://github.com/ocaml-bench/sandmark)"
command -v ocamlfind >/dev/null && ocamlfind query domainslib >/dev/null 2>&1 ||
  fail "Domainslib is not installed as a findlib library (opam install domainslib)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
mkdir "$work/sandmark"
git -C "$checkout" archive -o "$work/sandmark.tar" "$commit" \
  benchmarks/multicore-numerical ||
  fail "git archive cannot take the programs of commit $commit out of $checkout"
tar -x -f "$work/sandmark.tar" -C "$work/sandmark"
numerical=$work/sandmark/benchmarks/multicore-numerical

cd "$root"
./setup exec dune build --profile release --display=quiet \
  ./bench/sandmark/compare.exe ./bench/placements/place.exe
built=$root/_build/default/bench
places=8 # Bench_driver.Placement.count

# workspace NAME: makes a workspace with the chosen programs.
workspace() {
  mkdir -p "$work/$1/programs"
  echo '(lang dune 3.17)' >"$work/$1/dune-project"
  cd "$work/$1/programs"
  for name in ${chosen:-$(programs)}; do
    "$built/placements/place.exe" $places "$numerical/$name.ml"
    names=
    for k in $(seq 0 $((places - 1))); do names="$names ${name}_at_$k"; done
    flags=
    case $name in fannkuch*) flags='(ocamlopt_flags -noassert -unsafe)' ;; esac
    printf '(executables (names%s) (modules%s) (flags -w -a)\n (libraries domainslib) %s)\n' \
      "$names" "$names" "$flags" >>dune
  done
  cd "$root"
}
workspace domainslib
workspace dromos
sh "$root/lib/compat/domainslib/workspace.sh" "$work/dromos"

echo "building Sandmark's programs at $places places, twice" >&2
for side in domainslib dromos; do
  (cd "$work/$side" && "$root/setup" exec dune build --root . --profile release ./programs) >&2
done
"$built/sandmark/compare.exe" --programs "$here/programs" \
  --dromos "$work/dromos/_build/default/programs" \
  --domainslib "$work/domainslib/_build/default/programs" "$@"
