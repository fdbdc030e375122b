#!/bin/sh
# The corpus job over two and four ranks of MPI on this machine, each checked against
# a sequential pass.
#
#   make run-mpi [ARGS="--rounds 1 DIR .."]
set -eu
cd "$(dirname "$0")/../../.."
dune build --display=quiet ./examples/corpus/main.exe
program=$PWD/_build/default/examples/corpus/main.exe

# Open MPI asks for consent to more ranks than processors, and to run as root.
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_rmaps_base_oversubscribe=1
if [ "$(id -u)" = 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

[ $# -gt 0 ] || set -- "$(ocamlfind ocamlc -where)"
for ranks in 2 4; do
  echo "== mpirun -n $ranks"
  mpirun -n "$ranks" "$program" --mpi "$@"
done
