open Dromos_fiber

(* Lists, cut into pieces of consecutive elements.

   One walk notes the starts of about as many pieces as a loop has leaves. A loop
   over the pieces claims each piece for a run. A run goes on into the next piece
   until another run has claimed the next piece. While no worker takes a piece, one
   run goes through the whole list and makes the result in order, as [Stdlib.List]
   does; on w workers the runs are some more than w.

   A run that makes a list appends the list of the run that claimed the next piece.
   If the other list is not made yet, the run polls for it as long as a copy of its
   own list would take, and then ends without it; the lists of such runs are copied
   at the end. A run does not suspend until another run ends: the other run may
   perform an effect for a handler around the loop, which is answered only at the
   loop's joins.

   A run is one iteration of the loop, however many pieces it takes, and later
   iterations begin further right in the list; so exceptions are the leftmost. *)

type claim =
  | Open
  | Passed (* by a run that began further left, or appended *)
  | Begun (* by a run that began here *)
  | Over (* the run that began here has its result *)

type ('a, 'r) cut = {
  size : int; (* elements in a piece *)
  starts : 'a list array; (* the list from each piece on *)
  claims : claim Atomic.t array; (* of each piece *)
  results : 'r option array;
      (* of the runs, by their first pieces. The run writes its result before its
         claim becomes [Over]; other runs read the result after. *)
}

let whole l =
  let claims = [| Atomic.make Open |] and results = [| None |] in
  { size = max_int; starts = [| l |]; claims; results }

(* [Array.make] of more than 256 words begins with a minor collection, on all domains,
   if the initial value is a young block. So the arrays of a cut are made with values
   that are not young, and then filled. *)
let in_order last_first =
  let n = List.length last_first in
  let a = Array.make n [] in
  List.iteri (fun i start -> a.(n - 1 - i) <- start) last_first;
  a

let no_claim = Atomic.make Passed

let open_claims n =
  let claims = Array.make n no_claim in
  for k = 0 to n - 1 do
    claims.(k) <- Atomic.make Open
  done;
  claims

let[@tail_mod_cons] rec every_other = function
  | _ :: x :: rest -> x :: every_other rest
  | _ -> []

(* [starts] has [count] starts, the last first, and at most [most], an even number;
   [left] more elements belong to the last piece. A full list of starts is halved. *)
let rec note most size starts count left l =
  match l with
  | [] -> (size, starts)
  | _ :: rest when left > 0 -> note most size starts count (left - 1) rest
  | l when count = most ->
      note most (2 * size) (every_other starts) (count / 2) 0 l
  | _ :: rest -> note most size (l :: starts) (count + 1) (size - 1) rest

(* On one worker a grain makes pieces, so that elements of several pieces can wait at
   the same time. *)
let cut fiber grain l =
  if Fiber.workers fiber = 1 && grain = None then whole l
  else
    let grain = Par_range.grain_or_one grain in
    let most = 2 * Par_range.leaves_per_worker * Fiber.workers fiber in
    let size, starts = note most grain [] 0 0 l in
    let starts = in_order starts in
    let n = Array.length starts in
    { size; starts; claims = open_claims n; results = Array.make n None }

(* [run cut fiber k] begins at piece [k]. *)
let begin_run run cut k =
  if Atomic.compare_and_set cut.claims.(k) Open Begun then begin
    cut.results.(k) <- Some (run cut (Fiber.current ()) k);
    Atomic.set cut.claims.(k) Over
  end

(* The results of the runs that no other run has appended, in order. *)
let in_runs ?grain run l =
  Option.iter Par_range.check_grain grain;
  let fiber = Fiber.current () in
  if l = [] then []
  else if Par_range.outside fiber then [ run (whole l) fiber 0 ]
  else
    let cut = cut fiber grain l in
    Par_range.for_ 0 (Array.length cut.starts) (begin_run run cut);
    let rec results k rest =
      if k < 0 then rest
      else
        match (Atomic.get cut.claims.(k), cut.results.(k)) with
        | Over, Some result -> results (k - 1) (result :: rest)
        | (Open | Passed | Begun | Over), _ -> results (k - 1) rest
    in
    results (Array.length cut.claims - 1) []

(* {1 In a run}

   A run polls between elements when the signal has changed. A signal that has gone
   down and up again looks unchanged, so a pending cancellation also leads to a poll.

   [next] claims the piece [k] for a run that has come to the start of the piece. If
   another run has claimed the piece, [list_from] is the list that the first run
   appends. *)

let[@inline] look fiber seen =
  let sign = Fork.sign fiber in
  if sign > 0 && (sign <> seen || Cancel.pending fiber) then Fork.poll fiber;
  sign

let next cut fiber k =
  Atomic.compare_and_set cut.claims.(k) Open Passed
  && begin
       Fork.share fiber;
       true
     end

(* The nanoseconds that a copy takes for each element. *)
let copying = 20

let rec result_by cut fiber k deadline =
  match Atomic.get cut.claims.(k) with
  | Over -> cut.results.(k)
  | (Open | Passed | Begun) when Ticks.clock () < deadline ->
      for _ = 1 to 20 do
        Domain.cpu_relax ()
      done;
      if Fork.wanted fiber then Fork.poll fiber;
      result_by cut fiber k deadline
  | Open | Passed | Begun -> None

