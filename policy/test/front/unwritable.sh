#!/bin/sh
# If a file cannot be written, the command prints one line and fails; no file is lost.
dromos=$1
policy=$2
failed=0
exec 3>&1

fail() {
  echo "FAIL $1" >&3
  failed=1
}

# status, in one line on standard error: WHAT STATUS COMMAND
refused() {
  what=$1
  wanted=$2
  shift 2
  "$@" 2>err
  status=$?
  [ $status = "$wanted" ] || fail "$what: status $status"
  [ "$(wc -l <err)" -le 1 ] || fail "$what: more than a line"
  ! grep -q exception err || fail "$what: $(cat err)"
}

# Two spaces fewer: the file is not formatted.
sed 's/^  //' "$policy" >plain
full() { # no file may grow
  (ulimit -f 0 && trap '' XFSZ && exec "$dromos" policy fmt small.policy) 2>&1 | cat >/dev/null
}
cp plain small.policy
full
cmp -s plain small.policy || fail "fmt on a full disk: the file is lost"
[ "$(echo small.policy*)" = small.policy ] || fail "fmt on a full disk: leaves $(echo small.policy*)"

ln -sf small.policy link.policy
chmod 640 small.policy
"$dromos" policy fmt link.policy || fail "fmt of a link"
[ -L link.policy ] || fail "fmt of a link: it is a file now"
[ "$(stat -c %a small.policy)" = 640 ] || fail "fmt: other rights"
"$dromos" policy fmt --check small.policy || fail "fmt of a link: not formatted"

if [ -c /dev/full ]; then
  refused "compile to a full disk" 2 "$dromos" policy compile -o /dev/full "$policy"
  refused "compile, full" 2 "$dromos" policy compile "$policy" >/dev/full
  refused "syntax, full" 2 "$dromos" policy check --syntax "$policy" >/dev/full
  refused "simulate, full" 2 "$dromos" policy simulate "$policy" >/dev/full
  refused "version, full" 2 "$dromos" --version >/dev/full
  refused "help, full" 2 "$dromos" --help=plain >/dev/full
fi
refused "version, closed" 2 "$dromos" --version >&-
refused "closed" 2 "$dromos" policy compile "$policy" >&-

[ $failed = 0 ] && echo "PASS what cannot be written"
exit $failed
