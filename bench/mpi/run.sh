#!/bin/sh
# Messages of Dromos under MPI beside those of plain C, and loops over one, two and
# four ranks.
#
#   make bench-mpi
#
# Latency is the time of one way of a ping-pong, the median of 21 rounds. Each program
# runs three times, in turn; the table has the median of the three runs. A fiber waits
# where C spins: the latency includes the wake-up of a fiber (`make bench ARGS="--only
# wakeup"`). With fewer processors than ranks the loops cannot become faster.
set -eu
cd "$(dirname "$0")/../.."
dune build --display=quiet --profile release ./bench/mpi/ping.exe ./bench/mpi/steps.exe
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mpicc -O2 -o "$work/ping" bench/mpi/ping.c

for turn in 1 2 3; do
  sh test/mpi/mpirun.sh -n 2 "$work/ping" 2>/dev/null | sed 's/^/c /'
  sh test/mpi/mpirun.sh -n 2 "$PWD/_build/default/bench/mpi/ping.exe" 2>/dev/null | sed 's/^/dromos /'
done | awk '
  function median(a, n,  i, j, x) {
    for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j - 1] > a[j]; j--) {
      x = a[j]; a[j] = a[j - 1]; a[j - 1] = x }
    return a[int((n + 1) / 2)] }
  { t[$1, $2, ++n[$1, $2]] = $3; if (!($2 in seen)) { seen[$2] = 1; order[++m] = $2 } }
  END {
    print "| bytes | C, us one way | Dromos | ratio | C, MB/s | Dromos |"
    print "|---|---|---|---|---|---|"
    for (k = 1; k <= m; k++) {
      s = order[k]
      for (i = 1; i <= n["c", s]; i++) a[i] = t["c", s, i]
      c = median(a, n["c", s])
      for (i = 1; i <= n["dromos", s]; i++) a[i] = t["dromos", s, i]
      d = median(a, n["dromos", s])
      printf "| %d | %.2f | %.2f | %.2f | %.0f | %.0f |\n", s, c * 1e6, d * 1e6, d / c,
        s / c / 1e6, s / d / 1e6 } }'
echo
for ranks in 1 2 4; do
  sh test/mpi/mpirun.sh --bind-to none -n $ranks "$PWD/_build/default/bench/mpi/steps.exe" 2>/dev/null |
    sed "s/^/$ranks /"
done | awk '
  { t[$2, $1] = $3; if (!($2 in seen)) { seen[$2] = 1; order[++m] = $2 } }
  END {
    print "| loop | 1 rank, s | 2 ranks | 4 ranks |"
    print "|---|---|---|---|"
    for (k = 1; k <= m; k++) {
      s = order[k]
      printf "| %s | %.3f | %.3f (%.2f) | %.3f (%.2f) |\n", s, t[s, 1], t[s, 2],
        t[s, 1] / t[s, 2], t[s, 4], t[s, 1] / t[s, 4] } }'
