#!/bin/sh
# a solver that never knows
while read -r line; do
  case $line in "(check-sat)") echo unknown ;; esac
done