let list_from cut fiber began k =
  match Atomic.get cut.claims.(k) with
  | Open | Passed -> []
  | Begun | Over -> (
      let elements = (k - began) * cut.size in
      match result_by cut fiber k (Ticks.clock () + (copying * elements)) with
      | None -> []
      | Some list ->
          Atomic.set cut.claims.(k) Passed;
          list)

let map_run f cut fiber began =
  let[@tail_mod_cons] rec go k left sign l =
    match l with
    | [] -> []
    | x :: rest ->
        if left > 0 then
          let sign = look fiber sign in
          let y = f x in
          y :: go k (left - 1) sign rest
        else if next cut fiber (k + 1) then go (k + 1) cut.size 0 l
        else (list_from [@tailcall false]) cut fiber began (k + 1)
  in
  go began cut.size 0 cut.starts.(began)

let filter_run p cut fiber began =
  let[@tail_mod_cons] rec go k left sign l =
    match l with
    | [] -> []
    | x :: rest ->
        if left > 0 then
          let sign = look fiber sign in
          if p x then x :: go k (left - 1) sign rest
          else go k (left - 1) sign rest
        else if next cut fiber (k + 1) then go (k + 1) cut.size 0 l
        else (list_from [@tailcall false]) cut fiber began (k + 1)
  in
  go began cut.size 0 cut.starts.(began)

let filter_map_run f cut fiber began =
  let[@tail_mod_cons] rec go k left sign l =
    match l with
    | [] -> []
    | x :: rest ->
        if left > 0 then
          let sign = look fiber sign in
          match f x with
          | Some y -> y :: go k (left - 1) sign rest
          | None -> go k (left - 1) sign rest
        else if next cut fiber (k + 1) then go (k + 1) cut.size 0 l
        else (list_from [@tailcall false]) cut fiber began (k + 1)
  in
  go began cut.size 0 cut.starts.(began)

let concat_map_run f cut fiber began =
  let[@tail_mod_cons] rec go k left sign l =
    match l with
    | [] -> []
    | x :: rest ->
        if left > 0 then
          let sign = look fiber sign in
          before (f x) k (left - 1) sign rest
        else if next cut fiber (k + 1) then go (k + 1) cut.size 0 l
        else (list_from [@tailcall false]) cut fiber began (k + 1)
  and[@tail_mod_cons] before ys k left sign rest =
    match ys with
    | [] -> go k left sign rest
    | y :: ys -> y :: before ys k left sign rest
  in
  go began cut.size 0 cut.starts.(began)

let iter_run f cut fiber k =
  let rec go k left sign l =
    match l with
    | [] -> ()
    | x :: rest ->
        if left > 0 then begin
          let sign = look fiber sign in
          f x;
          go k (left - 1) sign rest
        end
        else if next cut fiber (k + 1) then go (k + 1) cut.size 0 l
  in
  go k cut.size 0 cut.starts.(k)

let reduce_run map combine cut fiber k =
  let rec go acc k left sign l =
    match l with
    | [] -> acc
    | x :: rest ->
        if left > 0 then
          let sign = look fiber sign in
          go (combine acc (map x)) k (left - 1) sign rest
        else if next cut fiber (k + 1) then go acc (k + 1) cut.size 0 l
        else acc
  in
  match cut.starts.(k) with
  | [] -> assert false (* pieces are not empty *)
  | x :: rest ->
      let acc = map x in
      go acc k (cut.size - 1) 0 rest

(* {1 The functions}

   Draws are made by index, as in an array. *)

let linked runs =
  let before run rest = match rest with [] -> run | _ -> run @ rest in
  List.fold_right before runs []

let lists ?grain in_array run l =
  if !Stream.in_use then in_array (Array.of_list l)
  else linked (in_runs ?grain run l)

let listed ?grain in_array = lists ?grain (fun a -> Array.to_list (in_array a))

let iter ?grain f l =
  if !Stream.in_use then Par_array.iter ?grain f (Array.of_list l)
  else ignore (in_runs ?grain (iter_run f) l : unit list)

let map ?grain f = listed ?grain (Par_array.map ?grain f) (map_run f)
let filter ?grain p = listed ?grain (Par_array.filter ?grain p) (filter_run p)

let filter_map ?grain f =
  listed ?grain (Par_array.filter_map ?grain f) (filter_map_run f)

let concat_map ?grain f =
  let in_array a = List.concat (Array.to_list (Par_array.map ?grain f a)) in
  lists ?grain in_array (concat_map_run f)

(* With a grain the elements are combined in the same tree as an array's. *)
let map_reduce ?grain ~map ~combine ~init:zero l =
  if !Stream.in_use || grain <> None then
    Par_array.map_reduce ?grain ~map ~combine ~init:zero (Array.of_list l)
  else List.fold_left combine zero (in_runs (reduce_run map combine) l)

let sort ?grain cmp l =
  let a = Array.of_list l in
  Par_sort.sort ?grain cmp a;
  Array.to_list a

let group_by ?grain key l =
  Array.to_list (Par_group.group_by ?grain key (Array.of_list l))
  |> List.map (fun (k, group) -> (k, Array.to_list group))
