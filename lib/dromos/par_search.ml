open Dromos_fiber

(* Searches: loops that raise when they find a match.

   [Fork.both] then cancels the branches to the right, lets the branches to the left
   run on, and raises the leftmost exception: all that a leftmost match needs, also
   against exceptions of the predicate. A shared cell holds the best match so far, and
   ends iterations to its right that other workers have begun.

   An inner loop reads the cell when it begins, and not at each iteration. A search that
   has found a match therefore keeps the run's signal up until its end: the signal ends
   every inner loop.

   [Stop] is raised after the predicate has returned and caught around the whole loop,
   so user code never meets the exception, nor does a nested search. *)

exception Stop

let () = Suppressed.not_a_failure (function Stop -> true | _ -> false)

type 'a t = {
  any : bool; (* the first match in time will do *)
  best : (int * 'a) option Atomic.t;
      (* the least index found so far; compared
                                        by identity, every write is a block *)
  fiber : Fiber.t; (* of the caller *)
  signalled : bool Atomic.t; (* the run's signal is up for this search *)
}

let beaten search i =
  match Atomic.get search.best with
  | Some (j, _) -> search.any || j <= i
  | None -> false

(* Before the iterations from [i] on. *)
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

(* All iterations are over, so nobody raises the signal again. *)
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

(* An index whose predicate is [sought]. *)
let find_bool ?any ?grain lo hi p sought =
  let run search = Dromos_inner.find (hit search) p sought in
  index (find_by ?any ?grain lo hi run)

let find ?grain lo hi p = find_bool ?grain lo hi p true
let exists ?grain lo hi p = find_bool ~any:true ?grain lo hi p true <> None
let for_all ?grain lo hi p = find_bool ~any:true ?grain lo hi p false = None

let exists_chunks ?grain lo hi p =
  find_map_chunks ~any:true ?grain lo hi (fun l h -> some_if (p l h)) <> None

let for_all_chunks ?grain lo hi p =
  not (exists_chunks ?grain lo hi (fun l h -> not (p l h)))

(* As [find_bool], in an array. *)
let find_element ?any ?grain p a sought =
  let run search = Dromos_inner.find_element (hit search) p a sought in
  index (find_by ?any ?grain 0 (Array.length a) run)
