(* Model checking of setting timers while the timer's thread goes to sleep. *)

open Dromos_model
module Host = Under_timer.Host
module Unix = Under_timer.Unix

module type Timer = sig
  val start : unit -> unit
  val after : Mtime.Span.t -> (unit -> unit) -> unit -> unit
  val pending : unit -> int
end

module type Make = functor () -> Timer

(* Timers are set before the thread starts, and set and cancelled while the
   thread goes to sleep; times are in seconds. At the end, the thread sleeps no
   longer than until the first remaining timer; for ever, if there is none. *)
let scenario (module Make : Make) ?(before = []) ?(gone = []) during () =
  let module T = Make () in
  let after seconds =
    T.after Mtime.Span.(seconds * s) (fun () -> failwith "called")
  in
  let set seconds = ignore (after seconds : unit -> unit) in
  Unix.timeout := nan;
  T.start ();
  let thread = !Host.body in
  List.iter set before;
  let left = before @ during in
  ( (thread :: List.map (fun seconds () -> set seconds) during)
    @ List.map (fun seconds () -> after seconds ()) gone,
    fun () ->
      let sleeps = !Unix.timeout in
      if Explore.asleep () <> 1 then failwith "the thread does not sleep";
      if T.pending () <> List.length left then failwith "pending";
      match left with
      | [] -> ()
      | _ ->
          let first = float (List.fold_left Int.min max_int left) in
          (* A nanosecond has passed on the clock. *)
          if not (sleeps > 0. && sleeps <= first) then
            failwith
              (Printf.sprintf "it sleeps for %g s, and a timer is due in %g s"
                 sleeps first) )

let right = (module Timer_traced.Timer_copy.Make : Make)
let careless = (module Timer_traced.Timer_careless.Make : Make)
let late = (module Timer_traced.Timer_late.Make : Make)
let blind = (module Timer_traced.Timer_blind.Make : Make)

let suites =
  let open Explore in
  [
    ( "right",
      [
        passes "the first timer" (scenario right [ 5 ]);
        passes "a sooner one" (scenario right ~before:[ 9 ] [ 5 ]);
        passes "a later one" (scenario right ~before:[ 5 ] [ 9 ]);
        passes "one that is cancelled"
          (scenario right ~before:[ 9 ] ~gone:[ 5 ] []);
        passes "two at once" (scenario right [ 5; 3 ]);
        passes "one stays, one goes" (scenario right ~gone:[ 3 ] [ 5 ]);
      ] );
    ( "seeded bugs",
      [
        catches "no second look" (scenario careless [ 5 ]);
        catches "looks too early" (scenario late [ 5 ]);
        catches "one overwrites the other" (scenario blind [ 5; 3 ]);
      ] );
  ]

let () = Alcotest.run "timer model" suites
