#!/usr/bin/env bash
# Checks links in Markdown and in documentation. A relative link, or a link to a file of
# this repository under its homepage, must name an existing file, and an existing section
# if the link names a section. README.md and CHANGES.md are installed with each package,
# away from the other files, so they may have no relative links. doc/README.md must lead to
# every page, doc/environment.md must have every variable that a program reads, and the map
# of the tree, doc/map.dot, must have the folders.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

homepage=$(sed -n 's/^(homepage "\(.*\)")$/\1/p' dune-project)
[ -n "$homepage" ] || { echo 'FAIL links: dune-project has no homepage'; exit 1; }

files() { # the files with one of the suffixes
  local suffix
  for suffix in "$@"; do
    git ls-files "*.$suffix" 2>/dev/null || find . -name "*.$suffix" -not -path './_*'
  done
}

# links FILE: the link targets of a Markdown file, except in code.
links() {
  awk '/^ *```/ { code = !code; next } !code { gsub(/`[^`]*`/, "code"); print }' "$1" |
    grep -oE '\]\([^) ]+\)|^\[[^]]+\]: *[^ ]+' | sed -E 's/^\]\((.*)\)$/\1/; s/^\[[^]]*\]: *//'
}

# sections FILE: the anchors of the file's headings, as GitHub makes them.
sections() {
  awk '/^ *```/ { code = !code; next } !code' "$1" |
    LC_ALL=C sed -nE 's/^#{1,6} +//p' |
    LC_ALL=C sed -E 's/[]!"#$%&'"'"'()*+,./:;<=>?@[\\^`{|}~]//g; s/ /-/g' | tr 'A-Z' 'a-z'
}

# there PLACE PATH: complains unless PATH, from the root, is a file, and has the section
# after #.
there() {
  local path=${2%%#*} section=
  path=${path%%\?*}
  [ "$path" = "$2" ] || [[ $2 != *'#'* ]] || section=${2#*#}
  if [ ! -e "$path" ]; then
    echo "$1: there is no $path"
  elif [ -n "$section" ] && [[ $path == *.md ]] && ! sections "$path" | grep -qxF -- "$section"; then
    echo "$1: $path has no section $section"
  fi
}

map=$(mktemp)
trap 'rm -f "$map"' EXIT
faults=$(
  # head.md becomes the head of doc/heap-testsuite.md, so its links are relative to doc.
  files md | grep -v '^heap/test/distribution/head.md$' | while read -r file; do
    links "$file" | sort -u | while read -r target; do
      case $target in
      "$homepage"/blob/main/* | "$homepage"/tree/main/*) ;; # below
      *://* | mailto:*) ;;
      \#*) there "$file" "$file$target" ;;
      *)
        case $file in
        README.md | CHANGES.md) echo "$file: the link $target is relative" ;;
        *) there "$file" "$(dirname "$file")/$target" ;;
        esac
        ;;
      esac
    done
  done

  # Labels of links by reference.
  for file in README.md CHANGES.md; do
    comm -23 <(grep -oE '\]\[[^]]+\]' "$file" | sed 's/^\]\[//; s/\]$//' | sort -u) \
      <(sed -nE 's/^\[([^]]+)\]: .*/\1/p' "$file" | sort -u) |
      sed "s|^|$file: no line says where this link leads: |"
  done

  files md mli mld | tr '\n' '\0' |
    xargs -0 grep -oE "${homepage//./\\.}/(blob|tree)/main/[A-Za-z0-9_./#?=-]*" |
    sort -u | while IFS=: read -r file target; do
    target=${target#"$homepage"/*/main/}
    there "$file" "${target%.}"
  done
  git ls-files 'doc/*.md' 'doc/policy/*.md' 2>/dev/null | sed 's|^doc/||' |
    grep -v -e '^README.md$' -e '^migrating/.*/' -e '/tutorial/' | while read -r page; do
    grep -qF "]($page)" doc/README.md || echo "doc/README.md: $page is not in the contents"
  done

  git ls-files '*.ml' '*.c' 2>/dev/null | xargs -r grep -ohE '"DROMOS_[A-Z_]+"' | tr -d '"' |
    sort -u | while read -r variable; do
    grep -qF "\`$variable\`" doc/environment.md ||
      echo "doc/environment.md: $variable is not in a table"
  done

  # The map has each folder of sources, and no other.
  grep -oE 'label="[a-z][a-z_/, ]*\\n' doc/map.dot | sed 's/label="//; s/\\n//' | tr -d ' ' |
    tr ',' '\n' | sort -u >"$map"
  while read -r folder; do
    [ -d "$folder" ] || echo "doc/map.dot: there is no folder $folder"
  done <"$map"
  for folder in lib/* policy heap/runtime heap/model proofs test bench heap/bench examples bin; do
    [ ! -d "$folder" ] || grep -qx "$folder" "$map" || echo "doc/map.dot: $folder is not on the map"
  done
)
if [ -z "$faults" ]; then
  echo 'PASS links lead to files that are there'
else
  echo 'FAIL links lead to files that are there'
  printf '%s\n' "$faults"
  exit 1
fi
