#!/bin/sh
# fits.sh: prints a line with the reason if the variant cannot be built here.
ocaml=$(ocamlfind ocamlopt -version)
here="OCaml $ocaml on $(uname -m) $(uname -s)"
case $here in
  "OCaml 5.3."*" on x86_64 Linux") ;;
  *) echo "heap: the runtime variant is for OCaml 5.3 on amd64 Linux, and this is $here" >&2
     exit 1 ;;
esac
