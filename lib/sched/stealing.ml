open Dromos_fiber
open Types
module Deques = Dromos_deque.Public
module Queue = Dromos_base.Queue

type work = Fiber of Core.fiber | Body of branch

type t = {
  run : Types.run;
  deques : work Deques.t;  (** a deque for each vproc *)
  elsewhere : work Queue.t;
      (** pushed by threads without a deque here, and fibers that have yielded
      *)
  tied : work Queue.t array;
      (** for each vproc, the work that no other vproc may take *)
  present : int Atomic.t array;
      (** for each vproc, its instances, there or about to begin *)
  hungry : int Atomic.t;  (** instances that look for work *)
  sleepers : Sleepers.t;
  instances : int Atomic.t;  (** instances that are not over *)
  chance : Random.State.t array;  (** for each vproc, to choose victims *)
}

(* An instance. The instance stays on the vproc on which it began. *)
type instance = {
  of_all : t;
  at : Vproc.t;
  here : int;
  mutable tied_first : bool;  (** look into the tied queue first, next time *)
  mutable took_tied : bool;  (** the last work found was tied work *)
  mutable action : Core.action;
}

let key : t Fls.key = Fls.new_key ()

(* {1 Deques} *)

(* In a fiber, uses the deque of the vproc that this thread serves. The hub's door is
   closed meanwhile: code that interrupts [use], usually a signal handler, then
   calls [otherwise]. *)
let at_deque t use ~otherwise =
  match Local.find () with
  | Some ({ serving = Some { id; run; _ }; _ } as local)
    when run == t.run && Hub_door.enter local ->
      let result = use id in
      Hub_door.leave local;
      result
  | Some _ | None -> otherwise ()

let wake_one t = Sleepers.wake_one t.sleepers
let pop_own t = at_deque t (Deques.pop t.deques) ~otherwise:(fun () -> None)

(* Asks each vproc once, beginning with a random vproc, for its oldest work. *)
let steal t ~thief =
  let n = Deques.workers t.deques in
  let rec ask victim left =
    if left = 0 then None
    else
      match Deques.steal t.deques ~thief ~victim:(victim mod n) with
      | Some _ as found -> found
      | None -> ask (victim + 1) (left - 1)
  in
  ask (Random.State.int t.chance.(thief) n) n

let to_the_root t = function
  | Fiber k -> Core.release k
  | Body branch -> Pval.to_the_root t.run branch

let rec empty pop use =
  match pop () with
  | None -> ()
  | Some work ->
      use work;
      empty pop use

(* Sends all work to the root, when no instance is left. *)
let clear t =
  let release = to_the_root t in
  empty (fun () -> Queue.pop t.elsewhere) release;
  Array.iter (fun tied -> empty (fun () -> Queue.pop tied) release) t.tied;
  empty (fun () -> steal t ~thief:0) release

let added t = if Atomic.get t.instances = 0 then clear t else wake_one t

(* Frees the tied work of a vproc without instances. An instance that ends writes
   [present] and then reads the queue; a thread that ties work fills the queue and
   then reads [present]. At least one of the two therefore frees the work. *)
let untie t place =
  if Atomic.get t.present.(place) = 0 then
    empty
      (fun () -> Queue.pop t.tied.(place))
      (fun work ->
        Queue.push t.elsewhere work;
        added t)

let tie t place k =
  Queue.push t.tied.(place) (Fiber k);
  untie t place;
  Sleepers.wake_able t.sleepers ~able:(fun vproc -> Vproc.id vproc = place)

(* The vproc to which a fiber must be tied, or -1. A fiber bound to a vproc without
   instances counts as free. *)
let tied_to t k =
  match Core.only_on k with
  | Some place when Atomic.get t.present.(place) > 0 -> place
  | Some _ | None -> -1

let add_free t work =
  at_deque t
    (fun me -> Deques.push t.deques me work)
    ~otherwise:(fun () -> Queue.push t.elsewhere work);
  added t

