(* Lexicographic; the last word is the order of arrival, so no two are equal. *)
module Keys = Map.Make (struct
  type t = int array

  let rec from i a b =
    if i = Array.length a then 0
    else
      match Int.compare a.(i) b.(i) with
      | 0 -> from (i + 1) a b
      | order -> order

  let compare a b = from 0 a b
end)

type 'a members =
  | By_keys of 'a Keys.t  (** each under the keys that it came with *)
  | In_line of 'a list  (** some have other keys now: first to last *)

type 'a sorted = {
  keys : 'a -> int array;
  mutable arrivals : int;
  mutable members : 'a members;
  mutable size : int;
  mutable changed : bool;  (** perhaps one has other keys now *)
}

type 'a t = Fifo of 'a Queue.t | Sorted of 'a sorted

let fifo () = Fifo (Queue.create ())

let sorted keys =
  Sorted
    {
      keys;
      arrivals = 0;
      members = By_keys Keys.empty;
      size = 0;
      changed = false;
    }

let length = function Fifo q -> Queue.length q | Sorted s -> s.size
let is_empty t = length t = 0
let keys_changed = function Fifo _ -> () | Sorted s -> s.changed <- true

let in_line = function
  | By_keys members -> List.map snd (Keys.bindings members)
  | In_line members -> members

(* {1 Sorted} *)

let arrival s x =
  let key = Array.append (s.keys x) [| s.arrivals |] in
  s.arrivals <- s.arrivals + 1;
  key

let has_its_keys s key x =
  let now = s.keys x in
  Array.for_all2 Int.equal now (Array.sub key 0 (Array.length now))

(* Before the first that stands after it, by the keys of now. *)
let rec insert s before key = function
  | x :: rest when compare (s.keys x) key <= 0 ->
      insert s (x :: before) key rest
  | rest -> (before, rest)

let add_sorted s x =
  (match s.members with
  | By_keys members when s.changed ->
      s.changed <- false;
      if not (Keys.for_all (has_its_keys s) members) then
        s.members <- In_line (in_line s.members)
  | In_line [] -> s.members <- By_keys Keys.empty
  | By_keys _ | In_line _ -> ());
  (match s.members with
  | By_keys members -> s.members <- By_keys (Keys.add (arrival s x) x members)
  | In_line members ->
      let before, rest = insert s [] (s.keys x) members in
      s.members <- In_line (List.rev_append before (x :: rest)));
  s.size <- s.size + 1

(* Those that are not among [taken], which are in the same order. *)
let rec without taken members =
  match (taken, members) with
  | x :: taken, y :: members when x == y -> without taken members
  | _ :: _, y :: members -> y :: without taken members
  | [], members -> members
  | _ :: _, [] -> []

let remove s taken =
  (match s.members with
  | By_keys members ->
      s.members <-
        By_keys (List.fold_left (fun m (k, _) -> Keys.remove k m) members taken)
  | In_line members ->
      s.members <- In_line (without (List.map snd taken) members));
  s.size <- s.size - List.length taken

(* In line there are no keys to remember. *)
let to_seq s =
  match s.members with
  | By_keys members -> Keys.to_seq members
  | In_line members -> Seq.map (fun x -> ([||], x)) (List.to_seq members)

(* {1 Both} *)

let add t x =
  match t with Fifo q -> Queue.add x q | Sorted s -> add_sorted s x

let first = function
  | Fifo q -> Queue.peek_opt q
  | Sorted { members = By_keys members; _ } ->
      Option.map snd (Keys.min_binding_opt members)
  | Sorted { members = In_line members; _ } -> List.nth_opt members 0

let to_list = function
  | Fifo q -> List.of_seq (Queue.to_seq q)
  | Sorted s -> in_line s.members

let take_first = function
  | Fifo q -> Queue.take_opt q
  | Sorted s -> (
      match Seq.uncons (to_seq s) with
      | None -> None
      | Some (first, _) ->
          remove s [ first ];
          Some (snd first))

(* Until [enough] says so, or all were offered. *)
let rec wanted_of wanted enough taken members =
  match members () with
  | Seq.Nil -> taken
  | Seq.Cons (((_, x) as member), rest) ->
      let taken = if wanted x then member :: taken else taken in
      if enough () then taken else wanted_of wanted enough taken rest

let offer_fifo q wanted enough =
  let kept = Queue.create () in
  let rec go taken =
    match Queue.take_opt q with
    | None -> taken
    | Some x ->
        let wants = wanted x in
        if not wants then Queue.add x kept;
        let taken = if wants then x :: taken else taken in
        if enough () then taken else go taken
  in
  let taken = go [] in
  Queue.transfer q kept;
  Queue.transfer kept q;
  List.rev taken

let offer t wanted ~enough =
  match t with
  | Fifo q -> offer_fifo q wanted enough
  | Sorted s ->
      let taken = List.rev (wanted_of wanted enough [] (to_seq s)) in
      remove s taken;
      List.map snd taken

let take t p =
  let found = ref false in
  let wanted x =
    found := p x;
    !found
  in
  match offer t wanted ~enough:(fun () -> !found) with
  | [] -> None
  | x :: _ -> Some x
