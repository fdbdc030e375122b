open Ranges
module Ivar = Dromos_sync.Ivar

exception
  Failed of { rank : int; index : int; error : string; backtrace : string }

let () =
  Printexc.register_printer (function
    | Failed { rank; index; error; backtrace } ->
        Some
          (Printf.sprintf
             "Dromos_mpi.Par.Failed: index %d, on rank %d, raised %s\n%s" index
             rank error backtrace)
    | _ -> None)

type failure = { at : int; on : int; text : string; trace : string }

(* {1 Messages between ranks} *)

type word =
  | Ask  (** asks for work; the sender waits for an answer *)
  | Done of int
      (** tells rank 0 the number of indices finished since the last message *)
  | Bound of int  (** the index has failed: greater indices are not needed *)
  | Quit  (** a rank tells its own listener that no rank will ask again *)

let words = 0 (* tags, in a group that only this loop uses *)
let answers = 1
let stops = 2

type job = {
  group : Comm.t;
  mine : mine;
  total : int;
  bound : int Atomic.t;  (** the least index that failed, or [max_int] *)
  failures : failure list Atomic.t;
  progress : (int -> unit) option;  (** called at rank 0, by the listener *)
  mutable over : int;
      (** finished indices, at rank 0; written by the listener *)
  finished : int Atomic.t;  (** finished indices not yet reported to rank 0 *)
  told : float Atomic.t;  (** the time of the last report to rank 0 *)
  random : Random.State.t;  (** used by the fiber that asks for work *)
}

let tell group ~to_ tag v =
  Message.send_value ~reason:"Dromos_mpi.Par" group.Comm.number ~to_ tag v

let hear group ?from tag =
  Message.recv_value ~reason:"Dromos_mpi.Par" group.Comm.number ?from tag

let rec update cell f =
  let before = Atomic.get cell in
  if not (Atomic.compare_and_set cell before (f before)) then update cell f

let others group =
  List.filter (( <> ) group.Comm.rank) (List.init group.size Fun.id)

let lower bound i = update bound (Int.min i)

let tell_all group tag v =
  List.iter
    (fun to_ -> tell group ~to_ tag v)
    (List.init group.Comm.size Fun.id)

let note_failure job i e bt =
  let failure =
    {
      at = i;
      on = job.group.Comm.rank;
      text = Printexc.to_string e;
      trace = Printexc.raw_backtrace_to_string bt;
    }
  in
  update job.failures (List.cons failure)

(* Called at rank 0 when [n] more indices are over. If [progress] raises, the ranks go
   on. *)
let count job n =
  job.over <- job.over + n;
  if job.over = job.total then tell_all job.group stops ();
  match Option.iter (fun progress -> progress job.over) job.progress with
  | () -> ()
  | exception e -> note_failure job job.total e (Printexc.get_raw_backtrace ())

(* The listener is a thread and not a fiber, since all workers may be busy for long. *)
let rec listen job =
  match (hear job.group words : int * word) with
  | from, Ask ->
      tell job.group ~to_:from answers (give_half job.mine);
      listen job
  | _, Bound i ->
      lower job.bound i;
      listen job
  | _, Done n ->
      count job n;
      listen job
  | _, Quit -> ()

(* {1 Work} *)

let failed job i e bt =
  note_failure job i e bt;
  if i < Atomic.get job.bound then begin
    lower job.bound i;
    List.iter
      (fun to_ -> tell job.group ~to_ words (Bound i))
      (others job.group)
  end

(* The first failure in a part of a range. *)
exception At of int * exn * Printexc.raw_backtrace

(* The index is not needed: a smaller index has failed, here or on another rank. *)
exception Not_needed

let noted bound f i =
  if i > Atomic.get bound then raise_notrace Not_needed;
  try f i
  with e when not (Dromos_suspend.is_cancellation e) ->
    raise (At (i, e, Printexc.get_raw_backtrace ()))

let work job keep range =
  if range.first < Atomic.get job.bound then
    match keep ~bound:job.bound range with
    | () | (exception Not_needed) -> ()
    | exception At (i, e, bt) -> failed job i e bt

