(* After a collection of all heaps, the collector publishes again the objects that tasks
   share, starting with the deepest forks. An object published with a continuation is
   pinned for good, earlier than its turn, and may lead to an object of a further task
   that is not published yet. *)

open Effect.Deep

type node = { text : string }
type _ Effect.t += Wait : unit Effect.t
type root = { k : (unit, unit) continuation; node : node ref }

let text = String.concat " " (List.init 2000 string_of_int)
let new_node () = { text = String.concat " " (List.init 2000 string_of_int) }
let tokens = Array.init 2 ref

let[@inline never] suspended () =
  let kept = ref None in
  let effc : type a. a Effect.t -> ((a, unit) continuation -> unit) option =
    function
    | Wait -> Some (fun (k : (unit, unit) continuation) -> kept := Some k)
    | _ -> None
  in
  try_with (fun () -> Effect.perform Wait) () { effc };
  Option.get !kept

(* Forks two branches: the first gets the node, the second a root that leads to the node
   and holds a continuation. *)
let[@inline never] begins a =
  let node = new_node () in
  let root = { k = suspended (); node = ref node } in
  let first = Task.fork a (fun () -> node) in
  let second = Task.fork a (fun () -> root) in
  Task.suspend a root tokens.(0);
  (first, second)

let[@inline never] second_begins t =
  Check.must "taken" (Task.take t);
  Task.enter t;
  Task.suspend t (Task.code t ()) tokens.(1)

let[@inline never] first t =
  Check.must "taken" (Task.take t);
  Task.enter t;
  let node : node = Task.code t () in
  Gc.full_major ();
  Check.must "the first's" (node.text = text);
  Task.finish t ()

let[@inline never] second_ends t =
  let root : root = Task.resume t in
  Check.must "the second's" (!(root.node).text = text);
  Task.finish t ()

let[@inline never] goes_on a first second =
  let root : root = Task.resume a in
  (Task.join a second : unit);
  (Task.join a first : unit);
  Check.repeat 20 (fun () -> Check.garbage 50_000);
  let kept = List.init 300_000 string_of_int in
  Check.must "an object known to all domains" (!(root.node).text = text);
  Check.must "a kept object" (List.nth kept 299_999 = "299999");
  continue root.k ()

let in_tasks () =
  let a = Task.make ~several:false in
  Task.enter a;
  let t, u = begins a in
  second_begins u;
  first t;
  second_ends u;
  goes_on a t u;
  Task.finish a ();
  (Task.join Task.none a : unit)

let () =
  let stop = Atomic.make 0 in
  let other = Domain.spawn (fun () -> Check.await stop 1) in
  Check.case "objects of two tasks, and a continuation" in_tasks;
  Atomic.set stop 1;
  Domain.join other
