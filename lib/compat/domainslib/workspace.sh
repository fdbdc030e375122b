#!/bin/sh
# workspace.sh FOLDER: makes the folder a dune workspace in which (libraries domainslib)
# means dromos-domainslib-compat, with this tree's sources of Dromos in it.
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
folder=${1:?usage: workspace.sh FOLDER}
mkdir -p "$folder/dromos" "$folder/domainslib"
echo '(lang dune 3.17)' >"$folder/dune-project"
cp -r "$root/lib" "$root/dune-project" "$folder/dromos/"
cp "$root"/*.opam "$folder/dromos/"
cat >"$folder/domainslib/dune-project" <<'END'
(lang dune 3.17)
(package (name domainslib) (allow_empty))
END
cat >"$folder/domainslib/dune" <<'END'
(deprecated_library_name
 (old_public_name domainslib)
 (new_public_name dromos-domainslib-compat))
END
