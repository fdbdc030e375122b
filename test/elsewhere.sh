#!/usr/bin/env bash
# `make run` and `make test-all` on other versions of the libraries that Dromos needs: a
# clean copy of HEAD in a bare Debian of each suite, where the commands install the
# suite's packages.
#
#   test/elsewhere.sh [--keep-going] [SUITE ...]     default: stable unstable
#
# The suite arm64 is stable for arm64. An emulator (package qemu-user-static) runs
# test/arm64.sh in place of the two commands, for an hour or two.
#
# The script stops at the first suite that fails, unless told to keep going. It ends
# with one line per suite, and fails if a suite failed. debootstrap makes a suite's
# Debian once, under _elsewhere (or DROMOS_ELSEWHERE); each run brings the Debian up to
# date from DROMOS_MIRROR. Mounts are visible to this script alone, so no mount outlives
# the script.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

say() { printf '== %s\n' "$*"; }
die() { printf 'elsewhere: %s\n' "$*" >&2; exit 2; }

suites=()
keep_going=
for argument; do
  case $argument in
    --keep-going) keep_going=yes ;;
    -*) die "usage: test/elsewhere.sh [--keep-going] [SUITE ...]" ;;
    *) suites+=("$argument") ;;
  esac
done
[ ${#suites[@]} -gt 0 ] || suites=(stable unstable)

[ "$(id -u)" = 0 ] || die "making a Debian needs root: sudo make elsewhere"
command -v debootstrap >/dev/null ||
  die "debootstrap is missing: apt-get install debootstrap"

# The kernel has to know the emulator for arm64. A registration holds for the whole
# machine, so the script leaves the registration to the administrator.
if [[ " ${suites[*]} " == *" arm64 "* ]] && [ "$(uname -m)" != aarch64 ] &&
  [ ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then
  die "no emulator is registered for arm64 (binfmt_misc): apt-get install qemu-user-static binfmt-support"
fi

# The script runs in a mount namespace of its own, where allowed.
if [ -z "${DROMOS_ELSEWHERE_INSIDE:-}" ]; then
  export DROMOS_ELSEWHERE_INSIDE=mounts
  if unshare --mount --propagation private true 2>/dev/null; then
    exec unshare --mount --propagation private bash test/elsewhere.sh "$@"
  fi
  DROMOS_ELSEWHERE_INSIDE=bare
  say "no right to mount here (a container without CAP_SYS_ADMIN?): going on without /proc, which debootstrap and some tests want"
fi

folder=${DROMOS_ELSEWHERE:-_elsewhere}
mirror=${DROMOS_MIRROR:-http://deb.debian.org/debian}
mkdir -p "$folder" || exit 2
folder=$(cd "$folder" && pwd)

# A command runs in a session of its own, so that the script can end all of it.
running=
ended() {
  [ -z "$running" ] || kill -- "-$running" 2>/dev/null
}
trap ended EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# run COMMAND ..: runs the command, and returns its exit status. A signal to the script
# does not wait for the command. The output goes into the suite's log too.
run() {
  # shellcheck disable=SC2016
  setsid bash -o pipefail -c '"$@" 2>&1 | tee -a "$0"' "$log" "$@" </dev/null &
  running=$!
  wait "$running"
  local status=$?
  running=
  return $status
}

# inside SUITE COMMAND: runs the command in the suite's Debian, in the copy of the tree
# if there is one.
inside() {
  run env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+http_proxy="$http_proxy"} \
    ${DROMOS_TEST_SECONDS:+DROMOS_TEST_SECONDS="$DROMOS_TEST_SECONDS"} \
    ${DROMOS_TEST_PATIENCE:+DROMOS_TEST_PATIENCE="$DROMOS_TEST_PATIENCE"} \
    chroot "$folder/$1" sh -c "cd /root/dromos 2>/dev/null || cd /root; $2"
}

bootstrap() {
  set -o pipefail
  debootstrap --variant=minbase "$@" 2>&1 |
    awk '/^[EW]:/ || NR % 40 == 0 { print; fflush() }'
}
export -f bootstrap

# make_debian FOLDER SUITE: options of debootstrap may come before the suite.
make_debian() {
  local root=$folder/$1
  # debootstrap removes its own folder after success.
  if [ ! -x "$root/usr/bin/apt-get" ] || [ -d "$root/debootstrap" ]; then
    say "$1: making a Debian in $root (a minute or two)"
    rm -rf --one-file-system "$root"
    # shellcheck disable=SC2016,SC2086
    run bash -c 'bootstrap "$@"' bootstrap $2 "$root" "$mirror" || return 1
  fi
  # An outdated mirror is good enough.
  printf 'Acquire::Check-Valid-Until "false";\nAcquire::Retries "3";\n' \
    >"$root/etc/apt/apt.conf.d/90dromos"
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  if [ "$DROMOS_ELSEWHERE_INSIDE" = mounts ]; then
    mount -t proc proc "$root/proc" || return 1
  fi
  say "$1: bringing its packages up to date"
  inside "$1" "apt-get update -qq &&
    apt-get dist-upgrade -qq -y --no-install-recommends -o DPkg::Use-Pty=0 >/dev/null &&
    apt-get install -qq -y --no-install-recommends -o DPkg::Use-Pty=0 make >/dev/null"
}

copy_head() {
  rm -rf "$folder/$1/root/dromos"
  mkdir -p "$folder/$1/root/dromos" &&
    git archive HEAD | tar -x -C "$folder/$1/root/dromos"
}

# The versions in the suite, for the reader of the log.
versions() {
  inside "$1" 'echo "ocaml $(ocamlfind ocamlopt -version)"
    ocamlfind list 2>/dev/null | grep -E "^(lwt|cohttp|cmdliner|mdx|eio|domainslib) "'
}

play() {
  local suite=$1 debian=$1 why= commands=("make run" "make test-all")
  if [ "$suite" = arm64 ]; then
    debian='--arch=arm64 stable'
    commands=("bash test/arm64.sh")
  fi
  log=$folder/$suite.log
  : >"$log"
  make_debian "$suite" "$debian" || { verdict="failed: no Debian could be made"; return 1; }
  copy_head "$suite" || { verdict="failed: HEAD could not be copied"; return 1; }
  for command in "${commands[@]}"; do
    say "$suite: $command"
    inside "$suite" "$command" || why="$why, $command"
    [ "$command" != "make run" ] || versions "$suite"
  done
  verdict="$(tail -n 1 "$log")"
  if [ -z "$why" ]; then
    verdict="passed ($verdict)"
  else
    verdict="failed: ${why#, } ($verdict)"
    return 1
  fi
}

verdicts=()
failed=
for suite in "${suites[@]}"; do
  if [ -n "$failed" ] && [ -z "$keep_going" ]; then
    verdicts+=("$suite: not tried (--keep-going goes on after a failure)")
    continue
  fi
  play "$suite" || failed=yes
  verdicts+=("$suite: $verdict")
done
say "elsewhere, $(git log -1 --format='%h')"
printf '%s\n' "${verdicts[@]}"
[ -z "$failed" ]
