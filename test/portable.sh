#!/usr/bin/env bash
# Runs the suites that use the system with the portable half of lib/service/platform.h:
# the half for macOS and the BSDs, here on Linux. No epoll, no pidfd, no names of
# threads, no /proc, no weak symbols, no dladdr.
#
#   test/portable.sh [--all]
#
# Without --all, the script leaves out most of test/front, and preemption. It works in
# _build: C stubs are compiled again and suites linked again, but no OCaml code. Unchanged
# suites do not run again.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

suites=(@test/service/runtest @test/fiber/runtest @test/deadlock/runtest)
front='descriptors|blocking calls'
if [ "${1-}" = --all ]; then
  suites+=(@test/front/runtest @test/sched/preempt/runtest)
  front=
fi

echo '== with the portable half of lib/service/platform.h'
export DROMOS_PORTABLE=1
dune build --display=quiet "${suites[@]}"
status=$?
if [ -n "$front" ]; then
  dune build --display=quiet ./test/front/test_front.exe ./test/front/alone &&
    (cd _build/default/test/front && ./test_front.exe test "$front" |
      grep -v SKIP) || status=1
fi
# Builds the libraries as they were.
unset DROMOS_PORTABLE
dune build --display=quiet ./lib/service ./lib/fiber || status=1
if [ $status = 0 ]; then echo 'PASS portable half'; else echo 'FAIL portable half'; fi
exit $status
