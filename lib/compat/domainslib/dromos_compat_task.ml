module Fls = Dromos.Fls
module Par = Dromos.Par
module Promise = Dromos.Promise
module Runtime = Dromos.Runtime

type 'a task = unit -> 'a

(* A type of its own, so that the parameter is injective. *)
type 'a promise = Promise of 'a Promise.t [@@unboxed]

(* {1 Pools}

   [run] is a run of Dromos, served by the calling domain. Two kinds of work go
   to a runtime instead: tasks made outside any [run], and runs on a thread that
   must not serve another scheduler. The pool makes the runtime at the first
   need.

     Live -> Serving runtime   at the first task for the runtime
     Live, Serving -> Over     [teardown_pool] *)

type state = Live | Serving of Runtime.t | Over

type pool = {
  name : string option;
  domains : int; (* besides the domains that call [run] *)
  state : state Atomic.t;
  early : (unit -> unit) list Atomic.t;
      (* tasks for the next run, last first; used by pools without domains
         only *)
}

(* The pool on which a fiber works. *)
let here : pool Fls.key = Fls.new_key ()
let torn_down () = invalid_arg "pool already torn down"

let[@inline] check pool =
  match Atomic.get pool.state with
  | Over -> torn_down ()
  | Live | Serving _ -> ()

let rec update cell f =
  let old = Atomic.get cell in
  if not (Atomic.compare_and_set cell old (f old)) then update cell f

let named : (string * pool) list Atomic.t = Atomic.make []

let setup_pool ?name ~num_domains () =
  if num_domains < 0 then
    invalid_arg "Task.setup_pool: num_domains must be at least 0";
  (* The error text of [Domain.spawn]. *)
  if num_domains > 127 then failwith "failed to allocate domain";
  let pool =
    {
      name;
      domains = num_domains;
      state = Atomic.make Live;
      early = Atomic.make [];
    }
  in
  Option.iter (fun name -> update named (List.cons (name, pool))) name;
  pool

let lookup_pool name = List.assoc_opt name (Atomic.get named)

let get_num_domains pool =
  check pool;
  pool.domains + 1

let teardown_pool pool =
  (match Atomic.exchange pool.state Over with
  | Over -> torn_down ()
  | Live -> ()
  | Serving runtime -> Runtime.stop runtime);
  if Option.is_some pool.name then
    update named (List.filter (fun (_, other) -> other != pool))

let ignored _ _ = ()

let rec runtime pool =
  match Atomic.get pool.state with
  | Over -> torn_down ()
  | Serving runtime -> runtime
  | Live as live ->
      let workers = Int.max 1 pool.domains in
      let made = Runtime.create ~workers ~on_unhandled:ignored () in
      if not (Atomic.compare_and_set pool.state live (Serving made)) then
        Runtime.stop made;
      runtime pool

(* {1 Tasks} *)

let outcome f =
  match f () with
  | v -> Ok v
  | exception e -> Error (e, Printexc.get_raw_backtrace ())

let into promise f = ignore (Promise.try_resolve promise (outcome f) : bool)

(* True if the caller's storage is that of the pool's code, also on a thread of
   [Dromos.blocking]. *)
let[@inline] is_of pool =
  match Fls.find_opt here with Some other -> other == pool | None -> false

(* True if a task made by the caller for the pool belongs to the caller's
   run. *)
let[@inline] is_here pool = Dromos.inside () && (pool.domains = 0 || is_of pool)

let[@inline never] start_early pool =
  let tasks = Atomic.exchange pool.early [] in
  List.iter
    (fun task -> ignore (Dromos.async task : unit Promise.t))
    (List.rev tasks)

let[@inline] begin_early pool =
  match Atomic.get pool.early with [] -> () | _ :: _ -> start_early pool

(* The promise is resolved when the function returns, although tasks started by
   the function may still run. *)
let elsewhere pool f =
  let promise = Promise.create () in
  Runtime.post (runtime pool) (fun () ->
      Fls.set here pool;
      begin_early pool;
      into promise f);
  promise

let next_run pool f =
  let promise = Promise.create () in
  update pool.early (List.cons (fun () -> into promise f));
  promise

