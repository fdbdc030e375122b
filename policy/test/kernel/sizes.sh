#!/usr/bin/env bash
# Prints the Markdown table of doc/policy/sched_ext.md: the length of each policy as
# text, as OCaml and as C for Linux, and the number of instructions that the verifier
# follows.
#
#   policy/test/kernel/sizes.sh [--kernel IMAGE] [POLICY..]
#
# Comments and empty lines do not count. The script boots each policy once (a quarter of
# a minute where the guest is emulated); by default all shipped policies.
set -euo pipefail
cd "$(dirname "$0")/../../.."

kernel=()
if [ "${1-}" = --kernel ]; then
  kernel=(--kernel "$2")
  shift 2
fi
if [ $# -eq 0 ]; then
  set -- policy/policies/*.policy policy/policies/known/*.policy
fi

dune build --display=quiet bin/main.exe
dromos() { _build/default/bin/main.exe policy "$@"; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

lines() { # of C or of policies
  perl -0777 -pe 's{/\*.*?\*/}{}gs; s{//[^\n]*}{}g' "$@" | grep -c '[^[:space:]]'
}
lines_of_ocaml() { perl -0777 -pe 's{\(\*.*?\*\)}{}gs' "$1" | grep -c '[^[:space:]]'; }

h=policy/kernel
stealing=$(lines $h/stealing.h)
machine=$(($(lines $h/*.h) - stealing))

echo '| policy | its lines | OCaml | C of the policy | whole C | instructions verified |'
echo '|---|---|---|---|---|---|'
for file; do
  name=$(basename "$file" .policy)
  dromos compile "$file" -o "$place/hub.ml" >/dev/null 2>&1
  dromos compile --target sched_ext "$file" -o "$place/all.c" >/dev/null 2>&1
  all=$(lines "$place/all.c")
  given=$machine
  if grep -q '^static __noinline u32 take_from' "$place/all.c"; then
    given=$((given + stealing))
  fi
  dromos boot "${kernel[@]}" --workload burst --seconds 0.2 --no-trace "$file" \
    -o "$place/boot" >"$place/said" 2>/dev/null || true
  verified=$(sed -n 's/.* \([0-9]*\) instructions verified.*/\1/p' "$place/said")
  echo "| $name | $(lines "$file") | $(lines_of_ocaml "$place/hub.ml")" \
    "| $((all - given)) | $all | ${verified:-not loaded} |"
done
