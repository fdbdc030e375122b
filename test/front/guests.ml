(* Another scheduler runs tasks in fibers of Dromos: the tasks share the fiber's
   record, and end in any order. *)

open With_run
module Fifo = Dromos.Fifo
module Promise = Dromos.Promise
module Scope = Dromos.Scope

let case name f = Watch.case ~limit:30. name f

let raises what exn f =
  match f () with
  | _ -> raise (Wrong (what ^ ": nothing raised"))
  | exception e -> if e <> exn then raise e

let cancelled what f = raises what Dromos.Cancelled f

(* Two tasks, each through [f]: the first to enter leaves first. *)
let in_turns f =
  let inside = Promise.create () and left = Promise.create () in
  let fork f = ignore (Fifo.fork f : Fifo.handle) in
  Fifo.run (fun () ->
      fork (fun () ->
          f (fun () -> Promise.await inside);
          Promise.resolve left ());
      fork (fun () ->
          f (fun () ->
              Promise.resolve inside ();
              Promise.await left)))

(* Earlier, the fiber kept the scope of a task that had ended. *)
let scopes () =
  go (fun () ->
      in_turns (fun wait -> Scope.run (fun _ -> wait ()));
      equal "async" 42 (Dromos.await (Dromos.async (fun () -> 42)));
      in_turns (fun wait -> Dromos.run wait);
      equal "async" 43 (Dromos.await (Dromos.async (fun () -> 43))))

let own_scope () =
  go (fun () ->
      Fifo.run (fun () ->
          let over = ref false in
          let v =
            Scope.run (fun s ->
                Scope.fork s (fun () ->
                    Dromos.sleep 0.002;
                    over := true);
                fst (Dromos.both (fun () -> 1) (fun () -> 2)))
          in
          equal "value" 1 v;
          ensure "all over" !over;
          raises "its exception" (Failure "mine") (fun () ->
              Scope.run (fun _ -> failwith "mine"))))

(* Earlier, the fiber stayed shielded for ever. *)
let shields () =
  cancelled "the fiber" (fun () ->
      go (fun () ->
          Scope.run (fun s ->
              in_turns Dromos.protect;
              in_turns (fun wait ->
                  ignore (Dromos.blocking (fun () -> ()));
                  wait ());
              Scope.cancel s;
              Dromos.check ();
              Alcotest.fail "did not notice")))

(* A task cancelled by its own scheduler cancels the scope for which the task
   waits, and waits for the end of the scope. *)
let cancelled_guest () =
  go (fun () ->
      let left = ref false in
      Fifo.run (fun () ->
          let begun = Promise.create () in
          let task =
            Fifo.fork (fun () ->
                Scope.run (fun _ ->
                    Promise.resolve begun ();
                    match Promise.await (Promise.create ()) with
                    | () -> ()
                    | exception e ->
                        left := true;
                        raise e))
          in
          Promise.await begun;
          Fifo.cancel task);
      ensure "its scope" !left)

(* A scope below a cancelled scope ends at once. *)
let too_late () =
  cancelled "late" (fun () ->
      go (fun () ->
          Scope.run (fun s ->
              Dromos.protect (fun () ->
                  Fifo.run (fun () ->
                      Scope.cancel s;
                      Scope.run ignore)))))

let cases =
  [
    case "scopes of tasks that end in any order" scopes;
    case "a task's scope" own_scope;
    case "shields of tasks that end in any order" shields;
    case "a task is cancelled" cancelled_guest;
    case "a scope that comes too late" too_late;
  ]
