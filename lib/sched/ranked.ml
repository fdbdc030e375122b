type t = {
  name : string;
  queue : Shared_queue.t;
  key : Level.key;
  default : int;
  read : Core.fiber -> int -> int;
  rank : arrival:int -> int -> int;
  arrives : Core.fiber -> unit;
}

let create ~name ~key ~default ?(read = fun _ own -> own) ?(arrives = ignore)
    ~rank queue =
  { name; queue; key; default; read; rank; arrives }

(* {1 The queue} *)

let number t k level = t.read k (Level.get level)

let rec settle t k level =
  let v = number t k level in
  let rank = t.rank ~arrival:(Shared_queue.arrival k) v in
  ignore (Shared_queue.set_rank t.queue k ~rank : bool);
  if number t k level <> v then settle t k level

let line_up t k level =
  let v = number t k level in
  let rank = t.rank ~arrival:(Shared_queue.arrivals t.queue) v in
  Shared_queue.add t.queue k ~rank;
  if number t k level <> v then settle t k level

let add t k =
  let level = Level.own t.key k ~under:t.queue ~default:t.default in
  t.arrives k;
  line_up t k level

(* {1 The scheduler} *)

let rec action t () =
  Core.action ~name:t.name ~ready:(add t) (function
    | Stop -> next t
    | Preempt k ->
        add t k;
        Core.atomic_yield ();
        next t)

and next t = Shared_queue.run_next t.queue (action t)

let run t ?vprocs ?under f =
  Shared_queue.attach ~name:t.name ?vprocs ?under ~give:(add t) t.queue
    (fun () -> next t)
    f

let give t ~call ?number k =
  Shared_queue.check_fiber ~call t.queue k;
  Option.iter (Level.give t.key k) number;
  add t k

let spawn t ~call ?name ?number f =
  Shared_queue.check ~call t.queue;
  give t ~call ?number (Core.fiber ?name f)
