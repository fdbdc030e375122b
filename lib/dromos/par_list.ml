open Dromos_fiber

(* Lists, cut into pieces of consecutive elements, and blocks of 32 pieces.

   One walk notes the starts of the blocks: the list has about as many pieces as a loop
   has leaves. A loop over the pieces claims each piece for a run. A run goes on into the
   next piece until another run has claimed the next piece, and into a whole block at a
   time while elements are cheap. While no worker takes a piece, one run goes through the
   whole list and makes the result in order, as [Stdlib.List] does; on w workers the runs
   are some more than w.

   A run that makes a list appends the list of the run that claimed the next piece.
   If the other list is not made yet, the run polls for it as long as a copy of its
   own list would take, and then ends without it; the lists of such runs are copied
   at the end. A run does not suspend until another run ends: the other run may
   perform an effect for a handler around the loop, which is answered only at the
   loop's joins.

   A run is one iteration of the loop, however many pieces it takes, and later
   iterations begin further right in the list; so exceptions are the leftmost. *)

module Claims = Par_claims

type ('a, 'r) block = { start : 'a list; claims : 'r Claims.t }

type ('a, 'r) cut = {
  size : int; (* elements in a piece *)
  pieces : int; (* in the list *)
  blocks : ('a, 'r) block array;
}

let in_block = 32 (* pieces *)
let block start = { start; claims = Claims.create () }
let whole l = { size = max_int; pieces = 1; blocks = [| block l |] }

(* [Array.of_list] of more than 256 young blocks begins with a minor collection, on all
   domains; [Array.concat] never does. *)
let in_order last_first =
  Array.concat (List.rev_map (fun start -> [| block start |]) last_first)

let[@tail_mod_cons] rec every_other = function
  | _ :: x :: rest -> x :: every_other rest
  | _ -> []

(* [starts] has [count] starts, the last first, and at most [most], an even number;
   [left] more elements belong to the last block. A full list of starts is halved. *)
let rec note most size starts count left l =
  match l with
  | [] -> (size, starts, ((count - 1) * size) + size - left)
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
    let most = 2 * Par_range.leaves_per_worker / in_block in
    let least =
      if grain > max_int / in_block then max_int else in_block * grain
    in
    let size, starts, length =
      note (most * Fiber.workers fiber) least [] 0 0 l
    in
    let size = Int.max grain (size / in_block) in
    let pieces = 1 + ((length - 1) / size) in
    { size; pieces; blocks = in_order starts }

(* The number of pieces in block [b]. *)
let pieces_of cut b = Int.min in_block (cut.pieces - (b * in_block))

(* {1 Runs} *)

type ('a, 'r) run = {
  cut : ('a, 'r) cut;
  fiber : Fiber.t;
  began : int; (* the first piece *)
  mutable since : int; (* the clock at the start of [from]; nanoseconds *)
  mutable from : int; (* a piece: see [is_cheap] *)
}

let run cut fiber began =
  { cut; fiber; began; since = Ticks.clock (); from = began }

let rec drop n l =
  match l with _ :: rest when n > 0 -> drop (n - 1) rest | l -> l

let first { cut; began; _ } =
  let into = began mod in_block in
  drop (into * cut.size) cut.blocks.(began / in_block).start

(* [make] makes the result of the run that begins at piece [k]. *)
let begin_run make cut k =
  let b = k / in_block and j = k mod in_block in
  let { claims; _ } = cut.blocks.(b) in
  if Claims.begin_at ~pieces:(pieces_of cut b) claims j then
    Claims.over claims j (make (run cut (Fiber.current ()) k))

(* The results of the runs that no other run has appended, in order. *)
let in_runs ?grain make l =
  Option.iter Par_range.check_grain grain;
  let fiber = Fiber.current () in
  if l = [] then []
  else if Par_range.outside fiber then [ make (run (whole l) fiber 0) ]
  else
    let cut = cut fiber grain l in
    Par_range.for_ 0 cut.pieces (begin_run make cut);
    Array.fold_right
      (fun { claims; _ } rest -> Claims.results claims rest)
      cut.blocks []

(* {1 In a run}

   A run polls between elements when the signal has changed. A signal that has gone
   down and up again looks unchanged, so a pending cancellation also leads to a poll.

   [next] claims the piece [k], or the block that begins with it, for a run that has come
   to the start of the piece; its result is the number of claimed pieces. If another run
   has claimed the piece, [list_from] is the list that the first run appends. *)

let[@inline] look fiber seen =
  let sign = Fork.sign fiber in
  if sign > 0 && (sign <> seen || Cancel.pending fiber) then Fork.poll fiber;
  sign

(* The elements of a block that is taken whole wait for each other, so a run takes whole
   blocks only as long as a block takes about this number of nanoseconds. *)
