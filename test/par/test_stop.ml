(* Exceptions in every position. *)

open Draw

exception Boom of int

(* The indices that raise, and the number of visits of each index. *)
type run = { n : int; bad : int list }

let gen =
  let open QCheck.Gen in
  let* n = map (fun n -> n + 1) (int_bound 5000) in
  let* bad = list_size (int_range 1 4) (int_bound (n - 1)) in
  return { n; bad }

let runs =
  with_
    ~more:(fun r ->
      Printf.sprintf ", %d elements, raises at %s" r.n
        (String.concat " " (List.map string_of_int r.bad)))
    gen

(* [loop visit] raises at the leftmost bad index, after all indices to its left
   have been visited once, and no index is visited twice. *)
let leftmost t r loop =
  let visits = Array.init r.n (fun _ -> Atomic.make 0) in
  let visit i =
    spice t;
    Atomic.incr visits.(i);
    if List.mem i r.bad then raise (Boom i)
  in
  let first = List.fold_left Int.min r.n r.bad in
  let raised =
    match inside t (fun () -> loop visit) with
    | () -> None
    | exception Boom i -> Some i
  in
  if raised <> Some first then
    QCheck.Test.fail_reportf "expected Boom %d, got %s" first
      (match raised with None -> "no exception" | Some i -> string_of_int i);
  Array.iteri
    (fun i v ->
      let v = Atomic.get v in
      if v > 1 || (i <= first && v = 0) then
        QCheck.Test.fail_reportf "index %d was visited %d times" i v)
    visits;
  true

let raising name loop =
  law ~count:40 name runs (fun t r -> leftmost t r (fun v -> loop t r v))

let tests =
  let ignore_ x = ignore (Sys.opaque_identity x) in
  [
    raising "for_" (fun t r visit -> Par.for_ ?grain:t.grain 0 r.n visit);
    raising "for_chunks" (fun t r visit ->
        Par.for_chunks ?grain:t.grain 0 r.n (fun l h ->
            for i = l to h - 1 do
              visit i
            done));
    raising "map_reduce" (fun t r visit ->
        Par.map_reduce ?grain:t.grain 0 r.n ~map:visit
          ~combine:(fun () () -> ())
          ~init:());
    raising "init" (fun t r visit ->
        ignore_ (Par.Array.init ?grain:t.grain r.n visit));
    raising "map" (fun t r visit ->
        ignore_ (Par.Array.map ?grain:t.grain visit (Array.init r.n Fun.id)));
    raising "filter" (fun t r visit ->
        ignore_
          (Par.Array.filter ?grain:t.grain
             (fun i ->
               visit i;
               true)
             (Array.init r.n Fun.id)));
    raising "filter_map" (fun t r visit ->
        ignore_
          (Par.Array.filter_map ?grain:t.grain
             (fun i -> Some (visit i))
             (Array.init r.n Fun.id)));
    raising "find" (fun t r visit ->
        ignore_
          (Par.find ?grain:t.grain 0 r.n (fun i ->
               visit i;
               false)));
    raising "for_all" (fun t r visit ->
        ignore_
          (Par.for_all ?grain:t.grain 0 r.n (fun i ->
               visit i;
               true)));
    law ~count:40 "find: a match to the left of an exception wins" runs
      (fun t r ->
        let first = List.fold_left Int.min r.n r.bad in
        let p i =
          spice t;
          if List.mem i r.bad then if i = first then true else raise (Boom i)
          else false
        in
        inside t (fun () -> Par.find ?grain:t.grain 0 r.n p) = Some first);
    law ~count:40 "find: an exception to the left of a match wins" runs
      (fun t r ->
        let first = List.fold_left Int.min r.n r.bad in
        let p i =
          spice t;
          if i = first then raise (Boom i) else i > first
        in
        match inside t (fun () -> Par.find ?grain:t.grain 0 r.n p) with
        | _ -> false
        | exception Boom i -> i = first);
    law "sort: a permutation if the comparison raises" runs (fun t r ->
        let a = Array.init r.n (fun i -> i * 7919 mod 1009) in
        let b = Array.copy a in
        let left = Atomic.make (List.hd r.bad * 3) in
        let cmp x y =
          if Atomic.fetch_and_add left (-1) = 0 then raise (Boom 0);
          Int.compare x y
        in
        (match inside t (fun () -> Par.Array.sort ?grain:t.grain cmp b) with
        | () -> ()
        | exception Boom 0 -> ());
        Array.stable_sort Int.compare a;
        Array.stable_sort Int.compare b;
        a = b);
    law ~count:40 "nested: the leftmost of the leftmost" runs (fun t r ->
        let m = 20 in
        let first = List.fold_left Int.min r.n r.bad in
        match
          inside t (fun () ->
              Par.for_ 0
                ((r.n / m) + 1)
                (fun i ->
                  Par.for_ ?grain:t.grain (i * m)
                    ((i + 1) * m)
                    (fun k -> if List.mem k r.bad then raise (Boom k))))
        with
        | () -> false
        | exception Boom k -> k = first);
  ]
