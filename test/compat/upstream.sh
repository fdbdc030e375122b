#!/bin/sh
# upstream.sh CLONE [PROGRAM ..]
#
# Builds Domainslib's own test programs, as they are, against lib/compat/domainslib,
# runs each, and prints PASS or FAIL for each; the exit status is 1 if a program fails.
# CLONE is a clone of github.com/ocaml-multicore/domainslib; the script takes the
# programs of 0.5.2. PROGRAM .. are some of them (default: all that use Domainslib).
#
# Some programs need libraries that Dromos does not: kcas, mirage-clock-unix. A program
# whose library is missing counts as skipped. OCAMLPATH may lead to the libraries.
# DROMOS_UPSTREAM_SECONDS is the limit for each program in seconds (1200; two programs
# take some minutes).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
limit=${DROMOS_UPSTREAM_SECONDS:-1200}

usage() {
  echo "upstream.sh: $1" >&2
  sed -n '2s/^# \{0,1\}/usage: /p' "$0" >&2
  exit 2
}
case ${1:---help} in
  --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
  -*) usage "a clone of Domainslib is expected before $1" ;;
esac
clone=$1
shift
git -C "$clone" cat-file -e '0.5.2^{commit}' 2>/dev/null ||
  usage "$clone is not a clone of Domainslib that has 0.5.2"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM
git -C "$clone" archive -o "$work/test.tar" 0.5.2 test || {
  echo "upstream.sh: git archive cannot take the programs of 0.5.2 out of $clone" >&2
  exit 2
}
tar -x -C "$work" -f "$work/test.tar"
sh "$root/lib/compat/domainslib/workspace.sh" "$work"

# Test stanzas that name domainslib; their paragraphs are separated by empty lines.
known=$(awk 'BEGIN { RS = "" }
  /\(test\n/ && /\(libraries[^)]*domainslib/ && match($0, /\(name [A-Za-z0-9_]+/) {
    print substr($0, RSTART + 6, RLENGTH - 6) }' "$work/test/dune")
for program; do
  case " $(echo $known) " in
    *" $program "*) ;;
    *) usage "$program is none of: $(echo $known)" ;;
  esac
done
[ $# -gt 0 ] || set -- $known

# missing NAME: the libraries of the program's stanza that are not installed.
missing() {
  for library in $(awk -v name="$1" 'BEGIN { RS = "" }
      index($0, "(name " name ")") && match($0, /\(libraries[^)]*/) {
        print substr($0, RSTART + 10, RLENGTH - 10) }' "$work/test/dune"); do
    [ "$library" = domainslib ] || ocamlfind query "$library" >/dev/null 2>&1 ||
      printf ' %s' "$library"
  done
}

# build TARGET: builds in the workspace, in release mode: the programs have warnings.
build() {
  (cd "$work" && dune build --root . --profile release "$1") >"$work/log" 2>&1
}
echo "building Dromos" >&2
build ./dromos/lib/compat || { cat "$work/log" >&2; exit 1; }

passed=0 failed=0 skipped=0
for program; do
  lacks=$(missing "$program")
  if [ -n "$lacks" ]; then
    echo "SKIP $program: not installed:$lacks"
    skipped=$((skipped + 1))
    continue
  fi
  begun=$(date +%s)
  if ! build "./test/$program.exe"; then
    why="does not build"
  else
    status=0
    timeout "$limit" "$work/_build/default/test/$program.exe" >"$work/log" 2>&1 || status=$?
    case $status in
      0) why= ;;
      124) why="still ran after $limit s" ;;
      *) why="exit status $status" ;;
    esac
  fi
  if [ -z "$why" ]; then
    echo "PASS $program ($(($(date +%s) - begun)) s)"
    passed=$((passed + 1))
  else
    echo "FAIL $program: $why"
    tail -n 15 "$work/log"
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
