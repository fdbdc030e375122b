#!/bin/sh
# same.sh STOCK VARIANT: the two programs print the same, or the difference is shown.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" >"$work/stock"
"$2" >"$work/variant"
diff -u "$work/stock" "$work/variant"
echo "PASS heap: figures as stock's"
