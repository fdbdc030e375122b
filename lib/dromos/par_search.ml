open Dromos_fiber

(* Searches: loops that raise when they find a match.

   [Fork.both] then cancels the branches to the right, lets the branches to the left
   run on, and raises the leftmost exception: a search for the leftmost match needs
   no more, also if the predicate raises. A shared cell holds the best match so far,
   and ends iterations to the right of the match that other workers have begun.

   An inner loop reads the cell when it begins, and not at each iteration. A search
   with a match therefore keeps the run's signal up until the search ends: the
   signal ends every inner loop.

   [Stop] is raised after the predicate has returned and caught around the whole
   loop, so neither user code nor a nested search ever gets the exception. *)

exception Stop

let () = Suppressed.not_a_failure (function Stop -> true | _ -> false)

type 'a t = {
  any : bool; (* the first match in time will do *)
  best : (int * 'a) option Atomic.t;
      (* the least index found so far, with its value; compared by identity: every
         write is a new block *)
  fiber : Fiber.t; (* the fiber of the caller *)
  signalled : bool Atomic.t; (* the run's signal is up for this search *)
}

let beaten search i =
  match Atomic.get search.best with
  | Some (j, _) -> search.any || j <= i
  | None -> false

(* Called before the iterations from [i] on. Raises [Stop] if they cannot matter. *)
let skip search i = if beaten search i then raise_notrace Stop

let rec record search i v =
  let seen = Atomic.get search.best in
  match seen with
  | Some (j, _) when j <= i -> ()
  | _ ->
      if not (Atomic.compare_and_set search.best seen (Some (i, v))) then
        record search i v

let hit search i v =
  record search i v;
  if
    not (Par_range.outside search.fiber || Atomic.exchange search.signalled true)
  then Atomic.incr search.fiber.signal;
  raise_notrace Stop

(* Called when all iterations are over, so no iteration raises the signal again. *)
let over search =
  if Atomic.get search.signalled then Atomic.decr search.fiber.signal

let find_in ?(any = false) loop =
  let search =
    {
      any;
      best = Atomic.make None;
      fiber = Fiber.current ();
      signalled = Atomic.make false;
    }
  in
  match loop search with
  | () ->
      over search;
      None
  | exception e -> (
      let bt = Printexc.get_raw_backtrace () in
      over search;
      match e with
      | Stop -> Atomic.get search.best
      | e -> Printexc.raise_with_backtrace e bt)

(* [run search] is the inner loop; see [Dromos_inner.run]. *)
let find_by ?any ?grain lo hi run =
  find_in ?any (fun search ->
      let run : Dromos_inner.run = run search in
      Par_range.for_by ?grain lo hi (fun signal sign lo hi ->
          skip search lo;
          run signal sign lo hi))

let find_map ?grain lo hi f =
  let run search = Dromos_inner.find_map (hit search) f in
  Option.map snd (find_by ?grain lo hi run)

let find_map_chunks ?any ?grain lo hi f =
  let piece search l h =
    skip search l;
    Option.iter (hit search l) (f l h)
  in
  Option.map snd
    (find_in ?any (fun search ->
         Par_range.for_chunks ?grain lo hi (piece search)))

let index = Option.map fst
let some_if holds = if holds then Some () else None

(* An index for which the predicate equals [sought]. *)
let find_bool ?any ?grain lo hi p sought =
  let run search = Dromos_inner.find (hit search) p sought in
  index (find_by ?any ?grain lo hi run)

let find_opt ?grain lo hi p = find_bool ?grain lo hi p true
let exists ?grain lo hi p = find_bool ~any:true ?grain lo hi p true <> None
let for_all ?grain lo hi p = find_bool ~any:true ?grain lo hi p false = None

let exists_chunks ?grain lo hi p =
  find_map_chunks ~any:true ?grain lo hi (fun l h -> some_if (p l h)) <> None

let for_all_chunks ?grain lo hi p =
  not (exists_chunks ?grain lo hi (fun l h -> not (p l h)))

(* Searches an array, as [find_bool] searches a range. *)
let find_element ?any ?grain p a sought =
  let run search = Dromos_inner.find_element (hit search) p a sought in
  index (find_by ?any ?grain 0 (Array.length a) run)
