#!/bin/sh
# Runs the corpus job over two and four ranks of MPI on this machine, and checks each
# against a sequential pass. The default files are those of OCaml, C and Perl: for
# ranks a job must be larger than for workers, since every job has a dozen messages. A
# pass repeats the job until the sequential code takes about a second.
#
#   make run-mpi [ARGS="--rounds 1 DIR .."]
set -eu
cd "$(dirname "$0")/../../.."
dune build --display=quiet ./examples/corpus/main.exe
program=$PWD/_build/default/examples/corpus/main.exe

if [ $# = 0 ]; then
  set -- --seconds 1 --rounds 1 "$(ocamlfind ocamlc -where)"
  for dir in /usr/include /usr/share/perl; do
    [ ! -d "$dir" ] || set -- "$@" "$dir"
  done
fi
for ranks in 2 4; do
  echo "== mpirun -n $ranks"
  sh test/mpi/mpirun.sh -n "$ranks" "$program" --mpi "$@"
done
cat <<'END'

Ranks send each other what the workers of one process share, and count the common phrases
twice. So on one machine `make run` is faster; ranks are for more cores than one machine
has (doc/mpi.md).
END
