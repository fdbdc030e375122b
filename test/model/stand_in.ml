open Traced

type 'a resumer = ('a, exn * Printexc.raw_backtrace) result -> bool

(* {1 Errors} *)

let errors = ref []
let wrong text = errors := text :: !errors
let start () = errors := []

let checked check () =
  List.iter failwith !errors;
  check ()

(* {1 Suspending} *)

type slot = (unit -> bool) option Atomic.t
type phase = Blocking | Waiting | Resumed

let slot () : slot = Atomic.make None

let cancel slot =
  match Atomic.get slot with Some cancel -> cancel () | None -> false

let winner slot =
  match slot with
  | Some _ ->
      let open_ = Atomic.make true in
      fun () -> Atomic.compare_and_set open_ true false
  | None ->
      let resumed = ref false in
      fun () ->
        let first = not !resumed in
        resumed := true;
        if not first then wrong "resumed twice";
        first

let at_once continue = continue ()

let suspend ?slot ~cancelled ~sleeps ~wakes ?(runs = at_once) block k =
  let phase = Atomic.make Blocking and outcome = ref None in
  let continue () =
    match !outcome with
    | Some (Ok v) -> Effect.Deep.continue k v
    | Some (Error (e, bt)) -> Effect.Deep.discontinue_with_backtrace k e bt
    | None -> failwith "woken without a result"
  in
  let won = winner slot in
  let resume r =
    won ()
    && begin
         outcome := Some r;
         if Atomic.exchange phase Resumed = Waiting then begin
           wakes ();
           runs continue
         end;
         true
       end
  in
  let cancel () = resume (Error (cancelled, Printexc.get_callstack 0)) in
  Option.iter (fun slot -> Atomic.set slot (Some cancel)) slot;
  match block resume with
  | Some v -> Effect.Deep.continue k v
  | None ->
      sleeps ();
      if Atomic.exchange phase Waiting = Resumed then begin
        wakes ();
        continue ()
      end

(* {1 Threads} *)

type _ Effect.t += Later : (unit -> unit) -> unit Effect.t

let thread f () =
  let later = Queue.create () in
  let run f =
    Effect.Deep.match_with f ()
      {
        retc = Fun.id;
        exnc = raise;
        effc =
          (fun (type a) (e : a Effect.t) ->
            match e with
            | Later f ->
                Some
                  (fun (k : (a, unit) Effect.Deep.continuation) ->
                    Queue.add f later;
                    Effect.Deep.continue k ())
            | _ -> None);
      }
  in
  run f;
  while not (Queue.is_empty later) do
    run (Queue.pop later)
  done
