(* Model checking of late edges: a vertex sees each accepted edge once, before
   its start; a vertex sees no refused edge. *)

open Dromos_model

let ensure text ok = if not ok then failwith text

module type Late = sig
  type 'a t

  val create : unit -> 'a t
  val add : 'a t -> 'a -> bool
  val start : 'a t -> 'a list
  val started : 'a t -> bool
end

module Scenarios (L : Late) = struct
  let additions () =
    let late = L.create () in
    let accepted = Array.make 3 false and seen = ref [] in
    let add i () = accepted.(i) <- L.add late i in
    let both () =
      add 0 ();
      add 1 ()
    in
    let rec start () =
      match L.start late with
      | [] -> ()
      | some ->
          seen := some @ !seen;
          start ()
    in
    let check () =
      ensure "started" (L.started late);
      let expected = List.filter (fun i -> accepted.(i)) (List.init 3 Fun.id) in
      ensure "accepted tasks, once" (List.sort compare !seen = expected)
    in
    ([ both; add 2; start ], check)
end

module Real = Scenarios (Dag_traced.Dag_late)
module Overwrites = Scenarios (Dag_traced.Dag_late_overwrites)
module Hasty = Scenarios (Dag_traced.Dag_late_hasty)

let () =
  Alcotest.run "late edges"
    [
      ( "Dag_late",
        [
          Explore.passes "additions against the start" Real.additions;
          Explore.catches "an addition overwrites" Overwrites.additions;
          Explore.catches "a start without a last look" Hasty.additions;
        ] );
    ]
