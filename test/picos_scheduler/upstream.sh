#!/bin/sh
# Picos's own test programs, with Dromos in place of Picos's schedulers.
#
#   test/picos_scheduler/upstream.sh CLONE [PROGRAM ..]
#
# CLONE is a work tree of Picos 0.6.0; its libraries must be installed where dune
# finds them (OCAMLPATH). The script writes nothing into CLONE: it copies the
# programs to a temporary directory, beside a Test_scheduler for Dromos. Each
# program runs with one worker and with up to four (DROMOS_UPSTREAM_WORKERS="1 2"),
# DROMOS_UPSTREAM_TIMES (1) times. With DROMOS_UPSTREAM_ALWAYS=1, tests that ask for
# one worker use all workers. Programs without a choice of scheduler, or about Lwt,
# are left out.
# Prints a line for each program, and the output of a failing program. Fails if a
# program failed.

set -eu
[ $# -ge 1 ] || { sed -n '2,14s/^# \{0,1\}//p' "$0"; exit 2; }
clone=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")/../.." && pwd)
times=${DROMOS_UPSTREAM_TIMES:-1}
at=$(mktemp -d)
trap 'rm -rf "$at"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

if [ $# -eq 0 ]; then
  set -- test_picos test_schedulers test_structured test_sync test_finally \
    test_io test_server_and_client
fi

(cd "$here" && dune build dromos-suspend.install dromos.install dromos-picos.install)
OCAMLPATH=$here/_build/install/default/lib:${OCAMLPATH:-}
export OCAMLPATH

cat >"$at/test_scheduler.ml" <<'END'
open Picos

let () = Printexc.record_backtrace true

let most =
  match Sys.getenv_opt "DROMOS_UPSTREAM_MOST" with
  | Some n -> int_of_string n
  | None -> 1

let always = Sys.getenv_opt "DROMOS_UPSTREAM_ALWAYS" <> None
let init () = Picos_io_select.check_configured ()

(* How many domains a test may use is its own to say. *)
let run_fiber ?(max_domains = 1) ?allow_lwt:_ ?fatal_exn_handler:_ fiber main =
  if Picos_thread.is_main_thread () then init ();
  let workers = if always then most else Int.min max_domains most in
  Dromos_picos_scheduler.run_fiber ~workers fiber main

let run ?max_domains ?allow_lwt ?fatal_exn_handler ?(forbid = false) main =
  let computation = Computation.create ~mode:`LIFO () in
  let fiber = Fiber.create ~forbid computation in
  let main _ = Computation.capture computation main () in
  run_fiber ?max_domains ?allow_lwt ?fatal_exn_handler fiber main;
  Computation.await computation
END
cp "$clone/test/test_util.ml" "$at"
echo '(lang dune 3.17)' >"$at/dune-project"
echo '(lang dune 3.17)' >"$at/dune-workspace"
mkdir "$at/shims"
echo '(library (name domain_shims) (modules))' >"$at/shims/dune"
cat >"$at/dune" <<'END'
(library
 (name test_scheduler)
 (wrapped false)
 (modules test_scheduler test_util)
 (flags (:standard -w -a))
 (libraries picos picos.thread picos_io.select dromos-picos.scheduler))
END
for program; do
  cp "$clone/test/$program.ml" "$at"
  cat >>"$at/dune" <<END
(executable
 (name $program)
 (modules $program)
 (flags (:standard -w -a))
 (libraries test_scheduler domain_shims alcotest backoff picos picos.thread
  picos_aux.mpscq picos_io picos_io.select picos_std.event picos_std.finally
  picos_std.structured picos_std.sync threads.posix unix))
END
done

failed=0
for program; do
  if ! (cd "$at" && dune build --root . "./$program.exe") >"$at/log" 2>&1; then
    echo "$program: not built"
    cat "$at/log"
    failed=$((failed + 1))
    continue
  fi
  for workers in ${DROMOS_UPSTREAM_WORKERS:-1 4}; do
    n=0
    while [ $n -lt "$times" ]; do
      n=$((n + 1))
      began=$(date +%s)
      if (cd "$at" && DROMOS_UPSTREAM_MOST=$workers \
        timeout 300 "./_build/default/$program.exe") >"$at/log" 2>&1; then
        said=passed
      else
        said="failed ($?)"
        failed=$((failed + 1))
      fi
      tests=$(sed -n 's/.*successful in.*\. \([0-9]* tests\{0,1\}\) run.*/, \1/p' "$at/log")
      echo "$program, up to $workers workers: $said$tests, $(($(date +%s) - began)) s"
      case $said in failed*) cat "$at/log" ;; esac
    done
  done
done
echo "$failed failed"
[ "$failed" -eq 0 ]
