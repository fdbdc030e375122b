# Counts the test cases of a run from what the tests print (test/run.sh tells which
# lines those are); -v status=N: how the run ended. Last line: "N passed, N failed".
/^Test Successful in .* [0-9]+ tests? run\./ {
  for (i = 1; i < NF; i++) if ($(i + 1) ~ /^tests?$/) passed += $i }
/^[0-9]+ failures?! in .* [0-9]+ tests? run\./ {
  failed += $1
  for (i = 1; i < NF; i++) if ($(i + 1) ~ /^tests?$/) passed += $i - $1 }
/^success \(ran [0-9]+ tests?\)/ { gsub(/[^0-9]/, "", $3); passed += $3 }
/^failure \([0-9]+ tests? failed, [0-9]+ tests? errored, ran [0-9]+ tests?\)/ {
  line = $0; gsub(/[^0-9]+/, " ", line); split(line, n, " ")
  failed += n[1] + n[2]; passed += n[3] - n[1] - n[2] }
/^PASS / { passed++ }
/^FAIL / { failed++ }
END {
  if (status != 0 && failed == 0) failed = 1
  printf "%d passed, %d failed\n", passed, failed
  exit (failed > 0 || passed == 0) }
