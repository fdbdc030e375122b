#!/bin/sh
# same.sh STOCK VARIANT: runs the two programs, and shows the difference of their outputs,
# if any.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" >"$work/stock"
"$2" >"$work/variant"
diff -u "$work/stock" "$work/variant"
echo "PASS heap: figures as stock's"
