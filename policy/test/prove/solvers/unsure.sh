#!/bin/sh
# A solver that always says unknown.
while read -r line; do
  case $line in "(check-sat)") echo unknown ;; esac
done
