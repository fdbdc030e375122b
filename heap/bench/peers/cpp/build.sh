#!/bin/sh
# build.sh OUT: makes OUT/cpp, the programs in C++. Without g++ 12 or later, or without
# oneTBB, it exits with 3 and names the missing tool on stderr.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
absent() { echo "$1 is not there" >&2; exit 3; }
command -v g++ >/dev/null || absent g++
[ "$(g++ -dumpversion | cut -d. -f1)" -ge 12 ] || absent "g++ 12 or later"
echo '#include <oneapi/tbb.h>' | g++ -std=c++20 -fsyntax-only -x c++ - 2>/dev/null ||
  absent oneTBB
mkdir -p "$1"
# oneTBB's allocator keeps freed memory for the next run, as collectors do.
g++ -O3 -march=native -std=c++20 -pthread -I "$here/../../../../bench/peers/cpp" \
  "$here/main.cpp" -o "$1/cpp" \
  -ltbb -ltbbmalloc_proxy
