#!/bin/sh
# memory.sh: measures the memory of programs that publish objects and drop them: small
# objects scattered among garbage, a server's messages, fibers that are dropped. Prints
# the resident MiB on stock OCaml and on the variant: after a tenth of the run, at the
# end, and the peak (memory.ml). Called by `make heap-programs`.
set -eu
cd "$(dirname "$0")/../../_build/default/heap/bench"
printf '%-12s %-8s %8s %8s %8s\n' program runtime tenth end most
for program in scattered server fibers; do
  for runtime in stock variant; do
    printf '%-12s %-8s %8s %8s %8s\n' "$program" "$runtime" \
      $("./$runtime/memory.exe" "$program")
  done
done
