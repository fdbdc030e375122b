#!/bin/sh
# shares.sh PROGRAM..: divides the processor time of a program of the suite into shares, on
# stock OCaml and on the variant, with two workers, in hundredths of stock's time:
#   program    compiled code, and C that is no collector
#   stores     the write barrier and, on the variant, publishing
#   collector  the rest of the runtime's memory management
#   kernel     mostly pages that are touched for the first time
# The shares come from perf's samples, and from the member of the runtime's library that
# has the function. Of five processes (or HH_RUNS) the one of the median time counts. Run
# the script after `make heap-bench` or a build.
set -eu
runs=${HH_RUNS:-5}
bench=$(cd "$(dirname "$0")/../../_build/default/heap/bench" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v perf >/dev/null || { echo 'shares.sh: no perf' >&2; exit 1; }

# SYMBOL MEMBER, of a library.
members() { nm -A "$1" 2>/dev/null | sed -n 's/^[^:]*:\([^:]*\)\.n\.o:[^ ]* [tTW] /\1 /p'; }
members "$(ocamlfind ocamlc -where)/libasmrun.a" >"$work/stock"
members "$bench/../libasmrun_hh.a" >"$work/variant"

# sample RUNTIME PROGRAM: SECONDS OF-PROGRAM OF-STORES OF-COLLECTOR OF-KERNEL
sample() {
  perf record -q -F 999 -o "$work/data" "$bench/$1/measure.exe" "$2" --workers 2 --runs 6 \
    >"$work/out" 2>"$work/messages" || { cat "$work/messages" >&2; exit 1; }
  seconds=$(sed -n 's/.*"cpu_s":\[[^,]*,\([^]]*\).*/\1/p' "$work/out" | tr , '\n' | sort -n | sed -n 3p)
  perf report -i "$work/data" --stdio --percent-limit 0 --sort sym 2>/dev/null |
    awk -v seconds="$seconds" '
      NR == FNR { member[$2] = $1; next }
      !/^ *[0-9]/ { next }
      {
        m = member[$3]
        if ($2 == "[k]") k = "kernel"
        else if (m ~ /^(hh_publish|hh_pin|hh_barrier|hh_lowering|memory)$/) k = "stores"
        else if (m ~ /^hh_|^(minor_gc|major_gc|shared_heap|domain|finalise|weak|globroots|roots|platform|gc_ctrl|lf_skiplist|stack)$/) k = "collector"
        else k = "program"
        sum[k] += $1
      }
      END {
        printf "%s", seconds
        for (i = split("program stores collector kernel", ks); i > 0; i--) all += sum[ks[i]]
        for (i = 1; i <= 4; i++) printf " %f", seconds * sum[ks[i]] / all
        print ""
      }' "$work/$1" -
}

printf '%-20s %-8s %8s %8s %8s %9s %8s\n' '% of stock' runtime all program stores collector kernel
for program; do
  for runtime in stock variant; do : >"$work/$runtime.samples"; done
  for _ in $(seq "$runs"); do
    for runtime in stock variant; do sample "$runtime" "$program" >>"$work/$runtime.samples"; done
  done
  for runtime in stock variant; do
    sort -n "$work/$runtime.samples" | sed -n "$(((runs + 1) / 2))p" >"$work/$runtime.median"
    cat "$work/stock.median" "$work/$runtime.median" | awk -v p="$program" -v r="$runtime" '
      NR == 1 { whole = $1; next }
      { printf "%-20s %-8s", p, r
        for (i = 1; i <= 5; i++) printf (i == 4 ? " %9.0f" : " %8.0f"), 100 * $i / whole
        print "" }'
  done
done
