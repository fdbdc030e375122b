#!/bin/sh
# says sat, and has no model to show
while read -r line; do
  case $line in
  "(check-sat)") echo sat ;;
  "(get-value"*) echo '(error "model is not available")' ;;
  esac
done
