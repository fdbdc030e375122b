#!/bin/sh
# Runs the corpus job over two and four ranks of MPI on this machine, and checks each
# against a sequential pass. Without arguments a pass repeats the job for about a second
# of sequential work.
#
#   make run-mpi [ARGS="--rounds 1 DIR .."]
set -eu
cd "$(dirname "$0")/../../.."
dune build --display=quiet ./examples/corpus/main.exe
program=$PWD/_build/default/examples/corpus/main.exe

[ $# -gt 0 ] || set -- --seconds 1 "$(ocamlfind ocamlc -where)"
for ranks in 2 4; do
  echo "== mpirun -n $ranks"
  sh test/mpi/mpirun.sh -n "$ranks" "$program" --mpi "$@"
done
cat <<'END'

Ranks send each other what the workers of one process share, and count the common phrases
twice. So on one machine `make run` is faster; ranks are for more cores than one machine
has (doc/mpi.md).
END