let add t k =
  match tied_to t k with -1 -> add_free t (Fiber k) | place -> tie t place k

(* Adds a fiber that has yielded, behind all others. *)
let add_last t k =
  match tied_to t k with
  | -1 ->
      Queue.push t.elsewhere (Fiber k);
      wake_one t
  | place -> tie t place k

(* {1 The scheduler} *)

(* Takes from the two queues in turn: a fiber that goes back to the same queue again
   and again does not keep the fibers of the other queue waiting. *)
let pop_queues me =
  let { of_all = t; here; tied_first; _ } = me in
  let tied = t.tied.(here) in
  let first, second =
    if tied_first then (tied, t.elsewhere) else (t.elsewhere, tied)
  in
  me.tied_first <- not tied_first;
  let from queue =
    let found = Queue.pop queue in
    me.took_tied <- queue == tied && Option.is_some found;
    found
  in
  match from first with Some _ as found -> found | None -> from second

let pop_opt me =
  match pop_own me.of_all with
  | Some _ as found -> found
  | None -> pop_queues me

let has_free_work t =
  (not (Queue.is_empty t.elsewhere))
  || List.exists (Deques.may_have t.deques)
       (List.init (Deques.workers t.deques) Fun.id)

let sleep { of_all = t; at; here; _ } =
  Sleepers.sleep ~at t.sleepers ~reason:"work to steal" ~unless:(fun () ->
      (not (Queue.is_empty t.tied.(here))) || has_free_work t)

(* An instance that slept may have been woken for free work, and have found tied work
   instead: wakes another instance for the free work. *)
let pass_on { of_all = t; took_tied; _ } =
  if took_tied && has_free_work t then wake_one t

let attempts = 4

(* Looks for work, and sleeps after [attempts] failures. The run's signal is up
   meanwhile, so that fibers poll whether a thief wants a body. *)
let rec forage me ~slept left =
  Core.yield ();
  me.took_tied <- false;
  let found =
    match pop_opt me with
    | Some _ as found -> found
    | None -> steal me.of_all ~thief:(Vproc.id (Vproc.host ()))
  in
  match found with
  | Some work ->
      if slept then pass_on me;
      work
  | None when left > 1 -> forage me ~slept (left - 1)
  | None ->
      sleep me;
      forage me ~slept:true attempts

let forage ({ of_all = t; _ } as me) =
  Atomic.incr t.hungry;
  Atomic.incr t.run.run_signal;
  Fun.protect
    (fun () -> forage me ~slept:false attempts)
    ~finally:(fun () ->
      Atomic.decr t.run.run_signal;
      Atomic.decr t.hungry)

let rec dispatch me =
  let work = match pop_opt me with Some work -> work | None -> forage me in
  match work with
  | Fiber k -> Core.run me.action k
  | Body branch ->
      if branch.claim () then Core.run me.action (Pval.fiber_of branch)
      else dispatch me

(* A fiber that yields goes behind all others, and any vproc may take the fiber. *)
let act me = function
  | Stop -> dispatch me
  | Preempt k ->
      add_last me.of_all k;
      Core.yield ();
      dispatch me

let nobody = Core.action ~name:"work stealing" (fun _ -> Core.stop)

(* Begins an instance, on another vproc than planned if the scheduler below has moved
   the instance: then corrects [present] and [places]. *)
let begin_at t ~places vproc =
  let at = Vproc.host () in
  let here = Vproc.id at and there = Vproc.id vproc in
  if here <> there then begin
    places.(there) <- here;
    Atomic.incr t.present.(here);
    Atomic.decr t.present.(there);
    untie t there
  end;
  let me =
    {
      of_all = t;
      at;
      here;
      tied_first = true;
      took_tied = false;
      action = nobody;
    }
  in
  me.action <- Core.action ~name:"work stealing" ~ready:(add t) (act me);
  dispatch me

let end_at t ~places vproc =
  let place = places.(Vproc.id vproc) in
  Atomic.decr t.present.(place);
  untie t place;
  if Atomic.fetch_and_add t.instances (-1) = 1 then clear t

