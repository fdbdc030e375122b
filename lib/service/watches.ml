type interest = Read | Write
type outcome = Ready | Closed | Failed of Unix.error
type answer = Over | Again

(* {1 Watches} *)

type state =
  | New
  | Waiting of (outcome -> answer)
  | Telling (* a thread is calling the function *)
  | Gone

type watch = {
  state : state Atomic.t;
  armed : int Atomic.t;
  mutable file : int; [@owner Poller]
}

let watch () = { state = Atomic.make New; armed = Atomic.make 0; file = 0 }
let clock = Atomic.make 1
let tick () = 1 + Atomic.fetch_and_add clock 1
let unfinished = Atomic.make 0
let pending () = Atomic.get unfinished

let rec leave w =
  match Atomic.get w.state with
  | Gone -> ()
  | (New | Waiting _ | Telling) as state ->
      if not (Atomic.compare_and_set w.state state Gone) then leave w
      else begin
        match state with
        | Waiting _ -> Atomic.decr unfinished
        | New | Telling | Gone -> ()
      end

let lives w = Atomic.get w.state <> Gone

(* [true] if the watch is to be put back. The watch counts as unfinished until
   its function has returned. *)
let tell outcome w =
  match Atomic.get w.state with
  | New | Telling | Gone -> false
  | Waiting f as state ->
      Atomic.compare_and_set w.state state Telling
      &&
      let answer =
        match f outcome with
        | answer -> answer
        | exception e ->
            Host.report e (Printexc.get_raw_backtrace ());
            Over
      in
      let again =
        answer = Again && Atomic.compare_and_set w.state Telling state
      in
      if not again then begin
        Atomic.set w.state Gone;
        Atomic.decr unfinished
      end;
      again

(* {1 Slots}

   One slot per descriptor number, replaced as a whole by compare-and-set.
   Watches that were left are swept when a list has grown to its limit. *)

type line = { watches : watch list; length : int; limit : int }
type slot = { readers : line; writers : line }

let no_line = { watches = []; length = 0; limit = 16 }
let nobody = { readers = no_line; writers = no_line }

let swept line =
  let watches = List.filter lives line.watches in
  let length = List.length watches in
  { watches; length; limit = Int.max 16 (2 * length) }

let add w line =
  let line = if line.length < line.limit then line else swept line in
  { line with watches = w :: line.watches; length = line.length + 1 }

let rec change slot f =
  let before = Atomic.get slot in
  if not (Atomic.compare_and_set slot before (f before)) then change slot f
  else before

let sweep slot =
  let s = Atomic.get slot in
  let fresh = { readers = swept s.readers; writers = swept s.writers } in
  ignore (Atomic.compare_and_set slot s fresh : bool)

let put w interest slot =
  ignore
    (change slot (fun s ->
         match interest with
         | Read -> { s with readers = add w s.readers }
         | Write -> { s with writers = add w s.writers })
      : slot)

let wanted s =
  (if s.readers.watches = [] then 0 else Polling.readable)
  lor if s.writers.watches = [] then 0 else Polling.writable

(* Old and new tables share the slots, so no slot is lost when a table grows. *)
let table : slot Atomic.t array Atomic.t = Atomic.make [||]

let rec slot_of n =
  let slots = Atomic.get table in
  let length = Array.length slots in
  if n < length then slots.(n)
  else begin
    let fresh i = if i < length then slots.(i) else Atomic.make nobody in
    let larger = Array.init (Int.max 64 (2 * (n + 1))) fresh in
    ignore (Atomic.compare_and_set table slots larger : bool);
    slot_of n
  end

let oldest_first line = List.rev line.watches
let all s = oldest_first s.readers @ oldest_first s.writers
