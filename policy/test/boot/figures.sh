#!/bin/sh
# Prints the tables of doc/policy/figures.md: boots each policy on 2, 4 and 8 CPUs, beside
# the kernel's own scheduler in the same boot. On a machine with fewer CPUs than the
# guest only the guest's own accounts are of use.
#
#   policy/test/boot/figures.sh OUT [CPUS ..]      OUT is a folder; options of boot in BOOT
set -eu
cd "$(dirname "$0")/../../.."
out=$1
shift
[ $# -gt 0 ] || set -- 2 4 8
dune build bin/main.exe policy/test/boot/table.exe
for cpus in "$@"; do
  for policy in cfs_cwc cfs_cwc_flat ule ule_cwc work_stealing; do
    folder=$out/$cpus-$policy
    [ -e "$folder/result.json" ] && continue
    mkdir -p "$folder"
    # shellcheck disable=SC2086
    ./_build/default/bin/main.exe policy boot policy/policies/$policy.policy \
      --cpus "$cpus" -o "$folder" ${BOOT-} >"$folder/text" || true
  done
done
./_build/default/policy/test/boot/table.exe "$out"/*/result.json
