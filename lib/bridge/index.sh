#!/bin/sh
# index.sh AVAILABLE FILE: prints FILE, the first page of a package. If the library of
# the package cannot be built (AVAILABLE is false), references to modules become names,
# since odoc would warn of each reference.
case $1 in
true) cat "$2" ;;
*) sed 's/{!modules: \([^}]*\)}/[\1]/; s/{!\([^}]*\)}/[\1]/g' "$2" ;;
esac
