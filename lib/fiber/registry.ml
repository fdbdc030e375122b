(* The bag has many small weak arrays instead of a large array. The runtime goes
   over a whole weak array for each [Weak.blit] out of the array, and [Weak.get]
   keeps its result alive for a cycle, so entries are never moved. [add] fills
   slots that the collector has emptied in place, and [sweep] drops an array
   when all its slots are empty.

   The worker alone changes the fields, except [looked]. A reader that finds an
   old list misses the newest entries. *)

module Ephemeron = Obj.Ephemeron

type ('a, 'note) chunk = {
  entries : 'a Weak.t;
  mutable notes : 'note array; (* empty until the first note *)
}

type ('a, 'note) t = {
  mark : 'a option; (* in the first slot of each chunk *)
  none : 'note;
  gone : 'note -> unit;
  mutable chunks : ('a, 'note) chunk list; (* all chunks *)
  mutable current : ('a, 'note) chunk;
  mutable next : int; (* slots of [current] below were tried *)
  mutable spare : ('a, 'note) chunk list;
      (* chunks with empty slots, to be filled after
                                 [current] *)
  mutable room : int; (* number of chunks to make before the next sweep *)
  mutable added : int;
  mutable looked : ('a, 'note) chunk list;
      (* chunks that [look] has still to visit *)
  mutable added_lately : Ephemeron.t;
      (* the ephemeron's data: an ['a list ref] *)
}

let size = 32
let least_room = 4
let first = 1

(* {1 Minor collections}

   Since OCaml 5.4 minor collections empty weak pointers too, before any reader
   has seen the new entries. New entries are therefore also the data of an
   ephemeron. The ephemeron's key is a fresh value outside the minor heap that
   no other value leads to: minor collections keep the data, and a major
   collection drops the data. *)

let minor_ones_empty =
  let { Sys.major; minor; _ } = Sys.ocaml_release in
  (major, minor) >= (5, 4)

let nothing = Ephemeron.create 0
let too_large_for_minor_heaps = 257

let[@inline never] keep_first t x =
  let e = Ephemeron.create 2 in
  Option.iter (fun mark -> Ephemeron.set_key e 0 (Obj.repr mark)) t.mark;
  Ephemeron.set_key e 1 (Obj.repr (Array.make too_large_for_minor_heaps 0));
  Ephemeron.set_data e (Obj.repr (ref [ x ]));
  t.added_lately <- e

let keep_from_minor_ones (type a) (t : (a, _) t) x =
  match Ephemeron.get_data t.added_lately with
  | Some data ->
      let lately : a list ref = Obj.obj data in
      lately := x :: !lately
  | None -> keep_first t x

(* {1 The bag} *)

let create ?mark ~none ~gone () =
  {
    mark;
    none;
    gone;
    chunks = [];
    current = { entries = Weak.create 0; notes = [||] };
    next = 0;
    spare = [];
    room = least_room;
    added = 0;
    looked = [];
    added_lately = nothing;
  }

let count { entries; _ } =
  let rec go i n =
    if i = Weak.length entries then n
    else go (i + 1) (if Weak.check entries i then n + 1 else n)
  in
  go first 0

let note_gone t { entries; notes } slot =
  if slot < Array.length notes then begin
    let note = notes.(slot) in
    if note != t.none && not (Weak.check entries slot) then t.gone note
  end

let set_note t chunk slot note =
  if note != t.none && Array.length chunk.notes = 0 then
    chunk.notes <- Array.make (first + size) t.none;
  if slot < Array.length chunk.notes then chunk.notes.(slot) <- note

let all_gone t chunk =
  for slot = first to Weak.length chunk.entries - 1 do
    note_gone t chunk slot
  done

(* [sweep] leaves chunks alone that are more than half full: searching for their
   few empty slots would cost an [add] too much. *)
let sweep t =
  let lives chunk =
    let lives = count chunk > 0 in
    if not lives then all_gone t chunk;
    lives
  in
  let chunks = List.filter lives t.chunks in
  t.spare <- List.filter (fun chunk -> count chunk <= size / 2) chunks;
  t.chunks <- chunks;
  t.room <- Int.max least_room (List.length chunks)

let new_chunk t =
  let entries = Weak.create (first + size) in
  Weak.set entries 0 t.mark;
  { entries; notes = [||] }

let rec next_chunk t =
  match t.spare with
  | chunk :: spare ->
      t.spare <- spare;
      t.current <- chunk;
      t.next <- first
  | [] when t.room > 0 ->
      let chunk = new_chunk t in
      t.room <- t.room - 1;
      t.chunks <- chunk :: t.chunks;
      t.current <- chunk;
      t.next <- first
  | [] ->
      sweep t;
      next_chunk t

let rec add t x note =
  let { entries; _ } = t.current in
  if t.next >= Weak.length entries then begin
    next_chunk t;
    add t x note
  end
  else begin
    let slot = t.next in
    t.next <- slot + 1;
    if Weak.check entries slot then add t x note
    else begin
      note_gone t t.current slot;
      set_note t t.current slot note;
      Weak.set entries slot (Some x);
      if minor_ones_empty then keep_from_minor_ones t x;
      t.added <- t.added + 1
    end
  end

let added t = t.added

let fold_chunk f acc { entries; _ } =
  let rec go acc i =
    if i = Weak.length entries then acc
    else
      match Weak.get entries i with
      | None -> go acc (i + 1)
      | Some x -> go (f acc x) (i + 1)
  in
  go acc first

let fold f acc t = List.fold_left (fold_chunk f) acc t.chunks

let look t =
  let rec go chunks n =
    match chunks with
    | chunk :: rest when n > 0 ->
        all_gone t chunk;
        go rest (n - 1)
    | rest -> t.looked <- rest
  in
  go (match t.looked with [] -> t.chunks | chunks -> chunks) 32
