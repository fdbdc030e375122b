open Env

type t = int list Atomic.t (* newest first *)

let create () = Atomic.make []

let rec note t v =
  let before = Atomic.get t in
  if not (Atomic.compare_and_set t before (v :: before)) then note t v

let entries t = List.rev (Atomic.get t)
let message sender number = (sender * 10000) + number

let show list =
  let shown = List.filteri (fun i _ -> i < 40) list in
  let dots = if List.length list > 40 then " .." else "" in
  "[" ^ String.concat " " (List.map string_of_int shown) ^ dots ^ "]"

(* The difference of two sorted lists. *)
let rec minus l l' =
  match (l, l') with
  | [], _ -> []
  | l, [] -> l
  | x :: l, y :: l' when x = y -> minus l l'
  | x :: l, y :: _ when x < y -> x :: minus l l'
  | l, _ :: l' -> minus l l'

let conserved ~numbered ~put ~taken =
  let n = List.length put and m = List.length taken in
  if numbered then begin
    let put = List.sort compare put and taken = List.sort compare taken in
    let lost = minus put taken and more = minus taken put in
    ensure
      (lost = [] && more = [])
      "lost %s, doubled or invented %s (%d put, %d taken)" (show lost)
      (show more) n m
  end
  else ensure (n = m) "%d put, %d taken" n m

let in_order taken =
  let last = Hashtbl.create 8 in
  let check v =
    let sender = v / 10000 in
    let before = Option.value ~default:(-1) (Hashtbl.find_opt last sender) in
    ensure (v > before) "%d was taken after %d: %s" v before (show taken);
    Hashtbl.replace last sender v
  in
  List.iter check taken
