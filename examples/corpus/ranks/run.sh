#!/bin/sh
# Runs the corpus job over two and four ranks of MPI on this machine, and checks each
# against a sequential pass.
#
#   make run-mpi [ARGS="--rounds 1 DIR .."]
set -eu
cd "$(dirname "$0")/../../.."
dune build --display=quiet ./examples/corpus/main.exe
program=$PWD/_build/default/examples/corpus/main.exe

[ $# -gt 0 ] || set -- "$(ocamlfind ocamlc -where)"
for ranks in 2 4; do
  echo "== mpirun -n $ranks"
  sh test/mpi/mpirun.sh -n "$ranks" "$program" --mpi "$@"
done
