open Dromos_fiber
(* Adds to the kernel's pool: exceptions, and checks of the caller. *)

module Kernel = Dromos_kernel.Pool
module Kernel_future = Dromos_kernel.Future

exception Closed

let () =
  Printexc.register_printer (function
    | Closed -> Some "Dromos.Pool.Closed"
    | _ -> None)

type failure = exn * Printexc.raw_backtrace

type t = {
  kernel : Kernel.t;
  failure : failure option Atomic.t; (* the first failure of an [async] task *)
  inside : int list Atomic.t; (* threads that run tasks of this pool *)
  closed : bool Atomic.t; (* set when every task is over *)
  minor_heap_words : int option;
  mutable domains : unit Domain.t list;
}

type context = { worker : Kernel.context; pool : t }

let reraise (exn, backtrace) = Printexc.raise_with_backtrace exn backtrace

let catch f =
  match f () with
  | value -> Ok value
  | exception exn -> Error (exn, Printexc.get_raw_backtrace ())

let rec update atomic f =
  let seen = Atomic.get atomic in
  if not (Atomic.compare_and_set atomic seen (f seen)) then update atomic f

let self () = Thread.id (Thread.self ())

let check_outside t what =
  if List.mem (self ()) (Atomic.get t.inside) then
    invalid_arg
      ("Dromos.Pool." ^ what
     ^ ": called from a task of this same pool, where it would wait for \
        itself; use the task's context (async, Future) instead")

let entering t f =
  let me = self () in
  let leave () = update t.inside (List.filter (( <> ) me)) in
  update t.inside (List.cons me);
  Fun.protect ~finally:leave f

let helping t f =
  match t.minor_heap_words with
  | None -> entering t f
  | Some words -> Minor_heap.with_size words (fun () -> entering t f)

(* In place of the kernel's [start]: notes the thread as inside the pool, and turns
   backtraces on, which a new domain does not record even if its maker does. *)
let spawn t worker =
  let record = Printexc.backtrace_status () in
  let words = Minor_heap.or_callers t.minor_heap_words in
  let serve () =
    Printexc.record_backtrace record;
    Minor_heap.with_size words (fun () ->
        Kernel.serve t.kernel ~worker ~until:(fun () -> false))
  in
  t.domains <- Domain.spawn (fun () -> entering t serve) :: t.domains

let join t =
  List.iter Domain.join t.domains;
  t.domains <- []

let create ?(hub = Hub.std) ?minor_heap_words ~workers () =
  if workers < 1 || workers > 128 then
    invalid_arg
      (Printf.sprintf "Dromos.Pool.create: ~workers:%d; it must be in 1 .. 128"
         workers);
  Option.iter (Minor_heap.check ~call:"Dromos.Pool.create") minor_heap_words;
  let kernel =
    Kernel.create ~hub:(Hub.maker hub).make ~idle:(Atomic.make_contended 0)
      ~on_idle:ignore ~workers
  in
  let failure = Atomic.make None and inside = Atomic.make [] in
  let closed = Atomic.make false in
  let t = { kernel; failure; inside; closed; minor_heap_words; domains = [] } in
  (try List.iter (spawn t) (List.init (workers - 1) succ)
   with Failure reason ->
     ignore (Kernel.close kernel);
     let started = List.length t.domains in
     join t;
     failwith
       (Printf.sprintf
          "Dromos.Pool.create: only %d of %d domains could be started (%s)"
          started (workers - 1) reason));
  t

let run t f =
  Dromos_service.Stack_room.ensure 2;
  check_outside t "run";
  let task worker = catch (fun () -> f { worker; pool = t }) in
  match helping t (fun () -> Kernel.run t.kernel task) with
  | Some (Ok value) -> value
  | Some (Error failure) -> reraise failure
  | None -> raise Closed

let record t failure =
  ignore (Atomic.compare_and_set t.failure None (Some failure))

(* A task without a reader of its result: the pool keeps the first failure. *)
let guarded pool f worker =
  match catch (fun () -> f { worker; pool }) with
  | Ok () -> ()
  | Error failure -> record pool failure

(* Refuses a context whose pool has been closed. *)
let check_open { pool; _ } = if Atomic.get pool.closed then raise Closed

let async ctx f =
  Dromos_service.Stack_room.ensure 1;
  check_open ctx;
  Kernel.async ctx.worker (guarded ctx.pool f)

let workers ctx =
  check_open ctx;
  Kernel.size ctx.worker

let close t =
  check_outside t "close";
  if not (entering t (fun () -> Kernel.close t.kernel)) then raise Closed;
  Atomic.set t.closed true;
  join t;
  Option.iter reraise (Atomic.get t.failure)

let with_ ?hub ?minor_heap_words ~workers f =
  let t = create ?hub ?minor_heap_words ~workers () in
  let close () = try close t with Closed -> () in
  match f t with
  | value ->
      close ();
      value
  | exception exn ->
      let backtrace = Printexc.get_raw_backtrace () in
      (* [f]'s exception came first, so a failure of [close] is dropped. *)
      (try close () with _ -> ());
      reraise (exn, backtrace)

module Future = struct
  type 'a t = ('a, failure) result Kernel_future.t

  let return value = Kernel_future.return (Ok value)

  let async ({ worker; pool } as ctx) f =
    check_open ctx;
    Kernel_future.async worker (fun worker ->
        catch (fun () -> f { worker; pool }))

  let wait ctx t =
    check_open ctx;
    match Kernel_future.wait ctx.worker t with
    | Ok value -> value
    | Error failure -> reraise failure

  let map ({ worker; pool } as ctx) t f =
    check_open ctx;
    Kernel_future.map worker t (fun worker result ->
        match result with
        | Ok value -> catch (fun () -> f { worker; pool } value)
        | Error failure -> Error failure)

  let iter ({ worker; pool } as ctx) t f =
    check_open ctx;
    Kernel_future.iter worker t (fun worker result ->
        match result with
        | Ok value -> guarded pool (fun ctx -> f ctx value) worker
        | Error _ -> ())
end
