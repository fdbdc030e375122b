(* Writes doc/policy/constructs.md from the rows of the test. *)

let head =
  "# What each construct does\n\n\
   Each construct of [the grammar](reference.md#grammar) is honoured by `check`,\n\
   `simulate` and `compile`, or refused by all three with one message: they read\n\
   a policy by the same front end. Written by the tests, which fail when it is \
   no\n\
   longer true (`dune promote`); each cell is a test of \
   `policy/test/constructs`.\n\
   *check*: what is said when the construct is misused. *simulate*, *compile*:\n\
   *seen*, a run with the construct differs from one without it in what threads\n\
   and cores come to, and the compiled hub does what the simulated machine does,\n\
   event by event.\n\n\
   | construct | check | simulate | compile |\n\
   |---|---|---|---|"

let () =
  print_endline head;
  let cell text = String.concat "\\|" (String.split_on_char '|' text) in
  List.iter
    (fun (r : Rows.row) ->
      Printf.printf "| %s | \"%s\" | seen | seen |\n" r.construct (cell r.says))
    Rows.rows;
  print_endline
    "| `conserve`, `exempt` | printed with the verdict | promises less, and \
     runs nothing | likewise |\n\n\
     Refused by all three:\n\n\
     | construct | message |\n\
     |---|---|";
  List.iter
    (fun (r : Rows.refusal) ->
      Printf.printf "| %s | %s |\n" r.refused (cell r.why))
    Rows.refusals;
  print_string
    "\n\
     `system` before a constant or a set of cores, and `shared` before a state \
     or an\n\
     attribute of a thread, say what holds anyway, as in the paper's listing.\n"
