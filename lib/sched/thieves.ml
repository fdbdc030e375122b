type 'thief t = 'thief list Atomic.t
type home = { starves : bool Atomic.t; out : bool Atomic.t }

let create () = Atomic.make_contended []

let home () =
  { starves = Atomic.make_contended false; out = Atomic.make_contended false }

let rec lurk t thief =
  let seen = Atomic.get t in
  if not (Atomic.compare_and_set t seen (thief :: seen)) then lurk t thief

let rec let_in t =
  match Atomic.get t with
  | thief :: others as seen ->
      if Atomic.compare_and_set t seen others then Some thief else let_in t
  | [] -> None

let clear t = Atomic.exchange t []

let send t home thief =
  if Atomic.compare_and_set home.out false true then lurk t (thief ())

(* The home sets [starves] before it reads [out]. The thief clears [out] before it
   reads [starves]. At least one of the two therefore sends the next thief. *)
let starves t home thief =
  Atomic.set home.starves true;
  send t home thief

let eats home = Atomic.set home.starves false

let back t home thief =
  Atomic.set home.out false;
  if Atomic.get home.starves then send t home thief

(* [visit] clears [starves] before [deliver] wakes the home. In the other order
   the home could use up the work and set [starves] again, and [visit] would
   then clear the new value. *)
let visit t home ~take ~deliver thief =
  (if Atomic.get home.starves then
     match take () with
     | Some loot ->
         Atomic.set home.starves false;
         deliver loot
     | None -> ());
  back t home thief