(* For a caller in the pool's run, or outside any run. *)
let[@inline] async_here pool f =
  match Dromos.async f with
  | promise -> promise
  | exception Dromos.Misplaced _ ->
      if pool.domains = 0 then next_run pool f else elsewhere pool f

let async pool f =
  check pool;
  Promise
    (if pool.domains = 0 || is_of pool then async_here pool f
     else elsewhere pool f)

type _ Effect.t += Outside_of_Task_run : 'a Effect.t

let () =
  Printexc.register_printer (function
    | Effect.Unhandled Outside_of_Task_run ->
        Some
          "Stdlib.Effect.Unhandled(Outside_of_Task_run): a wait or a loop of a \
           pool was called outside of Task.run"
    | _ -> None)

let outside () = Effect.perform Outside_of_Task_run

let await pool (Promise promise) =
  check pool;
  if Dromos.inside () then begin
    begin_early pool;
    Dromos.await promise
  end
  else
    match Promise.peek promise with
    | Some (Ok v) -> v
    | Some (Error (e, bt)) -> Printexc.raise_with_backtrace e bt
    | None -> outside ()

(* The function's exception is kept from Dromos: Dromos would cancel the tasks
   that still run. *)
let run_here pool f =
  let begun = ref false in
  let first () =
    begun := true;
    Fls.set here pool;
    begin_early pool;
    outcome f
  in
  match Dromos.run ~workers:(pool.domains + 1) ~on_unhandled:ignored first with
  | Ok v -> v
  | Error (e, bt) -> Printexc.raise_with_backtrace e bt
  | exception Dromos.Misplaced _ when not !begun ->
      Dromos.await (elsewhere pool f)

let run pool f =
  check pool;
  if not (Dromos.inside ()) then run_here pool f
  else if is_here pool then begin
    begin_early pool;
    f ()
  end
  else Dromos.await (elsewhere pool f)

(* {1 Loops}

   A loop runs pieces of its range; the iterations of a piece run one after the
   other. A piece never raises, since Dromos would cancel the pieces beside it:
   the piece notes its exception, and the loop raises the leftmost exception at
   the end. A cancellation does pass. *)

type failure = { place : int; e : exn; bt : Printexc.raw_backtrace }

type loop = {
  pool : pool;
  length : int;
  grain : int option;
  failure : failure option Atomic.t;
}

(* The length of the range, at most [max_int]: no loop reaches the end of a
   longer range. *)
let indices start finish =
  if finish < start then 0
  else
    let n = finish - start + 1 in
    if n <= 0 then max_int else n

(* A pool without domains has no domain to cut the range for. *)
let loop ?(chunk_size = 0) start finish pool =
  check pool;
  let length = indices start finish in
  let grain =
    if chunk_size > 0 then Some chunk_size
    else if pool.domains = 0 then Some (Int.max 1 length)
    else None
  in
  { pool; length; grain; failure = Atomic.make None }

let note loop place e =
  let bt = Printexc.get_raw_backtrace () in
  update loop.failure (function
    | Some other when other.place <= place -> Some other
    | Some _ | None -> Some { place; e; bt })

let[@inline] noting loop place f =
  match f () with
  | v -> Some v
  | exception e when e != Dromos.Cancelled ->
      note loop place e;
      None

(* True if the range has more than one piece at Domainslib's default grain. *)
let is_cut loop =
  let grain =
    Option.value loop.grain
      ~default:(Int.max 1 (loop.length / (8 * (loop.pool.domains + 1))))
  in
  loop.length > grain

(* Runs the loop in the right place: in the caller's run, or on the pool. *)
let within loop f =
  let result =
    if is_here loop.pool then f ()
    else if Dromos.inside () then Dromos.await (elsewhere loop.pool f)
    else if loop.pool.domains > 0 && is_cut loop then outside ()
    else f ()
  in
  match Atomic.get loop.failure with
  | None -> result
  | Some { e; bt; _ } -> Printexc.raise_with_backtrace e bt

let pieces loop f =
  within loop (fun () ->
      Par.for_chunks ?grain:loop.grain 0 loop.length (fun l h ->
          ignore (noting loop l (fun () -> f l h) : unit option)))

(* The last index of a piece is [start + h - 1]. The sum is at most [finish], so
   it does not overflow even if [finish] is [max_int]. *)
let parallel_for ?chunk_size ~start ~finish ~body pool =
  let loop = loop ?chunk_size start finish pool in
  pieces loop (fun l h ->
      for i = start + l to start + h - 1 do
        body i
      done)

let parallel_for_reduce ?chunk_size ~start ~finish ~body pool combine init =
  let loop = loop ?chunk_size start finish pool in
  let map l h =
    noting loop l (fun () ->
        let sum = ref (body (start + l)) in
        for i = start + l + 1 to start + h - 1 do
          sum := combine !sum (body i)
        done;
        !sum)
  in
  let combine a b =
    match (a, b) with
    | Some a, Some b -> noting loop loop.length (fun () -> combine a b)
    | None, _ | _, None -> None
  in
  match
    within loop (fun () ->
        Par.map_reduce_chunks ?grain:loop.grain 0 loop.length ~map ~combine
          ~init:(Some init))
  with
  | Some v -> v
  | None -> assert false (* a failure was noted *)

let parallel_find ?chunk_size ~start ~finish ~body pool =
  let loop = loop ?chunk_size start finish pool in
  let found = Atomic.make None in
  let rec search i last =
    if i <= last && Option.is_none (Atomic.get found) then
      match body i with
      | Some _ as some -> Atomic.set found some
      | None -> if i < last then search (i + 1) last
  in
  pieces loop (fun l h -> search (start + l) (start + h - 1));
  Atomic.get found

let scan_from op a out left l h =
  let sum = ref (match left with None -> a.(l) | Some v -> op v a.(l)) in
  out.(l) <- !sum;
  for i = l + 1 to h - 1 do
    sum := op !sum a.(i);
    out.(i) <- !sum
  done;
  Some !sum

let parallel_scan pool op a =
  let n = Array.length a in
  let loop = loop 0 (n - 1) pool in
  let out = Array.copy a in
  let reduce l h =
    let sum = ref a.(l) in
    for i = l + 1 to h - 1 do
      sum := op !sum a.(i)
    done;
    Some !sum
  in
  let combine a b =
    match (a, b) with Some a, Some b -> Some (op a b) | None, v | v, None -> v
  in
  let write = scan_from op a out in
  if n > 0 then
    within loop (fun () ->
        if pool.domains = 0 then ignore (write None 0 n : _ option)
        else
          ignore
            (Par.scan_chunks 0 n ~reduce ~combine ~write ~init:None : _ option));
  out
