(* Many small weak arrays rather than a large one. The runtime goes over a whole
   weak array for each [Weak.blit] out of it, and [Weak.get] keeps what it
   returns alive for a cycle, so entries are never moved: slots that the
   collector has emptied are filled again where they are, and an array is
   dropped when all of its slots are empty.

   The worker alone changes the fields; a reader that finds an old list misses
   what came just now. *)

type 'a chunk = 'a Weak.t

type 'a t = {
  mark : 'a option; (* in the first slot of each chunk *)
  mutable chunks : 'a chunk list; (* all *)
  mutable current : 'a chunk;
  mutable next : int; (* slots of [current] below it have been tried *)
  mutable spare : 'a chunk list; (* with empty slots, to come after *)
  mutable room : int; (* chunks to be made before the next sweep *)
  mutable added : int;
}

let size = 32
let least_room = 4
let first = 1

let create ?mark () =
  {
    mark;
    chunks = [];
    current = Weak.create 0;
    next = 0;
    spare = [];
    room = least_room;
    added = 0;
  }

let rec count chunk i n =
  if i = Weak.length chunk then n
  else count chunk (i + 1) (if Weak.check chunk i then n + 1 else n)

(* Those more than half full are left alone: to look for their few empty slots
   would cost an [add] too much. *)
let sweep t =
  let chunks = List.filter (fun chunk -> count chunk first 0 > 0) t.chunks in
  t.spare <- List.filter (fun chunk -> count chunk first 0 <= size / 2) chunks;
  t.chunks <- chunks;
  t.room <- Int.max least_room (List.length chunks)

let rec next_chunk t =
  match t.spare with
  | chunk :: spare ->
      t.spare <- spare;
      t.current <- chunk;
      t.next <- first
  | [] when t.room > 0 ->
      let chunk = Weak.create (first + size) in
      Weak.set chunk 0 t.mark;
      t.room <- t.room - 1;
      t.chunks <- chunk :: t.chunks;
      t.current <- chunk;
      t.next <- first
  | [] ->
      sweep t;
      next_chunk t

let rec add t x =
  if t.next >= Weak.length t.current then begin
    next_chunk t;
    add t x
  end
  else begin
    let slot = t.next in
    t.next <- slot + 1;
    if Weak.check t.current slot then add t x
    else begin
      Weak.set t.current slot (Some x);
      t.added <- t.added + 1
    end
  end

let added t = t.added

let fold_chunk f acc chunk =
  let rec go acc i =
    if i = Weak.length chunk then acc
    else
      match Weak.get chunk i with
      | None -> go acc (i + 1)
      | Some x -> go (f acc x) (i + 1)
  in
  go acc first

let fold f acc t = List.fold_left (fold_chunk f) acc t.chunks