(* {1 For users} *)

let make vprocs =
  let me = Fiber.current () in
  if me == Fiber.nobody then Misplaced.no_fiber "Stealing.run";
  let run = me.worker.run in
  let workers = Array.length run.workers in
  let dummy =
    Fiber
      { of_fiber = Fiber.nobody; home = -1; go = Atomic.make Handle.resumed }
  in
  let present = Array.init workers (fun _ -> Atomic.make 0) in
  List.iter (fun vproc -> Atomic.incr present.(Vproc.id vproc)) vprocs;
  {
    run;
    deques = Deques.create ~workers ~dummy;
    elsewhere = Queue.create ();
    tied = Array.init workers (fun _ -> Queue.create ());
    present;
    hungry = Atomic.make 0;
    sleepers = Sleepers.create ();
    instances = Atomic.make (List.length vprocs);
    chance = Array.init workers (fun i -> Random.State.make [| i |]);
  }

(* A fiber of another run may have this scheduler in its storage:
   [Dromos.blocking] passes storage on to a function, and the function may start
   a run. A body of such a fiber goes to the root of the fiber's own run. *)
let thieves t =
  {
    Pval.offer =
      (fun { run; _ } branch ->
        if run == t.run then add_free t (Body branch)
        else Pval.to_the_root run branch);
    hungry =
      (fun { run; id; _ } ->
        run == t.run
        && Atomic.get t.hungry > 0
        && not (Deques.may_have t.deques id));
    take_back =
      (fun node ->
        match pop_own t with
        | None -> ()
        | Some (Body { own_node; _ }) when own_node == node -> ()
        | Some other -> add_free t other);
  }

let run ?vprocs ?under f =
  Storage.owned_forks := true;
  let vprocs = match vprocs with Some l -> l | None -> Vproc.all () in
  let t = make vprocs in
  let places = Array.init (Array.length t.present) Fun.id in
  let result = ref None in
  let first () = result := Some (f ()) in
  Attached.run ~name:"work stealing" ~vprocs ?under ~ends:(end_at t ~places)
    ~give:(add t) (begin_at t ~places) (fun () ->
      let fls = Fls.current () in
      let fls = Fls.add key t (Fls.add Pval.key (thieves t) fls) in
      add t (Core.fiber ~name:"Stealing.run" ~fls first));
  match !result with
  | Some v -> v
  | None ->
      Cancel.check (Fiber.current ());
      invalid_arg "Stealing.run: the function ended by Sched.exit"

let is_around (me : Fiber.t) t = me == Fiber.nobody || me.worker.run == t.run

let here call =
  match Fls.find_opt key with
  | Some t when is_around (Fiber.current ()) t -> t
  | Some _ | None -> invalid_arg (call ^ ": no Stealing.run around the caller")

let push k = add (here "Stealing.push") k

let spawn ?name f =
  let t = here "Stealing.spawn" in
  add t (Core.fiber ?name f)

let give vproc k =
  let t = here "Stealing.give" and place = Vproc.id vproc in
  Vproc.check_fiber ~call:"Stealing.give" vproc k;
  if Atomic.get t.present.(place) > 0 then tie t place k else add t k

let rec pop () =
  match pop_own (here "Stealing.pop") with
  | None -> None
  | Some (Fiber k) -> Some k
  | Some (Body branch) ->
      if branch.claim () then Some (Pval.fiber_of branch) else pop ()

module Ctx = struct
  type t = Fiber.t

  let get () =
    let fiber = Fiber.current () in
    if fiber == Fiber.nobody then Misplaced.no_fiber "Stealing.Ctx.get"
    else fiber

  let[@inline] pval fiber e1 body = Pval.bind fiber e1 body
end

let[@inline never] in_sequence e body =
  let v = e () in
  body (fun () -> v)

let[@inline] pval e body =
  let fiber = Fiber.current () in
  if fiber == Fiber.nobody then in_sequence e body
  else Pval.bind_plain fiber e body
