#!/bin/sh
# programs.sh [RUNS]: compares programs of one domain on stock OCaml and on the variant:
# small programs (classics.ml), dromos, Why3's library on the theories of policy/, OCaml's
# compiler on its own sources, and Menhir on OCaml's grammar. Prints medians of RUNS (5)
# interleaved runs: processor time in seconds, the peak of resident memory in KiB, and
# the ratios; the goals for the ratios are 1.10 and 1.25. Both outputs must be the same,
# byte for byte. The script fetches sources (test/distribution/fetch.sh, menhir.sh). A
# program without a source or a library is left out, with a message. Called by
# `make heap-programs`.
set -eu
say() { printf 'programs.sh: %s\n' "$*" >&2; }
runs=${1:-5}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/_build/default
cache=$root/_build/heap-programs
library=$build/heap
where=$(ocamlfind ocamlc -where)
[ -x /usr/bin/time ] || { say "needs GNU time as /usr/bin/time"; exit 1; }
mkdir -p "$cache"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

median() { sort -n "$1" | sed -n "$(((runs + 1) / 2))p"; }

# measure FILE COMMAND..: appends the command's processor time and memory.
measure() {
  to=$1
  shift
  /usr/bin/time -o "$work/time" -f '%U %S %M' "$@" >"$work/out" 2>"$work/err" || {
    say "failed: $*"
    cat "$work/err" >&2
    exit 1
  }
  awk '{ print $1 + $2 > t; print $3 > m }' t="$work/t" m="$work/m" "$work/time"
  cat "$work/t" >>"$to.seconds"
  cat "$work/m" >>"$to.kib"
}

# compare NAME OUTPUT COMMAND..: measures the command on both runtimes, and prints a line.
# `@' in a word of the command stands for stock or variant. OUTPUT is a file that the
# command writes besides its standard output, or -.
compare() {
  name=$1
  output=$2
  shift 2
  rm -f "$work"/*.seconds "$work"/*.kib
  for _ in $(seq "$runs"); do
    for runtime in stock variant; do
      command=$(printf '%s\n' "$@" | sed "s|@|$runtime|g")
      # shellcheck disable=SC2086
      measure "$work/$runtime" $command
      [ "$output" = - ] || cat "$output" >>"$work/out"
      cp "$work/out" "$work/$runtime.out"
    done
    cmp "$work/stock.out" "$work/variant.out" >&2 || { say "$name: not the same"; exit 1; }
  done
  echo "$name" "$(median "$work/stock.seconds")" "$(median "$work/variant.seconds")" \
    "$(median "$work/stock.kib")" "$(median "$work/variant.kib")" |
    awk '{ printf "%-28s %7.2f %7.2f %6.2f %9d %9d %6.2f\n",
           $1, $2, $3, $3 / ($2 > 0 ? $2 : 0.01), $4, $5, $5 / $4 }'
}

# link NAME ARGUMENT..: links the program on both runtimes.
link() {
  name=$1
  shift
  ocamlfind ocamlopt "$@" -o "$cache/$name.stock"
  ocamlfind ocamlopt -I "$library" -runtime-variant _hh "$@" -o "$cache/$name.variant"
}

classics() {
  for program in $("$build/heap/bench/stock/classics.exe"); do
    compare "classics/$program" - "$build/heap/bench/@/classics.exe" "$program"
  done
}

obligations() {
  ocamlfind query why3 >/dev/null 2>&1 || {
    say "no library why3 (package libwhy3-ocaml-dev): its program is left out"
    return
  }
  cp -f "$here/why3/obligations.ml" "$cache"
  link obligations -package why3 -linkpkg "$cache/obligations.ml"
  compare why3/obligations - "$cache/obligations.@" "$root"/policy/theories/*.mlw
}

# In a folder of their own, with the installed interfaces.
compile() {
  source=$1
  in=$work/compile
  mkdir -p "$in"
  cp "$where"/compiler-libs/*.cmi "$where/camlinternalFormat.cmi" "$in"
  for file in stdlib/camlinternalFormat boot/menhir/parser typing/typecore typing/ctype \
    typing/typemod lambda/translcore lambda/matching; do
    for end in ml mli; do
      sed 's/MenhirLib/CamlinternalMenhirLib/g' "$source/$file.$end" \
        >"$in/$(basename "$file").$end"
    done
  done
  cd "$in"
  for module in camlinternalFormat parser typecore ctype typemod translcore matching; do
    compare "ocamlopt/$module" "$in/$module.s" "$cache/ocamlopt.@" -w -a -g -nostdlib \
      -I "$where" -I "$where/compiler-libs" -I "$where/unix" -stop-after emit -S \
      -c "$module.ml"
  done
}

grammar() {
  cp "$1/parsing/parser.mly" "$work/grammar.mly"
  cd "$work"
  for how in "lalr --dump" "table --dump" "lalr --list-errors"; do
    out=$work/grammar.automaton
    [ "$how" != "lalr --list-errors" ] || out=-
    # shellcheck disable=SC2086
    compare "menhir/$(echo "$how" | tr -d ' ')" "$out" "$cache/menhir.@" --$how \
      --table "$work/grammar.mly"
  done
}

policies() {
  cp -f "$build/bin/main.exe" "$cache/dromos.stock"
  cp -f "$build/heap/bench/dromos/main.exe" "$cache/dromos.variant"
  cd "$root/policy/policies"
  for policy in cfs_cwc ule; do
    compare "dromos/simulate/$policy" - "$cache/dromos.@" policy simulate --cores=16 \
      --length=8 "$policy.policy"
  done
}

printf '%-28s %7s %7s %6s %9s %9s %6s\n' program stock variant ratio stock variant ratio
classics
policies
obligations
if source=$(sh "$root/heap/test/distribution/fetch.sh" "$root/_build/distribution"); then
  link ocamlopt -I +compiler-libs -linkall ocamlcommon.cmxa ocamloptcomp.cmxa optmain.cmx
  compile "$source"
  if sh "$here/menhir.sh" "$cache" "$library"; then grammar "$source"; fi
fi