let cheap_block = 4_000

let is_cheap run k =
  let now = Ticks.clock () in
  let took = now - run.since and pieces = k - run.from in
  run.since <- now;
  run.from <- k;
  took * in_block <= cheap_block * pieces

let next run k =
  let { cut; fiber; _ } = run in
  let b = k / in_block and j = k mod in_block in
  let { claims; _ } = cut.blocks.(b) in
  let pieces = pieces_of cut b in
  let claimed =
    if j = 0 && is_cheap run k && Claims.pass_all claims then pieces
    else if Claims.pass ~pieces claims j then 1
    else 0
  in
  if claimed > 0 then Fork.share fiber;
  claimed

(* The nanoseconds that a copy takes for each element. *)
let copying = 20

let rec result_by fiber claims j deadline : _ Claims.found =
  match Claims.found claims j with
  | (Over _ | Nothing) as found -> found
  | Begun when Ticks.clock () < deadline ->
      for _ = 1 to 20 do
        Domain.cpu_relax ()
      done;
      if Fork.wanted fiber then Fork.poll fiber;
      result_by fiber claims j deadline
  | Begun -> Begun

let list_from { cut; fiber; began; _ } k =
  let { claims; _ } = cut.blocks.(k / in_block) and j = k mod in_block in
  let elements = (k - began) * cut.size in
  match result_by fiber claims j (Ticks.clock () + (copying * elements)) with
  | Nothing | Begun -> []
  | Over list ->
      Claims.appended claims j;
      list

let map_run f run =
  let[@tail_mod_cons] rec go k left sign l =
    match l with
    | [] -> []
    | x :: rest ->
        if left > 0 then
          let sign = look run.fiber sign in
          let y = f x in
          y :: go k (left - 1) sign rest
        else
          let claimed = next run k in
          if claimed = 0 then (list_from [@tailcall false]) run k
          else go (k + claimed) (claimed * run.cut.size) 0 l
  in
  go (run.began + 1) run.cut.size 0 (first run)

let filter_run p run =
  let[@tail_mod_cons] rec go k left sign l =
    match l with
    | [] -> []
    | x :: rest ->
        if left > 0 then
          let sign = look run.fiber sign in
          if p x then x :: go k (left - 1) sign rest
          else go k (left - 1) sign rest
        else
          let claimed = next run k in
          if claimed = 0 then (list_from [@tailcall false]) run k
          else go (k + claimed) (claimed * run.cut.size) 0 l
  in
  go (run.began + 1) run.cut.size 0 (first run)

let filter_map_run f run =
  let[@tail_mod_cons] rec go k left sign l =
    match l with
    | [] -> []
    | x :: rest ->
        if left > 0 then
          let sign = look run.fiber sign in
          match f x with
          | Some y -> y :: go k (left - 1) sign rest
          | None -> go k (left - 1) sign rest
        else
          let claimed = next run k in
          if claimed = 0 then (list_from [@tailcall false]) run k
          else go (k + claimed) (claimed * run.cut.size) 0 l
  in
  go (run.began + 1) run.cut.size 0 (first run)

let concat_map_run f run =
  let[@tail_mod_cons] rec go k left sign l =
    match l with
    | [] -> []
    | x :: rest ->
        if left > 0 then
          let sign = look run.fiber sign in
          before (f x) k (left - 1) sign rest
        else
          let claimed = next run k in
          if claimed = 0 then (list_from [@tailcall false]) run k
          else go (k + claimed) (claimed * run.cut.size) 0 l
  and[@tail_mod_cons] before ys k left sign rest =
    match ys with
    | [] -> go k left sign rest
    | y :: ys -> y :: before ys k left sign rest
  in
  go (run.began + 1) run.cut.size 0 (first run)

let iter_run f run =
  let rec go k left sign l =
    match l with
    | [] -> ()
    | x :: rest ->
        if left > 0 then begin
          let sign = look run.fiber sign in
          f x;
          go k (left - 1) sign rest
        end
        else
          let claimed = next run k in
          if claimed > 0 then go (k + claimed) (claimed * run.cut.size) 0 l
  in
  go (run.began + 1) run.cut.size 0 (first run)

let reduce_run map combine run =
  let rec go acc k left sign l =
    match l with
    | [] -> acc
    | x :: rest ->
        if left > 0 then
          let sign = look run.fiber sign in
          go (combine acc (map x)) k (left - 1) sign rest
        else
          let claimed = next run k in
          if claimed = 0 then acc
          else go acc (k + claimed) (claimed * run.cut.size) 0 l
  in
  match first run with
  | [] -> assert false (* pieces are not empty *)
  | x :: rest ->
      let acc = map x in
      go acc (run.began + 1) (run.cut.size - 1) 0 rest

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
