#!/bin/sh
# same.sh STOCK VARIANT: checks that both programs print the same; shows the difference.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" >"$work/stock"
"$2" >"$work/variant"
diff -u "$work/stock" "$work/variant"
echo "PASS heap: figures as stock's"
