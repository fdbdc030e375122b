open Dromos_fiber
open Dromos_sync.Author

(*   Fresh --stolen--> Stolen --touch1, cancel1--> Touched
     Fresh --touch1, cancel1--> Touched *)
type state =
  | Fresh  (** not begun *)
  | Stolen of Scope.t  (** an instance evaluates the future in the scope *)
  | Touched  (** touched or cancelled: the future is not needed any more *)

type error = exn * Printexc.raw_backtrace

type 'a future1 = {
  thunk : unit -> 'a;
  state : state Atomic.t;
  outcome : ('a, error) result Once.t;  (** set if the future was stolen *)
  maker : Types.node option;  (** [None]: the maker was shielded *)
  fls : Fls.storage;
  gang : gang;
}

and gang = {
  queue : ready Gang_queue.t;
  vprocs : int;
  failures : failure list Atomic.t;  (** newest first *)
}
(** A call of {!run}. *)

and ready = Begun of Core.fiber | Future : 'a future1 -> ready
and failure = { unread : unit -> bool; error : error }

let is_fresh f = Atomic.get f.state == Fresh
let gone = function Begun _ -> false | Future f -> not (is_fresh f)

let suits ready vproc =
  match ready with
  | Future _ -> true
  | Begun k -> (
      match Core.only_on k with None -> true | Some id -> id = Vproc.id vproc)

let add gang k = Gang_queue.add gang.queue (Begun k)

(* {1 Stealing} *)

let rec keep gang failure =
  let seen = Atomic.get gang.failures in
  let still = List.filter (fun failure -> failure.unread ()) seen in
  if not (Atomic.compare_and_set gang.failures seen (failure :: still)) then
    keep gang failure

let unread f () = match Atomic.get f.state with Touched -> false | _ -> true

(* Evaluates a future. The maker's cancellation cancels [scope], although the
   future is not in the maker's scope. *)
let cancelled_with maker scope evaluate =
  match maker with
  | None -> evaluate ()
  | Some node ->
      let place = Once.listen node (fun _ -> Scope.cancel scope) in
      if place == Once.nobody then Scope.cancel scope;
      Fun.protect evaluate ~finally:(fun () -> Once.leave place)

let over f outcome = ignore (Once.close f.outcome outcome : bool)

let future1_steal_and_eval f =
  let fiber = Fiber.current () in
  let scope = Scope.inner fiber.scope in
  if Atomic.compare_and_set f.state Fresh (Stolen scope) then
    let evaluate () = Scope.body fiber scope (fun _ -> f.thunk ()) in
    match cancelled_with f.maker scope evaluate with
    | v -> over f (Ok v)
    | exception e ->
        let error = (e, Printexc.get_raw_backtrace ()) in
        if not (e == Cancel.Cancelled && Scope.is_cancelled scope) then
          keep f.gang { unread = unread f; error };
        over f (Error error)

(* {1 The scheduler} *)

let rec action gang =
  Core.action ~name:"gang" ~ready:(add gang) (function
    | Stop -> dispatch gang
    | Preempt k ->
        add gang k;
        Core.atomic_yield ();
        dispatch gang)

and dispatch gang =
  match Gang_queue.take ~reason:"gang" gang.queue with
  | Begun k -> Core.run (action gang) k
  | Future f ->
      let steal () = future1_steal_and_eval f in
      Core.run (action gang) (Core.fiber ~name:"future1" ~fls:f.fls steal)
  | exception Cancel.Cancelled -> Core.stop

(* {1 Gangs} *)

let key : gang Fls.key = Fls.new_key ()
let size () = match Fls.find_opt key with Some gang -> gang.vprocs | None -> 0

let rec provide group = function
  | 0 -> []
  | n -> (
      match Vproc.provision group with
      | Some vproc -> vproc :: provide group (n - 1)
      | None -> [])

(* When the last instance has gone, fibers may be left in the queue of a run that is
   being cancelled: they end at the root. *)
let leave gang left =
  if Atomic.fetch_and_add left (-1) = 1 then
    Gang_queue.close gang.queue (function
      | Begun k -> Core.release k
      | Future _ -> ())

let raise_unread gang =
  let unread = List.filter (fun f -> f.unread ()) (Atomic.get gang.failures) in
  match List.rev unread with
  | { error = e, bt; _ } :: _ -> Printexc.raise_with_backtrace e bt
  | [] -> ()

let run ?vprocs ?under f =
  Dromos_service.Stack_room.ensure 4;
  let wanted = Option.value vprocs ~default:(Vproc.count ()) in
  if wanted < 1 then
    invalid_arg (Printf.sprintf "Gang.run: a gang of %d vprocs" wanted);
  let group = Vproc.group () in
  let vprocs = provide group wanted in
  let n = List.length vprocs in
  let gang =
    {
      queue = Gang_queue.create ~gone ~suits ();
      vprocs = n;
      failures = Atomic.make [];
    }
  in
  let left = Atomic.make n in
  Fun.protect ~finally:(fun () -> List.iter (Vproc.release group) vprocs)
  @@ fun () ->
  let v =
    Attached.run ~name:"gang" ~vprocs ?under
      ~ends:(fun _ -> leave gang left)
      (fun _ -> dispatch gang)
      (fun () -> Fls.let_ key gang f)
  in
  raise_unread gang;
  v

(* {1 Futures} *)

let future1 thunk =
  match Fls.find_opt key with
  | None -> invalid_arg "Gang.future1: called outside Gang.run"
  | Some gang ->
      let { Types.node; shield; fls; _ } = Fiber.current () in
      let f =
        {
          thunk;
          state = Atomic.make Fresh;
          outcome = Once.create ();
          maker = (if shield > 0 then None else Some node);
          fls;
          gang;
        }
      in
      Gang_queue.add gang.queue (Future f);
      f

let end_of ~reason f = Event.once_source ~reason f.outcome Result.ok
let stopped f = ignore (Waiter.wait ~shielded:true (end_of ~reason:"future1" f))

let await f scope =
  match Waiter.wait (end_of ~reason:"touch1" f) with
  | outcome -> Waiter.deliver outcome
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Scope.cancel scope;
      stopped f;
      Printexc.raise_with_backtrace e bt

let touch1 f =
  match Atomic.exchange f.state Touched with
  | Fresh -> f.thunk ()
  | Stolen scope -> await f scope
  | Touched ->
      invalid_arg
        "Gang.touch1: the future has been touched or cancelled already; keep \
         its value, a one-touch future gives it once"

let cancel1 f =
  match Atomic.exchange f.state Touched with
  | Fresh | Touched -> ()
  | Stolen scope ->
      Scope.cancel scope;
      stopped f

let both f g =
  let right = future1 g in
  match f () with
  | a -> (a, touch1 right)
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      cancel1 right;
      Printexc.raise_with_backtrace e bt
