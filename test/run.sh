#!/usr/bin/env bash
# Builds everything, runs the tests, and counts the test cases that really ran, from
# the output of the tests:
#
#   test/run.sh           the tests of the alias runtest, and the checks of the repository
#   test/run.sh --long    the long list alone: the alias long, each package by itself, the
#                         ways of taking Dromos, and the code for systems other than
#                         Linux
#   test/run.sh --all     both
#
#   alcotest      "Test Successful in 0.1s. 5 tests run." / "1 failure! in .."
#   QCheck        "success (ran 3 tests)" / "failure (1 tests failed, .."
#   others        lines "PASS name" and "FAIL name" (shell tests, examples)
#
# A failure without such a line (a build error, an example in the documentation
# with different output, a crash) makes dune fail, and counts as one failure. A
# run without any counted case is a failure too. The last line is "N passed, N
# failed"; the exit status agrees.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

short=yes long=
case ${1-} in
  '') ;;
  --long) short='' long=yes ;;
  --all) long=yes ;;
  *) echo 'usage: test/run.sh [--long|--all]' >&2; exit 2 ;;
esac

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# step COMMAND ..: runs a step. The status of the whole is 0 if every step succeeds.
status=0
step() {
  "$@" 2>&1 | tee -a "$log"
  local ended=${PIPESTATUS[0]}
  [ "$status" != 0 ] || status=$ended
}

if [ -n "$short" ]; then
  step bash test/setup.sh
  step bash test/links.sh
fi

# --force: runs tests with unchanged sources too, since many draw new seeds. Only a
# hanging test should reach the limit. A test's output comes at its end, so tests
# that still run at the limit are listed by name.
limit=${DROMOS_TEST_SECONDS:-1300}
still_running() {
  echo "FAIL a test still ran after $limit s (the limit is DROMOS_TEST_SECONDS):"
  bash test/running.sh _build
}

tests() {
  timeout -k 10 $((limit + 60)) dune build --display=quiet --force \
    ${short:+@default @runtest} ${long:+@long} &
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
[ -z "$short" ] || step bash test/pages.sh
if [ -n "$long" ]; then
  # The code for systems other than Linux.
  step bash test/portable.sh
  # Each opam package by itself, as opam builds the package.
  step bash test/packages.sh
  step bash test/taking.sh
fi

# Some tests colour their lines.
sed 's/\x1b\[[0-9;]*m//g' "$log" | awk -v status="$status" -f test/count.awk
