#!/bin/sh
# agree.sh BUILD MEASURE: checks that each program, in each language that can be built
# here, with three workers and without workers, has the checksum of OCaml's sequential
# elision.
set -eu
build=$1 measure=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
sh "$build" "$out"

checksum() { sed -n 's/.*"checksum": *\([0-9][0-9]*\).*/\1/p'; }

status=0
agree() {
  program=$1 size=$2
  expected=$("$measure" "$program" --size "$size" --sequential | checksum)
  for language in cpp go java; do
    [ -x "$out/$language" ] || continue
    verdict=PASS
    for workers in 3 0; do
      found=$("$out/$language" "$program" "$size" "$workers" 2 | checksum)
      [ -n "$expected" ] && [ "$found" = "$expected" ] || {
        echo "$program in $language, $workers workers: '$found', not '$expected'" >&2
        verdict=FAIL status=1
      }
    done
    echo "$verdict peers: $program in $language"
  done
}

# A size with several pieces, and a smaller size.
agree hash-dedup 100001
agree linefit 200001
agree mcss 200001
agree msort-int64 50001
agree primes 300001
agree sparse-mxv 100001
agree tokens 100001
agree wc 200001
exit $status
