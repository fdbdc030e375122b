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

(* Finalisers of the program run during a change of size, after the change, and may
   raise. *)
let change wishes words =
  match set words with
  | given -> wishes.given <- given
  | exception e ->
      let backtrace = Printexc.get_raw_backtrace () in
      wishes.given <- size ();
      Printexc.raise_with_backtrace e backtrace

(* [wished] is set before the change, so that [with_size] gives the size back also if
   the change raises. *)
let enter words wished =
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
  wished := Some wishes;
  change wishes (largest wishes)

let leave wishes words =
  let ours = size () = wishes.given in
  wishes.words <- without words wishes.words;
  match wishes.words with
  | [] ->
      asked := List.filter (fun w -> w != wishes) !asked;
      if ours then ignore (set wishes.before : int)
  | _ :: _ -> if ours then change wishes (largest wishes)

let with_size words f =
  let wished = ref None in
  let leave () =
    Option.iter
      (fun wishes -> Signals.protect lock (fun () -> leave wishes words))
      !wished
  in
  let entered () =
    Signals.protect lock (fun () -> enter words wished);
    f ()
  in
  match entered () with
  | v ->
      leave ();
      v
  | exception e ->
      let backtrace = Printexc.get_raw_backtrace () in
      (try leave ()
       with finaliser's ->
         Suppressed.follow ~what:"a finaliser" e
           (finaliser's, Printexc.get_raw_backtrace ()));
      Printexc.raise_with_backtrace e backtrace
