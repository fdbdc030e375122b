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

bash test/setup.sh 2>&1 | tee "$log"
lists=${PIPESTATUS[0]}

# --force: also tests whose sources did not change, since many draw new seeds.
# The limit is for a test that hangs: it is meant to be reached by nothing else.
limit=${DROMOS_TEST_SECONDS:-900}
timeout -k 10 "$limit" \
  dune build --display=quiet @default @runtest --force 2>&1 | tee -a "$log"
status=${PIPESTATUS[0]}
[ "$status" != 0 ] || status=$lists
if [ "$status" = 124 ]; then
  echo "FAIL a test still ran after $limit s (the limit is DROMOS_TEST_SECONDS)"
fi | tee -a "$log"

# Some tests colour their lines.
sed 's/\x1b\[[0-9;]*m//g' "$log" | awk -v status="$status" -f test/count.awk
