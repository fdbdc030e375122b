module Signals = Dromos_service.Signals

let least = 4096
let most = 1 lsl 27

let check ~call n =
  if n < least || n > most then
    invalid_arg
      (Printf.sprintf "%s: ~minor_heap_words:%d is not in %d .. %d" call n least
         most)

let size () = (Gc.get ()).minor_heap_size
let or_callers = function Some words -> words | None -> size ()

type wishes = {
  domain : Domain.id;
  before : int;  (** the size that the first wish found *)
  mutable given : int;  (** the size in force by the last change of ours *)
  mutable words : int list;  (** the size of each call under way *)
}
(** The sizes asked of a domain. Threads of the domain alone change the record.
*)

(* An entry for each domain with calls under way: at most 128. Under [lock]. *)
let asked : wishes list ref = ref []
let lock = Mutex.create ()

(* [Gc.set] rounds up to pages, so [set] returns the size read back. *)
let set words =
  let control = Gc.get () in
  if control.minor_heap_size <> words then
    Gc.set { control with minor_heap_size = words };
  size ()

let largest wishes = List.fold_left Int.max least wishes.words
let find domain = List.find_opt (fun w -> w.domain = domain) !asked

let rec without words = function
  | [] -> []
  | w :: rest -> if w = words then rest else w :: without words rest

let forget wishes words =
  wishes.words <- without words wishes.words;
  if wishes.words = [] then asked := List.filter (fun w -> w != wishes) !asked

(* [set] raises what a finaliser of the program's raises. *)
let enter words =
  let domain = Domain.self () in
  let wishes =
    match find domain with
    | Some wishes -> wishes
    | None ->
        let before = size () in
        let wishes = { domain; before; given = before; words = [] } in
        asked := wishes :: !asked;
        wishes
  in
  wishes.words <- words :: wishes.words;
  match set (largest wishes) with
  | given ->
      wishes.given <- given;
      wishes
  | exception e ->
      let backtrace = Printexc.get_raw_backtrace () in
      forget wishes words;
      let back =
        if wishes.words = [] then wishes.before else largest wishes
      in
      (try wishes.given <- set back with _ -> ());
      Printexc.raise_with_backtrace e backtrace

let leave wishes words =
  let ours = size () = wishes.given in
  forget wishes words;
  if ours then
    match wishes.words with
    | [] -> ignore (set wishes.before : int)
    | _ :: _ -> wishes.given <- set (largest wishes)

let with_size words f =
  let wishes = Signals.protect lock (fun () -> enter words) in
  Fun.protect f ~finally:(fun () ->
      Signals.protect lock (fun () -> leave wishes words))
