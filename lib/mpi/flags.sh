#!/bin/sh
# Writes the flags for dune to compile and link C with this machine's MPI: c_flags.sexp,
# library_flags.sexp and first_flags.sexp, from the output of mpicc -show (Open MPI and MPICH
# alike). Without mpicc the library is built too, and each call says that there is no MPI.
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

# Open MPI uses libevent. Lwt's libev exports functions of the same names: in a program with
# both, Open MPI crashes at its start unless libevent comes first.
event=
for folder in $(printf '%s\n' $words | sed -n 's/^-L//p'); do
  [ -n "$event" ] || [ ! -e "$folder/libmpi.so" ] ||
    event=$(ldd "$folder/libmpi.so" 2>/dev/null | awk '$1 ~ /^libevent_core/ { print $3; exit }')
done
if [ -n "$event" ]; then
  echo "(-ccopt -Wl,--no-as-needed,$event,--as-needed)" >first_flags.sexp
else
  echo "()" >first_flags.sexp
fi
