(* Model checking of a run: its behaviour when idle, and resumption and
   cancellation of its fibers meanwhile. *)

open Dromos_model
module Atomic = Traced.Atomic
module Suspend = Fifo_traced.Dromos_suspend

let ensure text ok = if not ok then failwith text

module type Fifo = sig
  type handle

  exception Cancelled

  val run : (unit -> 'a) -> 'a
  val fork : (unit -> unit) -> handle
  val cancel : handle -> unit
end

module Scenarios (F : Fifo) = struct
  (* A cell for a value and a waiter. *)
  type 'a cell = Empty | Waited of 'a Suspend.resumer | Full of 'a

  let block cell resume =
    let waited = Waited resume in
    match Atomic.get cell with
    | Full v -> Some v
    | Empty as old when Atomic.compare_and_set cell old waited -> None
    | Empty | Waited _ -> (
        match Atomic.get cell with
        | Full v -> Some v
        | Empty | Waited _ -> failwith "no other fiber waits here")

  (* True if the value went to a waiter. *)
  let put cell v =
    match Atomic.exchange cell (Full v) with
    | Waited resume -> resume (Ok v)
    | Empty | Full _ -> false

  (* A run's sleep must follow the contract: a resumer is not called after
     [Some]. *)
  let strictly broken f =
    let watched (type a) (block : a Suspend.resumer -> a option) =
      let some = Atomic.make false in
      Suspend.suspend (fun resume ->
          let resume result =
            if Atomic.get some then broken := true;
            resume result
          in
          let v = block resume in
          Atomic.set some (Option.is_some v);
          v)
    in
    let effc (type a) :
        a Effect.t -> ((a, _) Effect.Deep.continuation -> _) option = function
      | Suspend.Suspend block ->
          Some (fun k -> Effect.Deep.continue k (watched block))
      | _ -> None
    in
    Effect.Deep.match_with f () { retc = Fun.id; exnc = raise; effc }

  (* A wait and a resumer: the run sleeps and is woken, or does not sleep. *)
  let resumed () =
    let cell = Atomic.make Empty and got = ref 0 and broken = ref false in
    ( [
        (fun () ->
          strictly broken (fun () ->
              got := F.run (fun () -> Suspend.suspend (block cell))));
        (fun () -> ignore (put cell 1));
      ],
      fun () ->
        ensure "the run is over, with the value" (!got = 1);
        ensure "no fiber is resumed after Some" (not !broken) )

  (* Two fibers, and a resuming thread for each. *)
  let two_fibers () =
    let a = Atomic.make Empty and b = Atomic.make Empty in
    let got = ref 0 and over = ref false in
    ( [
        (fun () ->
          F.run (fun () ->
              let _ =
                F.fork (fun () -> got := !got + Suspend.suspend (block a))
              in
              got := !got + Suspend.suspend (block b));
          over := true);
        (fun () -> ignore (put a 1));
        (fun () -> ignore (put b 2));
      ],
      fun () ->
        ensure "the run is over" !over;
        ensure "both values came" (!got = 3) )

  (* Two resumers of the same wait. *)
  let one_winner () =
    let resumer = Atomic.make None in
    let won = ref 0 and got = ref 0 in
    let call v () =
      match Atomic.get resumer with
      | None -> ()
      | Some resume -> if resume (Ok v) then won := !won + v
    in
    ( [
        (fun () ->
          got :=
            F.run (fun () ->
                Suspend.suspend (fun resume ->
                    Atomic.set resumer (Some resume);
                    None)));
        call 1;
        call 2;
      ],
      fun () ->
        ensure "one call won" (!won <= 2);
        ensure "the winner's value" (!got = !won) )

  type wanted = Nothing | Handle of F.handle | Wanted

  (* The second of the two threads cancels: the handle is there only when the
     fiber waits already. *)
  let publish slot h =
    if not (Atomic.compare_and_set slot Nothing (Handle h)) then F.cancel h

  let cancel slot () =
    match Atomic.exchange slot Wanted with
    | Handle h -> F.cancel h
    | Nothing | Wanted -> ()

  let count values cancels cell =
    match Suspend.suspend (block cell) with
    | (_ : int) -> incr values
    | exception F.Cancelled -> incr cancels

  (* A thread resumes a waiting fiber while another cancels the fiber. *)
  let resumed_or_cancelled () =
    let cell = Atomic.make Empty and handle = Atomic.make Nothing in
    let handed = ref false and over = ref false in
    let values = ref 0 and cancels = ref 0 in
    let run () =
      F.run (fun () ->
          publish handle (F.fork (fun () -> count values cancels cell)));
      over := true
    in
    ( [ run; cancel handle; (fun () -> handed := put cell 1) ],
      fun () ->
        ensure "the run is over" !over;
        ensure "the wait ends once" (!values + !cancels = 1);
        if !handed then ensure "the value handed over came" (!values = 1) )

  (* A fiber is cancelled during its first wait, and that wait is resumed: at
     the latest, the fiber's second wait raises. *)
  let for_good () =
    let cell = Atomic.make Empty and handle = Atomic.make Nothing in
    let over = ref false in
    let values = ref 0 and cancels = ref 0 in
    let run () =
      F.run (fun () ->
          let h =
            F.fork (fun () ->
                count values cancels cell;
                count values cancels (Atomic.make Empty))
          in
          publish handle h;
          let handed = put cell 1 in
          ensure "handed over, or cancelled before" (handed || !cancels = 0));
      over := true
    in
    ( [ run; cancel handle ],
      fun () ->
        ensure "the run is over" !over;
        ensure "each wait ends once" (!values + !cancels = 2);
        ensure "the second is cancelled" (!cancels >= 1) )
end

module Right = Scenarios (Fifo_traced.Dromos_fifo)
module Careless = Scenarios (Fifo_traced.Fifo_careless)
module Late = Scenarios (Fifo_traced.Fifo_late)
module Both = Scenarios (Fifo_traced.Fifo_both)
module Twice = Scenarios (Fifo_traced.Fifo_twice)
module Deaf = Scenarios (Fifo_traced.Fifo_deaf)
module Forgets = Scenarios (Fifo_traced.Fifo_forgets)

let suites =
  let open Explore in
  [
    ( "right",
      [
        passes "a sleeping run is woken" Right.resumed;
        passes "one winner" Right.one_winner;
        passes "cancelled for good" Right.for_good;
        passes "resumed or cancelled" Right.resumed_or_cancelled;
        passes "two fibers, two resumers" Right.two_fibers;
      ] );
    ( "seeded bugs",
      [
        catches "sleeps without a second look" Careless.resumed;
        catches "looks at the run before it pushes" Late.resumed;
        catches "goes on although it will be woken" Both.resumed;
        catches "two winners" Twice.one_winner;
        catches "cancelled while it begins to wait" Deaf.for_good;
        catches "forgets that it was cancelled" Forgets.for_good;
      ] );
  ]

let () = Alcotest.run "fifo model" suites
