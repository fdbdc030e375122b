#!/bin/sh
# build.sh OUT: makes OUT/java, a launcher for the programs in Java, and their classes.
# Without a JDK 17 or later it exits with 3 and names the missing tool on stderr.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
absent() { echo "$1 is not there" >&2; exit 3; }
command -v javac >/dev/null || absent javac
command -v java >/dev/null || absent java
[ "$(javac -version 2>&1 | sed 's/[^0-9]*\([0-9]*\).*/\1/')" -ge 17 ] ||
  absent "javac 17 or later"
mkdir -p "$1/java-classes"
javac -d "$1/java-classes" "$here"/*.java "$here/../../../../bench/peers/java/Shared.java"
# G1 is the collector that the paper found best. The pool has a thread less than there are
# workers, since the caller works too.
cat >"$1/java" <<'END'
#!/bin/sh
threads=$((${3:-1} > 1 ? $3 : 1))
exec java -XX:+UseG1GC "-XX:ActiveProcessorCount=$threads" \
  "-Djava.util.concurrent.ForkJoinPool.common.parallelism=$((threads - 1))" \
  -cp "$(dirname "$0")/java-classes" Peer "$@"
END
chmod +x "$1/java"
