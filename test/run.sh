#!/usr/bin/env bash
# Builds everything, runs every test, and counts the test cases that really
# ran, from what the tests themselves print:
#
#   alcotest      "Test Successful in 0.1s. 5 tests run." / "1 failure! in .."
#   QCheck        "success (ran 3 tests)" / "failure (1 tests failed, .."
#   others        lines "PASS name" and "FAIL name" (shell tests, examples)
#
# Whatever fails without such a line (a build error, an example in the
# documentation that no longer prints what it says, a crash) makes dune fail,
# and counts as one failure. Nothing counted at all is a failure too.
# The last line is "N passed, N failed"; the exit status says the same.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# step COMMAND ..: the status of the whole is 0 if that of each step is.
status=0
step() {
  "$@" 2>&1 | tee -a "$log"
  local ended=${PIPESTATUS[0]}
  [ "$status" != 0 ] || status=$ended
}

step bash test/setup.sh
step bash test/links.sh

# --force: also tests whose sources did not change, since many draw new seeds.
# The limit is for a test that hangs: it is meant to be reached by nothing else.
# Their output comes when they have ended, so who has not is told of by name.
limit=${DROMOS_TEST_SECONDS:-1300}
still_running() {
  echo "FAIL a test still ran after $limit s (the limit is DROMOS_TEST_SECONDS):"
  ps -eo pid,etimes,times,args | grep '[.]exe' | grep -v '[g]rep' |
    while read -r pid seconds busy command; do
      echo "  $command, for $seconds s ($busy s busy), in $(readlink "/proc/$pid/cwd")"
    done
}

tests() {
  timeout -k 10 $((limit + 60)) dune build --display=quiet @default @runtest --force &
  local tests=$!
  local end=$((SECONDS + limit))
  while kill -0 "$tests" 2>/dev/null && [ "$SECONDS" -lt "$end" ]; do sleep 1; done
  if kill -0 "$tests" 2>/dev/null; then
    still_running
    kill "$tests"
  fi
  wait "$tests"
}
step tests
step bash test/pages.sh

# What a system other than Linux would compile.
step bash test/portable.sh

# Each opam package by itself, as opam builds it.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  step bash test/packages.sh
else
  echo 'not a git checkout: packages are not built one by one' | tee -a "$log"
fi

# Some tests colour their lines.
sed 's/\x1b\[[0-9;]*m//g' "$log" | awk -v status="$status" -f test/count.awk
