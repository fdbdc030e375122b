(* The suite finds the faults of broken schedulers. *)

module type Fifo = sig
  type handle

  val run : (unit -> 'a) -> 'a
  val fork : (unit -> unit) -> handle
  val cancel : handle -> unit
end

let scheduler name (module F : Fifo) =
  let fork f =
    let handle = F.fork f in
    fun () -> F.cancel handle
  in
  { Conformance.name; run = F.run; fork; cancels = true }

let finds what fifo =
  Watch.case what (fun () ->
      match Conformance.failures (scheduler what fifo) with
      | [] -> Alcotest.fail "nothing was found"
      | found ->
          List.iter (fun (test, why) -> Printf.printf "%s: %s\n" test why) found)

let suites =
  [
    ( "seeded bugs",
      [
        finds "cancelled between Some and the task" (module Broken.Tests_some);
        finds "cancelled after it was resumed" (module Broken.Takes_back);
        finds "resumed twice" (module Broken.Twice);
        finds "every resumer says true" (module Broken.Boasts);
        finds "no identity" (module Broken.Nameless);
        finds "a cancelled task waits" (module Broken.Forgets);
        finds "no backtrace" (module Broken.Traceless);
      ] );
    ( "no bug",
      [
        Watch.case "nothing is found" (fun () ->
            Watch.check
              Alcotest.(list (pair string string))
              "failures" []
              (Conformance.failures
                 (scheduler "right" (module Broken.Dromos_fifo))));
      ] );
  ]

let () =
  Watch.suite "conformance, broken" (fun () -> Alcotest.run "broken" suites)
