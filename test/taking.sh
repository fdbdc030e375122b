#!/usr/bin/env bash
# Takes Dromos into a project as a newcomer does: by the commands of README's Install
# section, in clean copies of the sources.
#
#   without opam   dune install --prefix, and OCAMLPATH
#   vendored       a copy in the project, at two depths, with vendored_dirs and without
#   with opam      where opam is installed; a local repository with empty packages stands
#                  in for the libraries, which are those of the system
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

pass() { echo "PASS taking: $1"; passed=$((passed + 1)); }
fail() {
  echo "FAIL taking: $1"
  tail -n 20 "$work/log" | sed 's/^/    /'
  failed=$((failed + 1))
}
clone() { mkdir -p "$1" && bash "$root/test/copy.sh" "$1"; }

# block WORD: the commands of the README's block that has the word.
block() {
  awk -v word="$1" '/^```/ { if (inside && index(text, word)) printf "%s", text
      inside = !inside; text = ""; next } inside { text = text $0 "\n" }' README.md
}

# project FOLDER: the files of the README's Install section, and a program.
project() {
  mkdir -p "$1" && awk -v to="$1" '/^```text/ { n++; inside = 1; next } /^```/ { inside = 0 }
    inside && n <= 2 { print > (to "/" (n == 1 ? "dune-project" : "dune")) }' README.md
  echo 'let () = print_int (Dromos.run (fun () -> 42))' >"$1/main.ml"
}
runs() { [ "$(cd "$1" && dune exec --display=quiet --root . mine 2>"$work/log")" = 42 ]; }

without_opam() {
  local lines
  lines=$(block 'dune install --prefix')
  [ -n "$lines" ] || { fail 'README has no block with dune install'; return; }
  clone "$work/clone"
  project "$work/outside"
  # Exports of the lines reach the project.
  if (
    export HOME=$work/home
    cd "$work/clone" && eval "set -e; $lines" >"$work/log" 2>&1 && set +e && runs "$work/outside"
  ); then pass 'without opam'; else fail 'without opam'; fi
}

# vendored FOLDER LINE: with the line in the project's dune file.
vendored() {
  local there=$work/project.$1
  project "$there"
  clone "$there/$1"
  echo "$2" >>"$there/dune"
  # Without vendored_dirs also parts that name their sources or the folder of others.
  if runs "$there" &&
    { [ -n "$2" ] ||
      (cd "$there" && dune build --display=quiet --root . "./$1/test/sched/model_cancel" \
        "./$1/heap/test/figures" "@$1/test/fifo/runtest" "@$1/translation" >"$work/log" 2>&1); } &&
    { [ -z "$2" ] || (cd "$there" && dune build --root . @default @runtest >"$work/log" 2>&1); }; then
    pass "as $1${2:+ with $2}"
  else
    fail "as $1${2:+ with $2}"
  fi
}

# stand_in NAME VERSION: an empty package.
stand_in() {
  mkdir -p "$work/repository/packages/$1/$1.$2"
  printf 'opam-version: "2.0"\n' >"$work/repository/packages/$1/$1.$2/opam"
}

with_opam() {
  command -v opam >/dev/null || { echo 'opam is not here: its commands are left out'; return; }
  local lines copies
  lines=$(block 'opam install')
  [ -n "$lines" ] || { fail 'README has no block with opam install'; return; }
  export OPAMROOT=$work/opam OPAMROOTISOK=1 OPAMNODEPEXTS=1
  stand_in ocaml "$(ocamlfind ocamlopt -version)"
  printf 'setenv: [[OCAMLPATH = "%%{lib}%%"]]\n' >>"$work"/repository/packages/ocaml/*/opam
  stand_in dune "$(dune --version)"
  stand_in backoff 0.1.1
  stand_in domain-local-await 1.0.1
  stand_in mtime 2.1.0
  stand_in psq 0.2.1
  stand_in hmap 0.8.1
  echo 'opam-version: "2.0"' >"$work/repository/repo"
  clone "$work/pinned"
  # opam builds a clone by `dune subst`, which wants a repository of git.
  (cd "$work/pinned" && git init -q && git add -A &&
    git -c user.name=a -c user.email=a@b commit -qm clone)
  project "$work/by-opam"
  if opam init -n --bare --disable-sandboxing "$work/repository" </dev/null >"$work/log" 2>&1 &&
    opam switch create try --empty </dev/null >>"$work/log" 2>&1 &&
    (cd "$work/pinned" && eval "set -e; $lines") </dev/null >>"$work/log" 2>&1 &&
    (eval "$(opam env)" && runs "$work/by-opam"); then
    pass 'with opam'
  else
    fail 'with opam'
  fi
  copies=$(find "$OPAMROOT/try/.opam-switch/sources" -mindepth 1 -maxdepth 1 | wc -l)
  if [ "$copies" -le 2 ]; then pass 'opam copies the tree twice at most'; else fail "$copies copies"; fi
}

without_opam
vendored vendor/dromos ''
vendored third/party/scheduler ''
vendored vendor/dromos/now '(vendored_dirs vendor)'
with_opam
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
