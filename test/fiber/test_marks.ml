(* Another thread may give a running fiber a new cancellation node: it marks an
   owned frame ({!Dromos_fiber.Latent.mark}) at a point where the fiber allocates.
   Whatever the point, the cancellation of the frame's first branch reaches all
   code of the branch. The test marks at each allocation in turn. *)

open Dromos_fiber
open Types
module Stealing = Dromos.Sched.Stealing

let mark () =
  let fiber = Fiber.current () in
  List.iter
    (fun { Latent.frame; _ } -> ignore (Latent.mark fiber frame : bool))
    (Latent.oldest fiber fiber.frames.top)

(* The node of the first branch of a marked frame, if there is one. *)
let rec first_node (Frame fork as frame) =
  if Frame.is_nil frame then None
  else
    match fork.cell with
    | Promoted { owned = Some { of_first; _ }; _ } -> Some of_first.first
    | Latent | Owned _ | Border _ | Promoted _ -> first_node fork.prev

exception Missed

(* Cancels the first branch, and raises [Missed] if the caller does not notice. *)
let cancelled () =
  let fiber = Fiber.current () in
  match first_node fiber.frames.top with
  | None -> ()
  | Some node ->
      Cancel.cancel node;
      if not (Cancel.pending fiber) then raise Missed

type place = Inside | Afterwards

(* [around f] calls [f] in other surroundings. *)
let at_each (around : (unit -> unit) -> unit) place () =
  let rec from n =
    let allocated = ref 0 in
    let first () =
      let f = if place = Inside then cancelled else ignore in
      allocated :=
        Watch.allocating ~at:n mark (fun () ->
            try around f with Cancel.Cancelled -> ());
      if place = Afterwards then cancelled ()
    in
    (match Stealing.pval first (fun value -> value ()) with
    | () | (exception Cancel.Cancelled) -> ()
    | exception Missed ->
        Alcotest.failf "marked at allocation %d: cancelled unnoticed" n);
    if n <= !allocated then from (n + 1) else n - 1
  in
  let points =
    Dromos.run ~workers:1 (fun () -> Stealing.run (fun () -> from 1))
  in
  if points < 5 then Alcotest.failf "only %d allocations" points

let key : int Dromos.Fls.key = Dromos.Fls.new_key ()
let scope f = Dromos.Scope.run (fun _ -> f ())
let storage f = Dromos.Fls.let_ key 1 f

let () =
  let case name around place = Watch.case name (at_each around place) in
  Watch.suite "marks" @@ fun () ->
  Alcotest.run "marks"
    [
      ( "reach",
        [
          case "a scope" scope Inside;
          case "after a scope" scope Afterwards;
          case "storage" storage Inside;
          case "after storage" storage Afterwards;
          case "after a shield" Dromos.protect Afterwards;
          case "nested" (fun f -> storage (fun () -> scope f)) Inside;
          case "after nested" (fun f -> storage (fun () -> scope f)) Afterwards;
        ] );
    ]
