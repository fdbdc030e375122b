(* Keys are compared lexicographically. All keys of a queue have the same
   length. *)
module Key = struct
  type t = int array

  let rec from i a b =
    if i = Array.length a then 0
    else
      match Int.compare a.(i) b.(i) with
      | 0 -> from (i + 1) a b
      | order -> order

  let compare a b = from 0 a b
end

module Ranks = Map.Make (Key)

type 'a members =
  | Ranked of 'a Ring.t Ranks.t
      (** each item under the keys of its arrival; no ring is empty *)
  | In_line of 'a list  (** first to last; some items have new keys *)

type 'a sorted = {
  none : 'a;
  keys_of : 'a -> int array;
  mutable members : 'a members;
  mutable changed : bool;  (** some item may have new keys *)
}

type 'a t = Fifo of 'a Ring.t | Sorted of 'a sorted

let fifo ~none = Fifo (Ring.create ~none)

let sorted ~none keys_of =
  Sorted { none; keys_of; members = Ranked Ranks.empty; changed = false }

let keys t x = match t with Fifo _ -> [||] | Sorted s -> s.keys_of x
let keys_changed = function Fifo _ -> () | Sorted s -> s.changed <- true

(* {1 Sorted} *)

let in_line = function
  | Ranked ranks ->
      List.concat_map
        (fun (_, ring) -> Ring.to_list ring)
        (Ranks.bindings ranks)
  | In_line members -> members

let have_their_keys s key ring =
  let has x = Key.compare (s.keys_of x) key = 0 in
  List.for_all has (Ring.to_list ring)

let add_ranked s ranks x =
  let key = s.keys_of x in
  match Ranks.find_opt key ranks with
  | Some ring -> Ring.add ring x
  | None ->
      let ring = Ring.create ~none:s.none in
      Ring.add ring x;
      s.members <- Ranked (Ranks.add key ring ranks)

(* The item enters before the first item with greater keys, by the present
   keys. *)
let rec insert s before key = function
  | x :: rest when compare (s.keys_of x) key <= 0 ->
      insert s (x :: before) key rest
  | rest -> (before, rest)

let add_sorted s x =
  (match s.members with
  | Ranked ranks when s.changed ->
      s.changed <- false;
      if not (Ranks.for_all (have_their_keys s) ranks) then
        s.members <- In_line (in_line s.members)
  | In_line [] -> s.members <- Ranked Ranks.empty
  | Ranked _ | In_line _ -> ());
  match s.members with
  | Ranked ranks -> add_ranked s ranks x
  | In_line members ->
      let before, rest = insert s [] (s.keys_of x) members in
      s.members <- In_line (List.rev_append before (x :: rest))

let drop_empty s ranks key ring =
  if Ring.length ring = 0 then s.members <- Ranked (Ranks.remove key ranks)

let take_first_sorted s =
  match s.members with
  | In_line [] -> s.none
  | In_line (x :: rest) ->
      s.members <- In_line rest;
      x
  | Ranked ranks -> (
      match Ranks.min_binding_opt ranks with
      | None -> s.none
      | Some (key, ring) ->
          let x = Ring.take_first ring in
          drop_empty s ranks key ring;
          x)

(* The key and the ring, if the item is the last of the ring. *)
let newest_of s x =
  match s.members with
  | In_line _ -> None
  | Ranked ranks -> (
      let key = s.keys_of x in
      match Ranks.find_opt key ranks with
      | Some ring when Ring.last ring == x -> Some (ranks, key, ring)
      | Some _ | None -> None)

(* Offers items until [enough] is true or all items were offered. *)
let rec offer_line wanted enough kept taken = function
  | [] -> (kept, taken, [])
  | x :: rest ->
      let wants = wanted x in
      let kept = if wants then kept else x :: kept in
      let taken = if wants then x :: taken else taken in
      if enough () then (kept, taken, rest)
      else offer_line wanted enough kept taken rest

let offer_sorted s wanted enough =
  match s.members with
  | In_line members ->
      let kept, taken, rest = offer_line wanted enough [] [] members in
      s.members <- In_line (List.rev_append kept rest);
      List.rev taken
  | Ranked ranks ->
      let stop = ref false in
      let enough () =
        stop := enough ();
        !stop
      in
      let rec go ranks taken left =
        match left () with
        | Seq.Cons ((key, ring), left) when not !stop ->
            let taken =
              List.rev_append (Ring.offer ring wanted ~enough) taken
            in
            let emptied = Ring.length ring = 0 in
            go (if emptied then Ranks.remove key ranks else ranks) taken left
        | Seq.Cons _ | Seq.Nil -> (taken, ranks)
      in
      let taken, ranks = go ranks [] (Ranks.to_seq ranks) in
      s.members <- Ranked ranks;
      List.rev taken

(* {1 Both kinds} *)

let add t x =
  match t with Fifo ring -> Ring.add ring x | Sorted s -> add_sorted s x

let first = function
  | Fifo ring -> Ring.first ring
  | Sorted { members = Ranked ranks; none; _ } -> (
      match Ranks.min_binding_opt ranks with
      | None -> none
      | Some (_, ring) -> Ring.first ring)
  | Sorted { members = In_line []; none; _ } -> none
  | Sorted { members = In_line (x :: _); _ } -> x

let to_list = function
  | Fifo ring -> Ring.to_list ring
  | Sorted s -> in_line s.members

let take_first = function
  | Fifo ring -> Ring.take_first ring
  | Sorted s -> take_first_sorted s

let is_newest t x =
  match t with
  | Fifo ring -> Ring.length ring > 0 && Ring.last ring == x
  | Sorted s -> Option.is_some (newest_of s x)

let take_newest t x =
  match t with
  | Fifo ring ->
      let newest = Ring.length ring > 0 && Ring.last ring == x in
      if newest then Ring.drop_last ring;
      newest
  | Sorted s -> (
      match newest_of s x with
      | None -> false
      | Some (ranks, key, ring) ->
          Ring.drop_last ring;
          drop_empty s ranks key ring;
          true)

let offer t wanted ~enough =
  match t with
  | Fifo ring -> Ring.offer ring wanted ~enough
  | Sorted s -> offer_sorted s wanted enough

let take t p =
  let found = ref false in
  let wanted x =
    found := p x;
    !found
  in
  match offer t wanted ~enough:(fun () -> !found) with
  | [] -> None
  | x :: _ -> Some x
