module Hub = Dromos_hub.Hub

type t = {
  mutable task : unit Pool.task;
  mutable work : Pool.context Hub.task; (* runs the vertex; set once *)
  mutable again : bool; (* the task has called [yield] *)
  waits_for : int Atomic.t;
  successors : successors Atomic.t;
}

(* A stack that can be closed ([Over]). No code assigns [first]: the field is
   mutable only to give the blocks an identity for compare_and_set. *)
and successors =
  | Over
  | Empty
  | Vertices of { mutable first : t; rest : successors }

(* The plain fields [task] and [again] have one user at a time: the builder
   of the vertex until the release, then the vertex' task while it runs.
   [waits_for] and the hub hand the fields from one user to the next. *)

let set_task v task = v.task <- task
let yield v = v.again <- true

let rec add_successor a b =
  match Atomic.get a.successors with
  | Over -> false
  | seen ->
      let next = Vertices { first = b; rest = seen } in
      if Atomic.compare_and_set a.successors seen next then true
      else add_successor a b

(* [b] counts [a] before [a] knows [b]. *)
let precede a b =
  Atomic.incr b.waits_for;
  if not (add_successor a b) then Atomic.decr b.waits_for

let one_less v = Atomic.fetch_and_add v.waits_for (-1) = 1
let release ctx v = if one_less v then Pool.push ctx Hub.New v.work

let rec release_all ctx successors =
  match successors with
  | Over -> ()
  | Empty -> ()
  | Vertices vs ->
      release ctx vs.first;
      release_all ctx vs.rest

let run v ctx =
  (* Prevents a second start of the vertex while its task runs. *)
  Atomic.set v.waits_for 1;
  v.task ctx;
  if v.again then begin
    v.again <- false;
    Pool.block ctx v.work;
    if one_less v then Pool.push ctx Hub.Yield v.work
  end
  else
    let successors = Atomic.exchange v.successors Over in
    release_all ctx successors

let create task =
  let waits_for = Atomic.make 1 in
  let successors = Atomic.make Empty in
  let work = Hub.task ignore in
  let v = { task; work; again = false; waits_for; successors } in
  v.work <- Hub.task (fun ctx -> run v ctx);
  v
