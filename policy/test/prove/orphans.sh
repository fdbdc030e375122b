#!/bin/sh
# After every end of `dromos policy check` no solver is left, and no process that a
# solver started. The z3 here is a script that starts a hanging child, and hangs.
dromos=$1
policy=$2
failed=0
mkdir -p fake
marks=$PWD/fake/pids
cat >fake/z3 <<END
#!/bin/sh
trap '' INT TERM HUP
sleep 600 &
echo \$! >>$marks
echo \$\$ >>$marks
cat >/dev/null
sleep 600
END
chmod +x fake/z3

alive() {
  for pid in $(cat "$marks"); do
    # a process that only waits to be reaped counts as gone
    case $(ps -o stat= -p "$pid" 2>/dev/null) in "" | Z*) ;; *) return 0 ;; esac
  done
  return 1
}

# signal; none: the limit ends the command
ends() {
  rm -f "$marks"
  : >"$marks"
  PATH=$PWD/fake:$PATH "$dromos" policy check --prover z3 --seconds 0 --limit "$2" \
    "$policy" >out 2>&1 &
  it=$!
  n=0
  while [ "$(wc -l <"$marks")" -lt 2 ] && [ $n -lt 600 ]; do
    sleep 0.1
    n=$((n + 1))
  done
  [ "$(wc -l <"$marks")" -ge 2 ] || { echo "FAIL $1: z3 was not asked"; failed=1; }
  [ "$1" = limit ] || kill -s "$1" $it
  wait $it 2>/dev/null
  n=0
  while alive && [ $n -lt 300 ]; do
    sleep 0.1
    n=$((n + 1))
  done
  if alive; then
    echo "FAIL $1: a process is left"
    failed=1
    kill -KILL $(cat "$marks") 2>/dev/null
  fi
}

ends limit 0.5
grep -q UNKNOWN out || { echo "FAIL limit: not UNKNOWN"; cat out; failed=1; }
ends TERM 600
ends HUP 600 # not INT: a background process of a script ignores SIGINT
ends KILL 600
[ $failed = 0 ] && echo "PASS no solver is left"
exit $failed
