#!/usr/bin/env bash
# Builds each package by itself, as opam does: from a clean copy of the sources, beside
# only the packages of Dromos on which the package depends; then again beside its
# optional dependencies (depopts). Then uses the installed packages: in a program in
# native code, in bytecode and linked statically, and in the toplevel.
#
#   test/packages.sh [--tests] [PACKAGE ..]     --tests: with the tests of each (long)
#
# A package whose dependencies are not installed is left out, with a line.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
root=$PWD

targets=@install
if [ "${1-}" = --tests ]; then
  targets='@install @runtest'
  shift
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
pass() { echo "PASS packages: $1"; passed=$((passed + 1)); }
fail() {
  echo "FAIL packages: $1"
  [ -z "${2-}" ] || {
    grep -E '^File |^[-+] |FAIL|ASSERT|[Ee]rror|exception' "$2" | head -n 20
    echo ..
    tail -n 20 "$2"
  } | sed 's/^/    /'
  failed=$((failed + 1))
}

source=$work/source
mkdir "$source"
bash test/copy.sh "$source"
cp -al "$source" "$work/deps"

# names FIELD FILE: the packages in a field of an opam file; packages for tests and pages
# only if TESTS is not empty.
names() {
  awk -v field="$1" -v tests="${TESTS-}" '
    $0 ~ "^" field ": \\[" { inside = 1 }
    inside { line = $0
      if (line ~ /with-(test|doc|dev-setup)/ && tests == "") next
      while (match(line, /"[a-z][a-zA-Z0-9_-]*"/)) {
        print substr(line, RSTART + 1, RLENGTH - 2)
        line = substr(line, RSTART + RLENGTH)
        sub(/^ *\{[^}]*\}/, "", line) } }
    inside && /\]/ { exit }' "$2"
}
ours() { grep -E '^dromos' || true; }

# closure PACKAGE: the packages of Dromos on which PACKAGE depends, directly or not.
closure() {
  local d
  for d in $(TESTS=${2-} names depends "$1.opam" | ours); do
    closure "$d"
    echo "$d"
  done
}

# All packages, each after its dependencies.
all=$(for f in *.opam; do closure "${f%.opam}"; echo "${f%.opam}"; done | awk '!seen[$0]++')
wanted=${*:-$all}

absent() { # required libraries that are not installed
  local n
  for n in $(names depends "$1.opam" | grep -vE '^dromos'); do
    case $n in
      dune | ocaml | base-* | odoc) ;;
      menhir) command -v menhir >/dev/null || echo menhir ;;
      *) ocamlfind query "$n" >/dev/null 2>&1 || echo "$n" ;;
    esac
  done
}

