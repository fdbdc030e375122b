#!/bin/sh
# memory.sh: what programs hold that publish and let go: small objects scattered among
# garbage, a server's messages, fibers that are dropped. Stock OCaml against the variant,
# in MiB resident after a tenth, at the end, and at most (memory.ml). Called by
# `make heap-programs`.
set -eu
cd "$(dirname "$0")/../../_build/default/heap/bench"
printf '%-12s %-8s %8s %8s %8s\n' program runtime tenth end most
for program in scattered server fibers; do
  for runtime in stock variant; do
    printf '%-12s %-8s %8s %8s %8s\n' "$program" "$runtime" \
      $("./$runtime/memory.exe" "$program")
  done
done
