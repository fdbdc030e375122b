#!/usr/bin/env bash
# check.sh [--quick] [--page FILE] TABLE [WORD]: tests whether the checks find faults.
# The script seeds each fault of TABLE (only lines with WORD) into a copy of the sources
# and runs the check that must find the fault. A line of TABLE, with tabs between:
#
#   source  where the fault is
#   check   coq PROOF              the proof of a translated kernel module
#           why3 THEORY            a theory of policies, proved again
#           test PROGRAM [ARG ..]  a test, built again
#           policy [OPTION ..]     `dromos policy check` of the source
#   seen    the check's output with the fault: expressions of grep -E, && between
#   seed    the fault, as an expression of sed
#   fault   the fault in words
#
# A failure is: a fault that cannot be seeded any more; a check without the expected
# output; a check with the expected output without the fault (except for Coq: `make
# proofs`). With --quick, only policies are checked; other faults are only seeded.
# --page writes a page with the outputs; with --quick, the page is only compared.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
quick=false page=
while :; do
  case ${1:-} in
    --quick) quick=true; shift ;;
    --page) page=$(realpath "$2"); shift 2 ;;
    *) break ;;
  esac
done
table=$(realpath "$1")
word=${2:-}
dromos=${DROMOS:-$root/_build/default/bin/main.exe}
[ ! -e "$dromos" ] || dromos=$(realpath "$dromos")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
passed=0
failed=0
say() {
  echo "$*"
  case $1 in PASS) passed=$((passed + 1)) ;; *) failed=$((failed + 1)) ;; esac
}

# {1 Checks} of the seeded source. A check must fail, with the reason in its output.

copied() {
  [ -d "$tree" ] && return
  mkdir "$tree"
  tar -C "$root" --exclude=./_build --exclude=./.git -cf - . | tar -C "$tree" -xf -
}

# Copies the sources of the translation and of the proofs, with Coq's compiled files.
check_coq() { # proof
  [ -e "$root/proofs/pool/pool.vo" ] || { echo "first: make proofs"; return 1; }
  local faulty=$work/faulty
  rm -rf "$faulty" && mkdir -p "$faulty/lib" && cd "$tree" || return 1
  cp -a dune-project ./*.opam proofs "$faulty/"
  cp -a lib/kernel "$faulty/lib/"
  cd "$faulty" && rm proofs/dune proofs/tools/dune
  local translation=@proofs/translate/kernel/translation
  dune build --profile release --root . $translation --auto-promote >/dev/null 2>&1
  dune build --profile release --root . $translation || return 1
  ! diff -rq --exclude=_build --exclude=dune "$tree/proofs" proofs >/dev/null ||
    { echo "the translation is the same"; return 0; }
  make -C proofs -s "$1.vo"
}

check_why3() { # theory
  rm -rf "$work/theories" && cp -R "$tree/policy/theories" "$work/"
  bash "$work/theories/check.sh" --again "$1"
}

# The tests use chance, with the same seed every time.
check_test() { # program, arguments
  local program=$1
  export DROMOS_TEST_SEED=${DROMOS_TEST_SEED:-1}
  shift
  dune build --root "$tree" --display=quiet "./$program.exe" &&
    cd "$tree/$(dirname "$program")" &&
    timeout 600 "$tree/_build/default/$program.exe" "$@"
}

# The search takes far longer than a violation needs, unless OPTION limits the time.
check_policy() { # options
  [ $# != 0 ] || set -- --seconds=8
  cd "$work/policy" && "$dromos" policy check --no-times --no-trace "$@" ./*.policy
}

# Runs a check with the given text as the source. The output goes to a log, without
# colours, and with single spaces.
run() { # check, source, text
  case $1 in
    policy*) rm -rf "$work/policy" && mkdir "$work/policy" && cp "$3" "$work/policy/${2##*/}" ;;
    *) copied && cp "$3" "$tree/$2" ;;
  esac || return 1
  (check_$1) >"$work/log" 2>&1 </dev/null
  local status=$?
  [ ! -d "$tree" ] || cp "$root/$2" "$tree/$2"
  sed -i 's/\x1b\[[0-9;]*m//g; s/  */ /g' "$work/log"
  return $status
}

# Prints the expected parts of a check's output on a line; 1 if a part is missing.
found_in() { # log, what
  local part said all=
  while read -r part; do
    said=$(grep -m1 -oE -- "$part" "$1") || return 1
    all="$all${all:+; }$said"
  done <<<"${2// && /$'\n'}"
  echo "$all"
}

# {1 Faults}

# True if the check has the expected output even without the fault; each check runs once.
declare -A innocent=()
without() { # check, source, seen
  case $1 in coq*) return 1 ;; esac
  local key=$1
  [ "${1%% *}" != policy ] || key="$1 $2"
  if [ -z "${innocent[$key]:-}" ]; then
    run "$1" "$2" "$root/$2"
    innocent[$key]=$work/innocent-${#innocent[@]}
    cp "$work/log" "${innocent[$key]}"
  fi
  found_in "${innocent[$key]}" "$3" >/dev/null
}

row() { echo "| \`$1\` | $2 | \`${3//policy\/test\//}\` | ${4//|/\\|} |"; }

seeded() { # source, check, seen, fault
  local start=$SECONDS said
  if $quick && [ "${2%% *}" != policy ]; then
    say PASS "$1: $4: can be seeded"
  elif without "$2" "$1" "$3"; then
    say FAIL "$1: $4: $2 says so without it"
  elif run "$2" "$1" "$work/mutant"; then
    say FAIL "$1: $4: $2 has nothing against it"
  elif said=$(found_in "$work/log" "$3"); then
    say PASS "$1: $4: $said ($((SECONDS - start)) s)"
    row "$1" "$4" "$2" "$said" >>"$work/rows"
  else
    say FAIL "$1: $4: $2 does not say: $3"
    tail -n 30 "$work/log"
  fi
}

: >"$work/rows"
while IFS=$'\t' read -r source check seen seed fault <&3; do
  case $source in '' | '#'*) continue ;; esac
  case "$source $check $fault" in *"$word"*) ;; *) continue ;; esac
  sed "$seed" "$root/$source" >"$work/mutant"
  if cmp -s "$root/$source" "$work/mutant"; then
    say FAIL "$source: $fault: cannot be seeded any more"
  elif $quick && [ -n "$page" ] && ! grep -qF "| \`$source\` | $fault |" "$page"; then
    say FAIL "$source: $fault: is not on the page of what was seen"
  else
    seeded "$source" "$check" "$seen" "$fault"
  fi
done 3<"$table"

# The page has a head of its own, up to the table.
if [ -n "$page" ] && ! $quick && [ -z "$word" ] && [ "$failed" = 0 ]; then
  { sed '/^|---/q' "$page"; cat "$work/rows"; } >"$work/page"
  cat "$work/page" >"$page"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
