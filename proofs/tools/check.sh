#!/usr/bin/env bash
# check.sh [--fast|--full]: checks the proofs; called by `make proofs`. Compiles the
# changed files (--full: all files), then asks Coq for the assumptions of each theorem of
# the page, and writes doc/verification.md (not with --fast). Only a pass over all files
# writes the stamp.
set -euo pipefail
cd "$(dirname "$0")/.."
started=$SECONDS
mode=${1:-}
[ "$mode" != --full ] || make -s clean
make -s .depend
rm -f .done
{ make -n all || true; } | grep -c tools/compile >.total || true
if [ "$(cat .total)" != 0 ]; then
  echo "proofs: $(cat .total) files to compile"
fi
make -s -j"${JOBS:-2}" all
policies() {
  [ "$mode" != --full ] || make -s -C policy clean
  make -s -C policy -j"${JOBS:-2}" all
  echo "proofs: $(ls policy/certificates/*.v | wc -l) certificates of policies are checked"
}
policies
if [ "$mode" = --fast ]; then
  echo "proofs: what changed is proved ($((SECONDS - started)) s)"
  exit 0
fi
verification=../_build/default/proofs/tools/verification.exe
(cd .. && dune build ./proofs/tools/verification.exe)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$verification" questions >"$work/questions.v"
coqc -Q . dromos "$work/questions.v" >"$work/answers"
# Checks that Coq reads the generated files as the translator meant them, and the prelude
# as the interpreter runs it.
for said in comparisons prelude_comparisons; do
  (cd .. && dune build "./proofs/translate/kernel/$said")
  cat "../_build/default/proofs/translate/kernel/$said" >"$work/$said.v"
  coqc -Q . dromos "$work/$said.v"
done
"$verification" page --answers "$work/answers" ../doc/verification.md
"$verification" readme ../lib/kernel/README.md ../lib/kernel/{base,deque,hub,pool}/*.mli
tools/stamp write
echo "proofs: $("$verification" count) theorems, no axioms; see doc/verification.md ($((SECONDS - started)) s)"
