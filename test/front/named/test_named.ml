(* True if the name is in the stack. *)
let named_frame name =
  let is_it slot =
    match Printexc.Slot.name slot with
    | Some found -> String.starts_with ~prefix:name found
    | None -> false
  in
  match Printexc.backtrace_slots (Printexc.get_callstack 100) with
  | Some slots -> Array.exists is_it slots
  | None -> false

let runs_in name around () =
  let body () =
    Alcotest.(check bool) "the name is there" true (named_frame name);
    Dromos.run (fun () -> 3)
  in
  Alcotest.(check int) "ran" 3 (around body)

let perform eff () = Dromos.run ~workers:1 (fun () -> Effect.perform eff)

(* A wait of another scheduler in a fiber. *)
let wait () =
  match perform Eio__core__Suspend.Suspend () with
  | _ -> Alcotest.fail "answered"
  | exception Dromos.Misplaced text ->
      Alcotest.(check bool) text true (Said.contains text "Dromos_eio.in_eio")

(* Libraries test by other effects whether a scheduler answers. *)
let question () =
  match perform Eio__core__Suspend.Other () with
  | _ -> Alcotest.fail "answered"
  | exception (Effect.Unhandled _ as e) ->
      Alcotest.(check bool)
        "the printed text tells" true
        (Said.contains (Printexc.to_string e) "Dromos_eio.in_eio")

(* The exception with which Miou ends if a task waits without its bridge. *)
let unanswered () =
  Alcotest.(check bool)
    "the printed text tells" true
    (Said.contains
       (Printexc.to_string (Effect.Unhandled Dromos.Suspend.Self))
       "Dromos_miou.wrap")

(* A handler of the program's own comes first: inside the fiber, and around a
   fork. *)
let handled () =
  let five f =
    let effc (type b) (eff : b Effect.t) =
      match eff with
      | Eio__core__Suspend.Suspend ->
          Some
            (fun (k : (b, _) Effect.Deep.continuation) ->
              Effect.Deep.continue k 5)
      | _ -> None
    in
    Effect.Deep.try_with f () { effc }
  in
  let wait () = Effect.perform Eio__core__Suspend.Suspend in
  let inside () = five wait in
  let a, b =
    Dromos.run ~workers:2 (fun () ->
        let around () = five (fun () -> fst (Dromos.both wait wait)) in
        (inside (), around ()))
  in
  Alcotest.(check (pair int int)) "answered" (5, 5) (a, b)

let case name f = Alcotest.test_case name `Quick f

let () =
  Alcotest.run "named like others"
    [
      ( "modules",
        [
          case "Domainslib.Task"
            (runs_in "Domainslib__Task.do_task" Domainslib__Task.run);
          case "Eio_posix's loop"
            (runs_in "Eio_posix__Sched." Eio_posix__Sched.run);
          case "Eio_mock's loop"
            (runs_in "Eio_mock__Backend." Eio_mock__Backend.run);
          case "Uring" (runs_in "Uring." Uring.run);
          case "Picos_mux_fifo" (runs_in "Picos_mux_fifo." Picos_mux_fifo.run);
        ] );
      ( "effects",
        [
          case "a wait" wait;
          case "a question" question;
          case "a wait of ours" unanswered;
          case "handled" handled;
        ] );
    ]
