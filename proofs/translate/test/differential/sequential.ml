(* Performs the same random operations on the original and on its translation.
   The results must be the same, and the translation must never get stuck. *)

open Differential
open Subjects

type step = { op : int; a : int; b : int }

let step_generator =
  QCheck2.Gen.(
    map3
      (fun op a b -> { op; a; b })
      (int_bound 1000) (int_bound 100) (int_bound 100))

let name_of operations step =
  fst (List.nth operations (step.op mod List.length operations))

let perform operations step =
  let _, f = List.nth operations (step.op mod List.length operations) in
  f step.a step.b

let show subject steps =
  let operations = subject.original () in
  let show_step step =
    Printf.sprintf "%s %d %d" (name_of operations step) step.a step.b
  in
  String.concat "; " (List.map show_step steps)

let rec agree original translated steps =
  match steps with
  | [] -> true
  | step :: rest ->
      let expected = perform original step in
      let found =
        try perform translated step
        with Dromos_interpreter.Machine.Stuck reason -> "stuck: " ^ reason
      in
      if expected = found then agree original translated rest
      else
        QCheck2.Test.fail_reportf "%s: %s instead of %s" (name_of original step)
          found expected

let test subject =
  QCheck2.Test.make ~name:subject.name ~count:300 ~print:(show subject)
    QCheck2.Gen.(list_size (int_range 1 60) step_generator)
    (fun steps ->
      let machine = Setup.machine 0 in
      agree (subject.original ()) (subject.translated machine) steps)

let () =
  let case subject = QCheck_alcotest.to_alcotest (test subject) in
  Alcotest.run "sequential"
    [
      ("the kernel", List.map case Subjects.all);
      ("the subset", List.map case Constructs.all);
    ]