# with PACKAGES..: makes findlib and the shell find the installed packages.
with() {
  local p lib= bin=
  for p in "$@"; do
    lib=$lib:$work/inst/$p/lib
    bin=$bin$work/inst/$p/bin:
  done
  export OCAMLPATH=${lib#:}${user_path:+:$user_path} PATH=$bin$user_bin
}
user_path=${OCAMLPATH-} user_bin=$PATH

# build PACKAGE FOLDER: builds the package in a copy of the sources.
build() {
  mkdir -p "$2" && cp -al "$source/." "$2" &&
    (cd "$2" && dune build --display=quiet -p "$1" $targets)
}

installs() { # true if the package installs a library or a command
  find "$work/inst/$1" \( -path '*/bin/*' -o -name '*.cmxa' -o -name '*.a' \) | grep -q .
}

for p in $wanted; do
  missing=$(absent "$p" | tr '\n' ' ')
  if [ -n "$missing" ]; then
    echo "$p is left out: without ${missing% }"
    continue
  fi
  deps=$(closure "$p" "$([ "$targets" = @install ] || echo yes)" | awk '!seen[$0]++')
  for d in $deps; do
    [ -d "$work/inst/$d" ] || {
      with $(closure "$d")
      (cd "$work/deps" && dune build --display=quiet -p "$d" @install &&
        dune install --display=quiet --prefix "$work/inst/$d" "$d") \
        >"$work/log" 2>&1 || fail "$d for $p" "$work/log"
    }
  done
  with $deps
  if build "$p" "$work/$p" >"$work/log" 2>&1 &&
    (cd "$work/$p" && dune install --display=quiet --prefix "$work/inst/$p" "$p") \
      >>"$work/log" 2>&1; then
    pass "$p by itself"
    if installs "$p"; then pass "$p installs something"; else fail "$p installs nothing"; fi
  else
    fail "$p by itself" "$work/log"
  fi
  rm -rf "${work:?}/$p"
done

for p in $wanted; do
  optional=
  for o in $(names depopts "$p.opam" | ours); do
    [ -d "$work/inst/$o" ] && optional="$optional $o $(closure "$o")"
  done
  [ -n "$optional" ] && [ -d "$work/inst/$p" ] || continue
  with $(printf '%s\n' $optional $(closure "$p") | awk '!seen[$0]++')
  if build "$p" "$work/$p" >"$work/log" 2>&1; then
    pass "$p beside$(printf ' %s' $(printf '%s\n' $optional | sort -u))"
  else
    fail "$p beside what it can use" "$work/log"
  fi
  rm -rf "${work:?}/$p"
done

# {1 Uses of the installed packages}

mkdir "$work/use"

if [ -d "$work/inst/dromos" ]; then
  with dromos-suspend dromos
  export CAML_LD_LIBRARY_PATH=$work/inst/dromos/lib/stublibs
  cd "$work/use" || exit 2
  cat >sum.ml <<'ML'
let () =
  Dromos.run ~workers:2 (fun () ->
      let squares = Dromos.Par.Array.map (fun n -> n * n) (Array.init 1000 Fun.id) in
      let a, b = Dromos.both (fun () -> squares.(30)) (fun () -> squares.(40)) in
      Printf.printf "%d\n" (a + b))
ML
  used() { # NAME COMMAND: prints 2500
    if [ "$(bash -c "$2" 2>"$work/log")" = 2500 ]; then pass "dromos $1"; else fail "dromos $1" "$work/log"; fi
  }
  used 'in native code' 'ocamlfind ocamlopt -package dromos -linkpkg sum.ml -o sum && ./sum'
  used 'in bytecode' 'ocamlfind ocamlc -package dromos -linkpkg sum.ml -o sum.byte && ./sum.byte'
  used 'linked statically' 'ocamlfind ocamlopt -package dromos -linkpkg -ccopt -static sum.ml -o sum.static && ./sum.static'
  # An alias of a library that is not installed fails where it is used.
  sed -nE 's/^module ([A-Za-z_]+) .*/module _ = struct include Dromos.\1 end/p' \
    "$root/lib/dromos/dromos.mli" >every.ml
  echo 'let () = print_int 2500' >>every.ml
  used 'module by module' 'ocamlfind ocamlopt -package dromos -linkpkg every.ml -o every && ./every'
  printf '#use "topfind";;\n#require "dromos";;\n#use "sum.ml";;\n' >top.ml
  used 'in the toplevel' "ocaml -noinit top.ml | grep -x 2500"
  # The files of README's Install section.
  mkdir project
  awk '/^```text/ { n++; inside = 1; next } /^```/ { inside = 0 }
    inside && n <= 2 { print > ("project/" (n == 1 ? "dune-project" : "dune")) }' "$root/README.md"
  cp sum.ml project/main.ml
  used 'as the README installs' 'cd project && dune exec --display=quiet --root . mine'
  cd - >/dev/null || exit 2
fi
if [ -d "$work/inst/dromos-heap" ]; then
  with dromos-heap
  cd "$work/use" || exit 2
  echo 'let () = print_int (2500 + Bool.to_int (Dromos_heap.stats () <> None))' >heap.ml
  if [ "$(ocamlfind ocamlopt -package dromos-heap -linkpkg -runtime-variant _hh heap.ml -o heap \
    2>"$work/log" && ./heap)" = 2501 ]; then
    pass 'dromos-heap: the variant is linked'
  elif grep -q 'it is for OCaml 5.3 on amd64 Linux' "$work/log"; then
    echo 'dromos-heap: there is no variant here'
  else
    fail 'dromos-heap: the variant is linked' "$work/log"
  fi
  cd - >/dev/null || exit 2
fi
if [ -d "$work/inst/dromos-cli" ]; then
  with dromos-cli
  version=$(sed -n 's/^(version \(.*\))$/\1/p' dune-project)
  if [ "$(dromos --version)" = "$version" ]; then pass 'dromos --version'; else fail 'dromos --version'; fi
fi

if command -v opam >/dev/null; then
  if opam lint ./*.opam >"$work/log" 2>&1 && ! grep -q -E '(warning|error) [0-9]' "$work/log"; then
    pass 'opam lint'
  else
    fail 'opam lint' "$work/log"
  fi
else
  echo 'opam is not here: opam lint is left out'
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
