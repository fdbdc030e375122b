#!/bin/sh
# How C is compiled and linked with MPI here: c_flags.sexp and library_flags.sexp for
# dune, from what mpicc tells (Open MPI and MPICH alike). Without mpicc the library is
# built all the same, and each call says that there is no MPI.
set -eu

words=$(${MPICC:-mpicc} -show 2>/dev/null) || words=
compile= link=
for word in $words; do
  case $word in
    -I* | -D*) compile="$compile $word" ;;
    -L* | -l* | -Wl,*) link="$link $word" ;;
  esac
done
[ -n "$words" ] || compile=-DNO_MPI
echo "($compile)" >c_flags.sexp
echo "($link)" >library_flags.sexp
