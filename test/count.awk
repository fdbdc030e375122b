# Counts the test cases of a run from the output of the tests (test/run.sh lists the
# lines that count); -v status=N is the exit status of the run. Names the failed tests
# again at the end. Last line: "N passed, N failed".
function broke_off() {
  if (suite != "") { failed++; names[++n_names] = suite ": broke off" } }
/^Testing `/ { broke_off(); suite = $2; gsub(/[`'.]/, "", suite) }
/^HANG: / { names[++n_names] = $0 }
/^>? +\[FAIL\]/ { line = $0; sub(/^>? *\[FAIL\] */, "", line)
  gsub(/  +/, " ", line); names[++n_names] = suite ": " line }
/^Test Successful in .* [0-9]+ tests? run\./ { suite = ""
  for (i = 1; i < NF; i++) if ($(i + 1) ~ /^tests?$/) passed += $i }
/^[0-9]+ failures?! in .* [0-9]+ tests? run\./ { suite = ""
  failed += $1
  for (i = 1; i < NF; i++) if ($(i + 1) ~ /^tests?$/) passed += $i - $1 }
/^success \(ran [0-9]+ tests?\)/ { gsub(/[^0-9]/, "", $3); passed += $3 }
/^failure \([0-9]+ tests? failed, [0-9]+ tests? errored, ran [0-9]+ tests?\)/ {
  line = $0; gsub(/[^0-9]+/, " ", line); split(line, n, " ")
  names[++n_names] = "a QCheck suite: " $0
  failed += n[1] + n[2]; passed += n[3] - n[1] - n[2] }
/^PASS / { passed++ }
# Within an Alcotest suite, the line is the text of an assertion.
/^FAIL / && suite == "" { failed++; names[++n_names] = substr($0, 6) }
/^File "/ { place = $0; places[++n_places] = $0 }
END {
  broke_off()
  if (status != 0 && failed == 0) {
    failed = 1
    names[++n_names] = "a build or a program that printed no count; last place: " place
  }
  for (i = 1; i <= n_names; i++) print "failed: " names[i]
  # A difference in the output of a rule is in no count.
  if (status != 0)
    for (i = 1; i <= n_places; i++) print "  dune says: " places[i]
  printf "%d passed, %d failed\n", passed, failed
  exit (failed > 0 || passed == 0) }
