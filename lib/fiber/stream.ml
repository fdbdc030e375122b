type t = {
  from : string; (* a digest; all digests have an equal length *)
  index : int;
  mutable seed : string; (* "" until first asked for *)
  mutable forks : int;
  mutable state : Random.State.t option;
  mutable owner : Fiber.t; (* the task that draws; [nobody] before *)
}

let in_use = ref false
let key : t Hmap.key = Hmap.Key.create ()
let owner = Fiber.nobody
let make from index = { from; index; seed = ""; forks = 0; state = None; owner }

let seed stream =
  if String.equal stream.seed "" then
    stream.seed <- Digest.string (stream.from ^ string_of_int stream.index);
  stream.seed

let child stream =
  let index = stream.forks in
  stream.forks <- index + 1;
  make (seed stream) index

(* The stream in force where no code may draw. *)
let none = make "" 0

let root n =
  in_use := true;
  make (Digest.string "Dromos.Random") n

let find_in storage =
  match Hmap.find key storage with
  | Some stream when stream != none -> Some stream
  | Some _ | None -> None

let find () = Hmap.find key (Storage.current ())

let within stream f =
  Storage.within (Hmap.add key stream (Storage.current ())) f

let make_state stream =
  let seed = seed stream in
  let word i = Int32.to_int (String.get_int32_le seed (4 * i)) in
  let state = Random.State.make (Array.init 4 word) in
  stream.state <- Some state;
  state

let check ~call stream =
  let fiber = Fiber.current () in
  if stream == none then
    raise
      (Misplaced.Misplaced
         (call
        ^ ": no stream here; functions that combine or compare what a parallel \
           loop makes are called in no fixed order, so draw in its body"));
  if fiber != Fiber.nobody then
    if stream.owner == Fiber.nobody then stream.owner <- fiber
    else if stream.owner != fiber then
      raise
        (Misplaced.Misplaced
           (call
          ^ ": the stream belongs to another task, and this fork makes none of \
             its own; fork by Dromos.both, all, async, Scope, Dag or Par"))

let state ~call stream =
  check ~call stream;
  match stream.state with Some state -> state | None -> make_state stream

let inherited storage =
  if not !in_use then storage
  else
    match find_in storage with
    | None -> storage
    | Some stream -> Hmap.add key (child stream) storage

let both storage f g fork =
  match find_in storage with
  | None -> fork f g
  | Some stream ->
      let left = child stream in
      let right = child stream in
      fork
        (fun fiber -> within left (fun () -> f fiber))
        (fun fiber -> within right (fun () -> g fiber))

let loop body go =
  if not !in_use then go body
  else
    match find_in (Storage.current ()) with
    | None -> go body
    | Some stream ->
        let from = seed (child stream) in
        within none (fun () ->
            go (fun i -> within (make from i) (fun () -> body i)))

let without f = if !in_use then within none f else f ()
