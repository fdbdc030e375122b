#!/usr/bin/env bash
# Compares three lists of libraries, which must be equal: setup installs them, the dune
# files use them, dune-project declares them. Also compares setup's list for make run
# with the libraries that make run links. Optional libraries are in no list: the bridged
# schedulers, the bench lab's peers (one of which the corpus job uses), the further libraries of examples/web and doc/tools.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

peers='^(async_kernel|async_unix|cohttp-eio|core|csexp|domainslib|eio|eio_main|eio_posix|http|miou|moonpool|picos|picos_io|picos_mux|picos_std|sqlite3)(\.|$)'
compiler='^(threads|unix|str|compiler-libs|runtime_events|dynlink)(\.|$)'
tools='mdx menhir odoc' # packages declared for their programs

eval "$(sed -n '/^libs="/,/"$/p; /^opam_files="/p; /^run_libs="/,/"$/p' setup)"
# shellcheck disable=SC2086,SC2154
brought=$(printf '%s\n' $libs | sort -u)
used=$(dune describe external-lib-deps |
  awk '/external_deps/ { on = 1 } /internal_deps/ { on = 0 } on' |
  grep -oE '\([A-Za-z0-9_.-]+ (required|optional)\)' |
  sed 's/^(//; s/ .*//' | grep -vE "$peers" | sort -u)
# shellcheck disable=SC2086,SC2154
declared=$(sed -n '/^depends: \[/,/^\]/p' $opam_files |
  sed -n 's/^  "\([^"]*\)".*/\1/p' | grep -vE '^(ocaml|dune|base-.*|dromos.*)$' | sort -u)
packages=$(grep -vE "$compiler" <<<"$brought" | sed 's/\..*//; s/^findlib$/ocamlfind/' | sort -u)

status=0
# same WHAT LIST LIST: prints the differences of the two lists.
same() {
  local difference
  difference=$(diff <(echo "$2") <(echo "$3") | grep '^[<>]')
  if [ -n "$2" ] && [ -z "$difference" ]; then
    echo "PASS $1"
  else
    echo "FAIL $1"
    echo "$difference"
    status=1
  fi
}
lines() { printf '%s\n' "$@" | sort -u; }
# dune runs mdx, and no dune file names mdx as a library.
# shellcheck disable=SC2086
same "setup's libs (<) are those the dune files use (>)" "$brought" "$(lines $used mdx)"
# shellcheck disable=SC2086
same "setup's libs (<) are those dune-project declares (>)" "$(lines $packages $tools)" "$(lines $declared)"
job=$(dune describe workspace --lang 0.1 examples/corpus |
  awk '/\(name / { sub(/.*\(name /, ""); sub(/\).*/, ""); name = $0 }
       /\(local false\)/ && name !~ /^(threads|seq|thread-table|domainslib|saturn.*|multicore-magic.*)$/ { print name }' | sort -u)
# shellcheck disable=SC2086
same "setup's run_libs (<) are those make run links (>)" "$(lines $run_libs)" "$job"
# said WHAT STATUS ARGUMENT..: checks setup's answer to wrong arguments.
said() {
  local what=$1 wanted=$2 out got
  shift 2
  out=$(./setup "$@" 2>&1)
  got=$?
  if [ $got = "$wanted" ] && grep -q '\./setup' <<<"$out" && ! grep -q missing: <<<"$out"; then
    echo "PASS setup: $what"
  else
    echo "FAIL setup: $what: status $got"
    echo "$out"
    status=1
  fi
}
# A program of a test that still runs is named, also where there is no ps.
work=$(mktemp -d)
cp "$(command -v sleep)" "$work/naps.exe"
(cd "$work" && exec ./naps.exe 20) &
naps=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
  named=$(bash test/running.sh "$work")
  [ -z "$named" ] || break
  sleep 0.2
done
kill "$naps"
rm -rf "$work"
if grep -qE '^  \./naps\.exe 20 \[[0-9]+\], for [0-9]+ s \([0-9]+ s busy\), in ' <<<"$named"; then
  echo 'PASS a running test is named'
else
  echo "FAIL a running test is named: $named"
  status=1
fi
said 'help of a mode' 0 doc --help
said 'help in place of a command' 0 run --help
said 'one word too many' 1 check mpi
exit $status
