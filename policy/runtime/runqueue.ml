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

type 'a sorted = {
  keys : 'a -> int array;
  mutable arrivals : int;
  mutable members : 'a Keys.t;
  mutable size : int;
}

type 'a t = Fifo of 'a Queue.t | Sorted of 'a sorted

let fifo () = Fifo (Queue.create ())
let sorted keys = Sorted { keys; arrivals = 0; members = Keys.empty; size = 0 }
let length = function Fifo q -> Queue.length q | Sorted s -> s.size
let is_empty t = length t = 0

let add t x =
  match t with
  | Fifo q -> Queue.add x q
  | Sorted s ->
      let key = Array.append (s.keys x) [| s.arrivals |] in
      s.arrivals <- s.arrivals + 1;
      s.members <- Keys.add key x s.members;
      s.size <- s.size + 1

let first = function
  | Fifo q -> Queue.peek_opt q
  | Sorted s -> Option.map snd (Keys.min_binding_opt s.members)

let drop s key =
  s.members <- Keys.remove key s.members;
  s.size <- s.size - 1

let to_list = function
  | Fifo q -> List.of_seq (Queue.to_seq q)
  | Sorted s -> List.map snd (Keys.bindings s.members)

let take_first = function
  | Fifo q -> Queue.take_opt q
  | Sorted s -> (
      match Keys.min_binding_opt s.members with
      | None -> None
      | Some (key, x) ->
          drop s key;
          Some x)

let offer t wanted ~enough =
  match t with
  | Fifo q ->
      let kept = Queue.create () in
      let rec go taken =
        match Queue.take_opt q with
        | None -> taken
        | Some x when wanted x ->
            if enough () then x :: taken else go (x :: taken)
        | Some x ->
            Queue.add x kept;
            go taken
      in
      let taken = go [] in
      Queue.transfer q kept;
      Queue.transfer kept q;
      List.rev taken
  | Sorted s ->
      let rec go taken members =
        match members () with
        | Seq.Nil -> taken
        | Seq.Cons ((key, x), rest) ->
            if wanted x then begin
              drop s key;
              if enough () then x :: taken else go (x :: taken) rest
            end
            else go taken rest
      in
      List.rev (go [] (Keys.to_seq s.members))

let take t p =
  match offer t p ~enough:(fun () -> true) with [] -> None | x :: _ -> Some x
