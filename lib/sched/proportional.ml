open Dromos_fiber

type share = {
  number : int;
  weight : float Atomic.t;
  ticks : int Atomic.t;
  of_t : t;
}

and client = {
  share : share;
  waiting : Core.fiber Queue.t;
  mutable pass : float;
}
(** The fibers of a share on one vproc. Only the vproc's instance uses the
    record. *)

and instance = {
  vproc : Vproc.t;
  arrivals : (share * Core.fiber) Ready_queue.t;
  clients : (int, client) Hashtbl.t;
  mutable now : float;  (** the pass of the share that ran last *)
}

and t = {
  instances : instance array;
  turn : int Atomic.t;
  shares : int Atomic.t;
}

(* {1 Queues} *)

let client_of instance share =
  match Hashtbl.find_opt instance.clients share.number with
  | Some client -> client
  | None ->
      let client = { share; waiting = Queue.create (); pass = 0. } in
      Hashtbl.add instance.clients share.number client;
      client

(* A share that had no fiber to run starts at [now]: it does not catch up. *)
let arrive instance (share, k) =
  let client = client_of instance share in
  if Queue.is_empty client.waiting then
    client.pass <- Float.max client.pass instance.now;
  Queue.add k client.waiting

let rec drain instance =
  match Ready_queue.take_opt instance.arrivals with
  | None -> ()
  | Some arrival ->
      arrive instance arrival;
      drain instance

let first instance =
  let before a b =
    a.pass < b.pass || (a.pass = b.pass && a.share.number < b.share.number)
  in
  Hashtbl.fold
    (fun _ client best ->
      match best with
      | _ when Queue.is_empty client.waiting -> best
      | Some other when before other client -> best
      | Some _ | None -> Some client)
    instance.clients None

(* {1 The scheduler} *)

(* When [now] is greater, [rebase] subtracts [now] from all passes. Added to a
   still greater pass, the smallest step (1e-6) would be lost in rounding. *)
let most_pass = 1e9

let rebase instance =
  let { now; clients; _ } = instance in
  Hashtbl.iter
    (fun _ client -> client.pass <- Float.max 0. (client.pass -. now))
    clients;
  instance.now <- 0.

let step weight = Float.min 1e6 (Float.max 1e-6 (1. /. weight))

let charge instance client =
  instance.now <- client.pass;
  client.pass <- client.pass +. step (Atomic.get client.share.weight);
  if instance.now > most_pass then rebase instance;
  Atomic.incr client.share.ticks

let rec action instance share =
  let add k = Ready_queue.add instance.arrivals (share, k) in
  Core.action ~name:"proportional" ~ready:add (function
    | Stop -> dispatch instance
    | Preempt k ->
        add k;
        Core.atomic_yield ();
        dispatch instance)

and dispatch instance =
  drain instance;
  match first instance with
  | Some client ->
      charge instance client;
      Core.run (action instance client.share) (Queue.take client.waiting)
  | None ->
      arrive instance
        (Ready_queue.take ~reason:"proportional" instance.arrivals);
      dispatch instance

let close instance =
  Hashtbl.iter
    (fun _ client -> Queue.iter Core.release client.waiting)
    instance.clients;
  Ready_queue.close instance.arrivals (fun (_, k) -> Core.release k)

let find t vproc =
  match
    List.find_opt
      (fun instance -> Vproc.equal instance.vproc vproc)
      (Array.to_list t.instances)
  with
  | Some instance -> instance
  | None ->
      invalid_arg
        (Printf.sprintf "Proportional: vproc %d is not one of the scheduler's"
           (Vproc.id vproc))

let run ?vprocs ?under f =
  let vprocs = match vprocs with Some l -> l | None -> Vproc.all () in
  let instance vproc =
    {
      vproc;
      arrivals = Ready_queue.create ();
      clients = Hashtbl.create 8;
      now = 0.;
    }
  in
  let t =
    {
      instances = Array.of_list (List.map instance vprocs);
      turn = Atomic.make 0;
      shares = Atomic.make 0;
    }
  in
  Attached.run ~name:"proportional" ~vprocs ?under
    ~ends:(fun vproc -> close (find t vproc))
    (fun vproc -> dispatch (find t vproc))
    (fun () -> f t)

(* {1 Shares} *)

let checked weight =
  if not (weight > 0. && weight < infinity) then
    invalid_arg (Printf.sprintf "Proportional: a weight of %g" weight);
  weight

let check_run call t =
  Array.iter (fun { vproc; _ } -> Vproc.check ~call vproc) t.instances

let share t ~weight =
  {
    number = Atomic.fetch_and_add t.shares 1;
    weight = Atomic.make (checked weight);
    ticks = Atomic.make 0;
    of_t = t;
  }

let set_weight share weight = Atomic.set share.weight (checked weight)
let weight share = Atomic.get share.weight
let ticks share = Atomic.get share.ticks

let enter share vproc k =
  Vproc.check_fiber ~call:"Proportional.enter" vproc k;
  Ready_queue.add (find share.of_t vproc).arrivals (share, k)

let in_turn t =
  let turn = Atomic.fetch_and_add t.turn 1 in
  t.instances.(turn mod Array.length t.instances)

let spawn share ?name ?on f =
  let t = share.of_t in
  check_run "Proportional.spawn" t;
  let place = match on with Some vproc -> find t vproc | None -> in_turn t in
  let k = Core.fiber ?name f in
  Core.set_spawner_in k (fun k ->
      Ready_queue.add (in_turn t).arrivals (share, k));
  Ready_queue.add place.arrivals (share, k)
