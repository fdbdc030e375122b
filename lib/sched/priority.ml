type t = { queue : Shared_queue.t; ageing : int option }

let key = Level.new_key ()
let priority () = Option.value (Level.find key) ~default:0
let set_priority = Level.write key

(* With ageing the rank is the place in the order of arrival, moved forward by
   [ageing] for each level: as time goes on all ranks in the queue age alike, so
   that none needs to be changed. *)
let rank t ~arrival priority =
  match t.ageing with
  (* [-1 - priority], which exists for every priority. *)
  | None -> lnot priority
  | Some ageing -> Saturating.sub arrival (Saturating.mul priority ageing)

let add t k =
  let level = Level.own key k ~default:0 in
  Level.line_up t.queue k ~read:(fun () -> Level.get level) ~rank:(rank t)

let rec action t () =
  Core.action ~name:"priority" ~ready:(add t) (function
    | Stop -> next t
    | Preempt k ->
        add t k;
        Core.atomic_yield ();
        next t)

and next t = Shared_queue.run_next t.queue (action t)

let run ?vprocs ?under ?ageing f =
  (match ageing with
  | Some n when n < 1 -> invalid_arg "Sched.Priority.run: ageing < 1"
  | Some _ | None -> ());
  let t = { queue = Shared_queue.create (); ageing } in
  Shared_queue.attach ~name:"priority" ?vprocs ?under ~give:(add t) t.queue
    (fun () -> next t)
    (fun () -> f t)

let give t ?priority k =
  Shared_queue.check_fiber ~call:"Priority.give" t.queue k;
  Option.iter (Level.give key k) priority;
  add t k

let spawn t ?name ~priority f =
  Shared_queue.check ~call:"Priority.spawn" t.queue;
  give t ~priority (Core.fiber ?name f)

let set_priority_of t k priority =
  let level = Level.of_fiber ~call:"Priority.set_priority_of" key k in
  Level.set level priority;
  Level.settle t.queue k ~read:(fun () -> Level.get level) ~rank:(rank t)