(* Pieces shrink towards the end of the range: there are few early pieces, and late
   pieces end at about the same time. With [progress] no piece is long. *)
let piece job ~workers =
  let fair = left job.mine / (4 * workers) in
  let most =
    if job.progress = None then fair else job.total / (100 * job.group.size)
  in
  Int.max job.mine.grain (Int.min fair most)

let report job =
  match Atomic.exchange job.finished 0 with
  | 0 -> ()
  | n -> tell job.group ~to_:0 words (Done n)

(* All ranks together send at most a thousand reports a second. *)
let between_reports job = Float.max 0.1 (0.001 *. float job.group.size)

let report_if_due job =
  if job.progress <> None then begin
    let now = Unix.gettimeofday () and told = Atomic.get job.told in
    if
      now -. told > between_reports job
      && Atomic.compare_and_set job.told told now
    then report job
  end

let rec work_off job keep ~workers =
  match take job.mine ~most:(piece job ~workers) with
  | None -> ()
  | Some range ->
      Fun.protect
        (fun () -> work job keep range)
        ~finally:(fun () ->
          ignore (Atomic.fetch_and_add job.finished (length range) : int));
      Dromos.protect (fun () -> report_if_due job);
      work_off job keep ~workers

(* {1 Other ranks' work} *)

(* Asks each other rank once, beginning at a random rank. *)
let ask_around job =
  let { Comm.rank; size; _ } = job.group in
  let from = Random.State.int job.random size in
  let rec ask i =
    if i = size then None
    else
      let victim = (from + i) mod size in
      if victim = rank then ask (i + 1)
      else begin
        tell job.group ~to_:victim words Ask;
        match (hear job.group ~from:victim answers : int * range option) with
        | _, (Some _ as range) -> range
        | _, None -> ask (i + 1)
      end
  in
  ask 0

let shortest = 0.0005
let longest = 0.1

let stopped job ~pause =
  match
    Message.recv_value ~timeout:pause ~reason:"Dromos_mpi.Par" job.group.number
      ~from:0 stops
  with
  | (_ : int), () -> true
  | exception Dromos_sync.Event.Timeout -> false

let rec drive job keep ~workers ~pause =
  let work_here () =
    ignore
      (Dromos.all (List.init workers (fun _ () -> work_off job keep ~workers))
        : unit list)
  in
  let ask () =
    report job;
    Option.map (Atomic.set job.mine.range) (ask_around job)
  in
  work_here ();
  match Dromos.protect ask with
  | Some () -> drive job keep ~workers ~pause:shortest
  | None ->
      if not (stopped job ~pause) then
        drive job keep ~workers ~pause:(Float.min longest (2. *. pause))

(* {1 The whole loop} *)

let part comm n grain =
  let rank = comm.Comm.rank and size = comm.size in
  let at r = (n / size * r) + (n mod size * r / size) in
  { range = Atomic.make { first = at rank; past = at (rank + 1) }; grain }

(* A cancelled rank ends the loop on all ranks, counts its own indices as over, and
   raises its cancellation when all ranks have met. *)
let drive_to_the_end job keep =
  let workers = Dromos.workers () in
  match drive job keep ~workers ~pause:shortest with
  | () -> None
  | exception e when Dromos_suspend.is_cancellation e ->
      let bt = Printexc.get_raw_backtrace () in
      Dromos.protect (fun () ->
          failed job (-1) e bt;
          drive job (fun ~bound:_ _ -> ()) ~workers ~pause:shortest);
      Some (e, bt)

let with_listener job keep =
  let over = Ivar.create () in
  Dromos_service.Host.thread (fun () ->
      Ivar.fill over (Engine.attempt (fun () -> listen job)));
  let cancelled = drive_to_the_end job keep in
  Dromos.protect (fun () ->
      Collective.barrier job.group;
      tell job.group ~to_:job.group.rank words Quit;
      Dromos_sync.Author.Waiter.deliver (Ivar.read over));
  cancelled

let leftmost failures =
  List.fold_left
    (fun least f ->
      match least with Some l when l.at <= f.at -> least | _ -> Some f)
    None failures

(* [keep ~bound range] runs a range on this rank, up to the bound. If a rank failed, all
   ranks raise the failure. The result is [result ()] of each rank, called at the end. *)
let run comm ~call ~grain ~progress ~n ~result keep =
  if n < 0 then
    invalid_arg (Printf.sprintf "Dromos_mpi.Par.%s: %d indices" call n);
  if grain < 1 then
    invalid_arg (Printf.sprintf "Dromos_mpi.Par.%s: a chunk of %d" call grain);
  let group = Comm.apart comm in
  let job =
    {
      group;
      mine = part comm n grain;
      total = n;
      bound = Atomic.make max_int;
      failures = Atomic.make [];
      progress;
      over = 0;
      finished = Atomic.make 0;
      told = Atomic.make 0.;
      random = Random.State.make [| comm.rank; n |];
    }
  in
  let cancelled = if n > 0 then with_listener job keep else None in
  Dromos.protect @@ fun () ->
  let ends =
    Collective.all_gather comm
      (match leftmost (Atomic.get job.failures) with
      | Some failure -> Error failure
      | None -> Ok (result ()))
    |> Array.to_list
  in
  Comm.free group;
  let failures =
    List.filter_map (Result.fold ~ok:(fun _ -> None) ~error:Option.some) ends
  in
  Option.iter (fun (e, bt) -> Printexc.raise_with_backtrace e bt) cancelled;
  match leftmost failures with
  | None -> List.filter_map Result.to_option ends
  | Some { at; on; text; trace } ->
      raise (Failed { rank = on; index = at; error = text; backtrace = trace })

let for_ ?(chunk = 1) ?progress comm n f =
  let keep ~bound { first; past } =
    Dromos.Par.for_ first past (noted bound f)
  in
  ignore
    (run comm ~call:"for_" ~grain:chunk ~progress ~n ~result:ignore keep
      : unit list)

(* {1 Results} *)

(* Gives every rank the results of all ranks, ordered by index. *)
let with_results comm ~call ~chunk ~progress ~n ~join result =
  let results = Atomic.make Starts.empty in
  let note range r = update results (add ~join range r) in
  run comm ~call ~grain:chunk ~progress ~n
    ~result:(fun () -> Starts.bindings (Atomic.get results))
    (fun ~bound range -> note range (result ~bound range))
  |> List.concat
  |> List.sort (fun (a, _) (b, _) -> Int.compare a b)
  |> List.map (fun (_, (_, r)) -> r)

let map_reduce ?(chunk = 1) ?progress comm ~map ~combine ~init:zero n =
  let piece map first past =
    let rec go i v = if i = past then v else go (i + 1) (combine v (map i)) in
    Some (go (first + 1) (map first))
  in
  let join a b =
    match (a, b) with
    | None, v | v, None -> v
    | Some a, Some b -> Some (combine a b)
  in
  let result ~bound { first; past } =
    let map = piece (noted bound map) in
    Dromos.Par.map_reduce_chunks first past ~map ~combine:join ~init:None
  in
  with_results comm ~call:"map_reduce" ~chunk ~progress ~n ~join result
  |> List.filter_map Fun.id
  |> List.fold_left combine zero

type 'a pieces = Piece of 'a array | Both of 'a pieces * 'a pieces

let rec flat pieces after =
  match pieces with
  | Piece a -> a :: after
  | Both (a, b) -> flat a (flat b after)

let init ?(chunk = 1) ?progress comm n f =
  let result ~bound { first; past } =
    let f = noted bound f in
    Piece (Dromos.Par.Array.init (past - first) (fun i -> f (first + i)))
  in
  let join a b = Both (a, b) in
  with_results comm ~call:"init" ~chunk ~progress ~n ~join result
  |> List.concat_map (fun pieces -> flat pieces [])
  |> Array.concat

let map ?chunk ?progress comm f a =
  init ?chunk ?progress comm (Array.length a) (fun i -> f a.(i))
