(* Searches: loops that raise where they find.

   [Fork.both] then cancels what stands to the right, lets what stands to the
   left run on, and raises the leftmost exception: all that a leftmost match
   needs, also against exceptions of the predicate. The shared cell holds the
   result and ends early what is to its right but under way on another worker.

   [Stop] is raised after the predicate has returned and caught around the whole
   loop, so it never passes through user code, and nested searches do not meet.
*)

exception Stop

let () = Suppressed.not_a_failure (function Stop -> true | _ -> false)

(* The least index found so far, with its value. Compared by identity: every
   write is a new block. *)
type 'a best = (int * 'a) option Atomic.t

let beaten (best : _ best) i =
  match Atomic.get best with Some (j, _) -> j <= i | None -> false

let rec record (best : _ best) i v =
  let seen = Atomic.get best in
  match seen with
  | Some (j, _) when j <= i -> ()
  | _ ->
      if not (Atomic.compare_and_set best seen (Some (i, v))) then
        record best i v

let visit best i = function
  | None -> ()
  | Some v ->
      record best i v;
      raise_notrace Stop

let leftmost best loop =
  match loop () with
  | () -> None
  | exception Stop -> Option.map snd (Atomic.get best)

let find_map ?grain lo hi f =
  let best = Atomic.make None in
  leftmost best (fun () ->
      Par_range.for_ ?grain lo hi (fun i ->
          if beaten best i then raise_notrace Stop;
          visit best i (f i)))

let find_map_chunks ?grain lo hi f =
  let best = Atomic.make None in
  leftmost best (fun () ->
      Par_range.for_chunks ?grain lo hi (fun l h ->
          if beaten best l then raise_notrace Stop;
          visit best l (f l h)))

let find ?grain lo hi p =
  find_map ?grain lo hi (fun i -> if p i then Some i else None)

(* Any match will do, so what is to its left does not go on either. *)
let any loop =
  let found = Atomic.make false in
  let look holds =
    if holds then begin
      Atomic.set found true;
      raise_notrace Stop
    end
  in
  let still () = if Atomic.get found then raise_notrace Stop in
  match loop still look with () -> false | exception Stop -> true

let exists ?grain lo hi p =
  any (fun still look ->
      Par_range.for_ ?grain lo hi (fun i ->
          still ();
          look (p i)))

let exists_chunks ?grain lo hi p =
  any (fun still look ->
      Par_range.for_chunks ?grain lo hi (fun l h ->
          still ();
          look (p l h)))

let for_all ?grain lo hi p = not (exists ?grain lo hi (fun i -> not (p i)))

let for_all_chunks ?grain lo hi p =
  not (exists_chunks ?grain lo hi (fun l h -> not (p l h)))
