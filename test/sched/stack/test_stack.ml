(* Random programs on one vproc agree with the model, step by step. *)

let first_difference expected found =
  let rec at n = function
    | e :: es, f :: fs when String.equal e f -> at (n + 1) (es, fs)
    | [], [] -> None
    | es, fs ->
        let head = function [] -> "(the end)" | x :: _ -> x in
        Some
          (Printf.sprintf "step %d: expected %S, found %S" n (head es) (head fs))
  in
  at 1 (expected, found)

(* Counts steps, to see that the programs are not trivial. *)
let steps = ref 0

let agrees bottom program =
  let expected = Model.trace program in
  steps := !steps + List.length expected;
  let found = Real.trace ~bottom program in
  match first_difference expected found with
  | None -> true
  | Some text ->
      let upto = Printf.sprintf "%s\nexpected:\n%s\n" in
      QCheck2.Test.fail_report (upto text (String.concat "\n" expected))

let count = 10_000

let by_chance name bottom =
  Watch.case ~limit:120. name (fun () ->
      steps := 0;
      QCheck2.Test.check_exn ~rand:Watch.chance
        (QCheck2.Test.make ~name ~count ~print:Program.show Program.any
           (agrees bottom));
      Printf.printf "%d steps in %d programs, " !steps count;
      if !steps < 50 * count then
        Alcotest.fail "the programs are too short to show anything")

let () =
  Watch.suite "stack" @@ fun () ->
  Alcotest.run "stack"
    [
      ( "model",
        [
          by_chance "a queue of its own" Real.with_own_queue;
          by_chance "the vproc's queue" Real.with_vproc_queue;
        ] );
    ]
