# completion.sh DROMOS.BASH
. "$1"
offers() {
  local COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY
  _dromos
  echo "$*: ${COMPREPLY[*]}"
}
offers dromos po
offers dromos policy c
offers dromos policy check --p
offers dromos policy compile --o
offers dromos policy boot --o
offers dromos policy check --prover ''
offers dromos policy check --prover = z
offers dromos policy check --for =
offers dromos policy compile a.policy --target o
offers dromos policy fmt --check ./completion.s
offers dromos heap d
