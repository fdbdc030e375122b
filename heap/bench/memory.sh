#!/bin/sh
# memory.sh: the memory of programs that publish and drop objects: small objects scattered
# among garbage, the messages of a server, dropped fibers. OCaml's own runtime against the
# heap variant, in resident MiB after a tenth, at the end, and at the peak (memory.ml).
# `make heap-programs` calls this script.
set -eu
cd "$(dirname "$0")/../../_build/default/heap/bench"
printf '%-12s %-8s %8s %8s %8s\n' program runtime tenth end most
for program in scattered server fibers; do
  for runtime in stock variant; do
    printf '%-12s %-8s %8s %8s %8s\n' "$program" "$runtime" \
      $("./$runtime/memory.exe" "$program")
  done
done
