#!/bin/sh
# peers.sh PREFIX CHECKOUT [CHECKOUT ..]: builds other schedulers, of which the system has
# no packages. Each CHECKOUT is a folder with the sources of Picos, Moonpool, Miou,
# Domainslib or Eio, at the version that README.md names. dune builds the packages in the
# order of the arguments (Picos before Moonpool), and installs them under PREFIX.
# Then:  OCAMLPATH=PREFIX/lib dune build @test/bridge_picos/runtest
# For instance (the tags of the others are v0.7.0 of robur-coop/miou, 0.5.2 of
# ocaml-multicore/domainslib):
#   git clone https://github.com/c-cube/thread-local-storage tls
#   git clone -b 0.6.0 https://github.com/ocaml-multicore/picos
#   git clone -b v0.11 https://github.com/c-cube/moonpool
#   git clone https://github.com/mjambon/either
#   sh lib/bridge/peers.sh /tmp/peers tls picos either moonpool
# Their dependencies must be installed, or come before them in the arguments:
# thread-local-storage (Picos), either (Moonpool), saturn and domain-local-await
# (Domainslib). Async is available by opam only (opam install async), with some forty
# packages.
set -eu

usage() {
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p;}' "$0"
}

case ${1-} in
  -h | --help) usage; exit 0 ;;
esac
if [ $# -lt 2 ]; then
  usage >&2
  exit 2
fi

mkdir -p "$1"
prefix=$(cd "$1" && pwd)
shift
export OCAMLPATH="$prefix/lib${OCAMLPATH:+:$OCAMLPATH}"

# The packages of a checkout that the bridges and their tests need.
packages() {
  for name in thread-local-storage either picos_aux picos picos_mux picos_std picos_io \
    moonpool miou domainslib eio eio_posix; do
    if [ -e "$1/$name.opam" ]; then printf '%s,' "$name"; fi
  done
}

for checkout in "$@"; do
  if [ ! -d "$checkout" ]; then
    echo "peers.sh: $checkout is no folder" >&2
    exit 1
  fi
  found=$(packages "$checkout")
  found=${found%,}
  if [ -z "$found" ]; then
    echo "peers.sh: $checkout holds none of the packages that there is a bridge for" >&2
    exit 1
  fi
  echo "peers.sh: $found, from $checkout"
  (
    cd "$checkout"
    dune build -p "$found" @install &&
      dune install -p "$found" --prefix "$prefix" >/dev/null 2>&1
  ) || {
    echo "peers.sh: $checkout could not be built; its own words are above;" \
      "peers.sh --help says what each needs" >&2
    exit 1
  }
done
echo "peers.sh: now  export OCAMLPATH=$prefix/lib"
