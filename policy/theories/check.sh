#!/usr/bin/env bash
# check.sh [THEORY ..]: proves the theories of the policy language again, goal by
# goal, with the provers that their sessions (THEORY/why3session.xml) name. Fails
# if a goal is not proved, or if a theory has goals that its session lacks.
#
# check.sh --again [THEORY ..]: writes the sessions again, after a theory changed.
set -euo pipefail
cd "$(dirname "$0")"
again=
if [ "${1:-}" = --again ]; then
  again=yes
  shift
fi
theories=${*:-$(basename -s .mlw -- *.mlw)}
for tool in why3 z3; do
  command -v "$tool" >/dev/null || {
    echo "theories: $tool is missing: ./setup proofs" >&2
    exit 1
  }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Detects the provers again; the user's settings are neither read nor written.
why3 config detect -C "$work/conf" >"$work/detect" 2>&1 || {
  cat "$work/detect" >&2
  exit 1
}
started=$SECONDS
goals=0
for theory in $theories; do
  if [ -n "$again" ]; then
    rm -rf "$theory"
    why3 session create -C "$work/conf" -L . -P z3 -t 10 -a split_vc \
      -o "$theory" "$theory.mlw" >/dev/null
    why3 bench -C "$work/conf" -L . "$theory" >/dev/null 2>&1
    rm -f "$theory"/*.bak
  fi
  # A replay repeats the proofs of a session, and ignores goals that the session lacks.
  if grep '<goal ' "$theory/why3session.xml" | grep -v 'proved="true"' >"$work/open"; then
    sed -E 's/.*name="([^"]*)"( expl="([^"]*)")?.*/theories: open: \1 \3/;
            s/&#39;/'"'"'/g' "$work/open" >&2
    echo "theories: $theory.mlw is not proved" >&2
    exit 1
  fi
  # Into a copy, so that a failure does not change the committed session.
  mkdir -p "$work/theories"
  cp -R -- *.mlw "$theory" "$work/theories/"
  if ! why3 replay -C "$work/conf" -L "$work/theories" \
    "$work/theories/$theory" >"$work/log" 2>&1 </dev/null; then
    tr '\r' '\n' <"$work/log" | grep -v '^ *Progress' >&2 || true
    echo "theories: $theory.mlw is not proved" >&2
    exit 1
  fi
  goals=$((goals + $(grep -c '<result status="valid"' "$theory/why3session.xml")))
done
echo "theories: $goals goals proved ($((SECONDS - started)) s)"
