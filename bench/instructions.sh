#!/bin/sh
# instructions.sh BENCHMARK CONTESTANT [WORKERS] [LAB OPTIONS]
#
# Counts, by valgrind's cachegrind, the instructions that a benchmark takes: for
# machines without hardware counters. Prints a line for each size and cut-off:
# the instructions in all, and divided by the benchmark's n.
#
# Each measurement runs twice with the same input, once with the benchmark and once
# without; the difference is the count of the benchmark. WORKERS is 1 by default. With
# more workers, the count includes workers that look for work, and valgrind runs one
# worker at a time. Sizes are those of --quick, unless LAB OPTIONS say otherwise
# (--size 5000000 --cutoffs 1000,65536). make bench ARGS=--list has the names. Exits with
# 2 after wrong arguments or without valgrind, with 1 if a measurement fails.
set -eu
cd "$(dirname "$0")/.."

help() { sed -n -e '2,/^[^#]/s/^# \{0,1\}//p' bench/instructions.sh | sed '1s/^/usage: /'; }
case ${1-} in
--help | -h)
  help
  exit 0
  ;;
esac
case ${1--},${2--} in
-* | *,-*)
  echo "instructions.sh: a benchmark and a contestant are expected" >&2
  help | sed 1q >&2
  exit 2
  ;;
esac
command -v valgrind >/dev/null || {
  echo "instructions.sh: valgrind is not installed (apt install valgrind)" >&2
  exit 2
}
bench=$1 contestant=$2
shift 2
workers=1
case ${1-} in
[0-9]*)
  workers=$1
  shift
  ;;
esac
[ $# -gt 0 ] || set -- --quick

./setup exec dune build --display=quiet ./bench/main.exe
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
_build/default/bench/main.exe --commands --only "$bench" \
  --schedulers "$contestant" --workers "$workers" "$@" >"$work/commands"
if [ ! -s "$work/commands" ]; then
  echo "instructions.sh: $contestant does not have $bench" >&2
  exit 1
fi

# count PROGRAM MODE ARGUMENTS: the instructions of the process.
count() {
  if ! valgrind --tool=cachegrind --cache-sim=no \
    --cachegrind-out-file=/dev/null "$@" >/dev/null 2>"$work/log"; then
    grep -v '^[=-]' "$work/log" >&2 || cat "$work/log" >&2
    return 1
  fi
  sed -n 's/^==[0-9]*== I *refs: *//p' "$work/log" | tr -d ,
}

printf '%-14s %-18s %7s %8s %10s %14s %12s\n' \
  benchmark contestant workers cut-off n instructions 'by n'
while read -r program name job workers cutoff n; do
  all=$(count "$program" --once "$name" "$job" "$workers" "$cutoff" "$n")
  input=$(count "$program" --only-input "$name" "$job" "$workers" "$cutoff" "$n")
  awk -v d=$((all - input)) -v n="$n" -v w="$workers" -v c="$cutoff" \
    -v name="$name" -v job="$job" 'BEGIN {
      printf "%-14s %-18s %7d %8d %10d %14d %12.3f\n", job, name, w, c, n, d, d / n
    }'
done <"$work/commands"
