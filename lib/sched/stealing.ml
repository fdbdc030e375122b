open Fiber
module Deques = Dromos_deque.Public
module Queue = Dromos_base.Queue

type work = Fiber of Core.fiber | Body of branch

type t = {
  run : Fiber.run;
  deques : work Deques.t;  (** of each vproc *)
  elsewhere : work Queue.t;  (** pushed by others than a deque's vproc *)
  hungry : int Atomic.t;  (** instances that look for work *)
  sleepers : Sleepers.t;
  instances : int Atomic.t;  (** not over *)
  mutable action : Core.action;
  chance : Random.State.t array;
}

let key : t Fls.key = Fls.key ()

(* {1 Deques} *)

(* Uses the deque of the vproc that this thread serves as, in a fiber. The door
   is shut meanwhile: what runs in between, a signal's handler as a rule, finds no
   deque of its own. *)
let at_deque t use ~otherwise =
  match Fiber.find_local () with
  | Some ({ hub_open = true; serving = Some { id; run; _ }; _ } as local)
    when run == t.run ->
      local.hub_open <- false;
      let result = use id in
      local.hub_open <- true;
      result
  | Some _ | None -> otherwise ()

let pop_own t = at_deque t (Deques.pop t.deques) ~otherwise:(fun () -> None)

(* The oldest of some vproc, each asked once. *)
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

(* Nobody is left to take anything. *)
let rec clear t =
  let left =
    match Queue.pop t.elsewhere with
    | Some _ as found -> found
    | None -> steal t ~thief:0
  in
  match left with
  | None -> ()
  | Some work ->
      to_the_root t work;
      clear t

let add t work =
  at_deque t
    (fun me -> Deques.push t.deques me work)
    ~otherwise:(fun () -> Queue.push t.elsewhere work);
  if Atomic.get t.instances = 0 then clear t else Sleepers.wake_one t.sleepers

(* {1 The scheduler} *)

let pop_opt t =
  match pop_own t with
  | Some _ as found -> found
  | None -> Queue.pop t.elsewhere

let has_work t =
  (not (Queue.is_empty t.elsewhere))
  || List.exists (Deques.may_have t.deques)
       (List.init (Deques.workers t.deques) Fun.id)

let sleep t =
  Sleepers.sleep t.sleepers ~reason:"work to steal" ~unless:(fun () ->
      has_work t)

let attempts = 4

(* The run's signal is up meanwhile, so that fibers look whether a body of theirs
   is wanted. *)
let rec forage t left =
  Core.yield ();
  let found =
    match pop_opt t with
    | Some _ as found -> found
    | None -> steal t ~thief:(Vproc.id (Vproc.host ()))
  in
  match found with
  | Some work -> work
  | None when left > 1 -> forage t (left - 1)
  | None ->
      sleep t;
      forage t attempts

let forage t =
  Atomic.incr t.hungry;
  Atomic.incr t.run.run_signal;
  Fun.protect
    (fun () -> forage t attempts)
    ~finally:(fun () ->
      Atomic.decr t.run.run_signal;
      Atomic.decr t.hungry)

let rec dispatch t =
  let work = match pop_opt t with Some work -> work | None -> forage t in
  match work with
  | Fiber k -> Core.run t.action k
  | Body branch ->
      if branch.claim () then Core.run t.action (Pval.fiber_of branch)
      else dispatch t

(* A fiber that yields stands behind all others, for any vproc to take. *)
let act t = function
  | Stop -> dispatch t
  | Preempt k ->
      Queue.push t.elsewhere (Fiber k);
      Sleepers.wake_one t.sleepers;
      Core.yield ();
      dispatch t

(* {1 For users} *)

let make ~instances =
  let me = Fiber.current () in
  if me == Fiber.nobody then Misplaced.no_fiber "Stealing.run";
  let run = me.worker.run in
  let workers = Array.length run.workers in
  let nobody = Core.action ~name:"work stealing" (fun _ -> Core.stop) in
  let dummy =
    Fiber { of_fiber = Fiber.nobody; home = -1; go = Atomic.make Fiber.spent }
  in
  let t =
    {
      run;
      deques = Deques.create ~workers ~dummy;
      elsewhere = Queue.create ();
      hungry = Atomic.make 0;
      sleepers = Sleepers.create ();
      instances = Atomic.make instances;
      action = nobody;
      chance = Array.init workers (fun i -> Random.State.make [| i |]);
    }
  in
  t.action <-
    Core.action ~name:"work stealing" ~ready:(fun k -> add t (Fiber k)) (act t);
  t

let thieves t =
  {
    Pval.offer = (fun _ branch -> add t (Body branch));
    hungry =
      (fun worker ->
        Atomic.get t.hungry > 0 && not (Deques.may_have t.deques worker.id));
    take_back =
      (fun node ->
        match pop_own t with
        | None -> ()
        | Some (Body { own_node; _ }) when own_node == node -> ()
        | Some other -> add t other);
  }

let instance_ends t _ =
  if Atomic.fetch_and_add t.instances (-1) = 1 then clear t

let run ?vprocs f =
  let vprocs = match vprocs with Some l -> l | None -> Vproc.all () in
  let t = make ~instances:(List.length vprocs) in
  let result = ref None in
  let first () = result := Some (f ()) in
  Attached.run ~name:"work stealing" ~vprocs ~ends:(instance_ends t)
    ~give:(fun k -> add t (Fiber k))
    (fun _ -> dispatch t)
    (fun () ->
      let fls = Fls.current () in
      let fls = Fls.add key t (Fls.add Pval.key (thieves t) fls) in
      add t (Fiber (Core.fiber ~name:"Stealing.run" ~fls first)));
  match !result with
  | Some v -> v
  | None ->
      Cancel.check (Fiber.current ());
      invalid_arg "Stealing.run: the function ended by Sched.exit"

let here call =
  match Fls.find key with
  | Some t -> t
  | None -> invalid_arg (call ^ ": no Stealing.run around the caller")

let push k = add (here "Stealing.push") (Fiber k)
let spawn ?name f = add (here "Stealing.spawn") (Fiber (Core.fiber ?name f))

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
