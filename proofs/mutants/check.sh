#!/usr/bin/env bash
# check.sh [--apply] [WORD]: are the specifications strong enough to tell a faulty
# kernel from a right one? Seeds each fault of mutants.tsv (those with WORD in their
# line) into a copy of the kernel, translates it, and has Coq check the proof again:
# it must fail. Needs the compiled proofs (`make proofs`). With --apply only sees
# that every fault can still be seeded.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
apply=false
[ "${1:-}" != --apply ] || { apply=true; shift; }
word=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
say() {
  echo "$*"
  case $1 in PASS) passed=$((passed + 1)) ;; *) failed=$((failed + 1)) ;; esac
}

# What the translation and the proofs are made from, with what Coq has compiled.
if ! $apply; then
  [ -e "$root/proofs/pool/pool.vo" ] || { echo "first: make proofs" >&2; exit 2; }
  mkdir "$work/plain" "$work/plain/lib"
  cp -a "$root/dune-project" "$root"/*.opam "$root/proofs" "$work/plain/"
  cp -a "$root/lib/kernel" "$work/plain/lib/"
  rm "$work/plain/proofs/dune" "$work/plain/proofs/tools/dune"
fi

# 0: proved all the same; 3: not translated; else Coq's complaint is in the log.
check() { # source, proof
  rm -rf "$work/faulty" && cp -a "$work/plain" "$work/faulty" && cd "$work/faulty" || return 3
  cp "$work/mutant" "lib/kernel/$1"
  dune build --profile release --root . @proofs/translate/kernel/translation --auto-promote >"$work/log" 2>&1
  dune build --profile release --root . @proofs/translate/kernel/translation >>"$work/log" 2>&1 || return 3
  ! diff -rq --exclude=_build "$work/plain/proofs" proofs >/dev/null || return 3
  make -C proofs -s "$2.vo" >"$work/log" 2>&1 || return 1
}

while IFS=$'\t' read -r source proof expression what; do
  case $source in '' | '#'*) continue ;; esac
  case "$source $proof $what" in *"$word"*) ;; *) continue ;; esac
  sed "$expression" "$root/lib/kernel/$source" >"$work/mutant"
  if cmp -s "$root/lib/kernel/$source" "$work/mutant"; then
    say FAIL "$source: $what: cannot be seeded any more"
  elif $apply; then
    say PASS "$source: $what"
  else
    start=$SECONDS
    (check "$source" "$proof")
    case $? in
      0) say FAIL "$source: $what: proved all the same" ;;
      3) say FAIL "$source: $what: not translated"; tail -n 5 "$work/log" ;;
      *) place=$(grep -m1 -oE '[a-z_]+\.v", line [0-9]+' "$work/log" | tr -d '"')
         say PASS "$source: $what: refuted, ${place:-in no place} ($((SECONDS - start)) s)" ;;
    esac
  fi
done <"$here/mutants.tsv"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
