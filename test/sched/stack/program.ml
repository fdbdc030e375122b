(* Programs for one vproc: fibers, and schedulers that run fibers, several deep.
   A queue has the number of its scheduler, in the order of making; a number in
   a program is taken modulo the number of queues. *)

type op =
  | Yield
  | Spawn of int * op list  (** a fiber, into the given queue *)
  | Start of int * policy * op list list
      (** a scheduler, into the given queue, with fibers in its own queue *)
  | Wait of int  (** until the given cell is set *)
  | Tell of int  (** sets the given cell *)
  | Give of int  (** capture: the caller into the given queue, then stop *)
  | Pass  (** capture: forwards the caller as if it had yielded *)
  | Under of policy
      (** capture: continues under an action of a new scheduler *)
  | Store of int  (** in fiber-local storage *)
  | Exit

(** The steps of an action before its decision. *)
and step = Pause | Await of int | Say of int

(** The choice after [Preempt k]. After [Stop], and at the start, the next fiber
    of the queue runs; if the queue is empty, the scheduler is over. *)
and choice =
  | Requeue  (** [k] last of the own queue, then the next *)
  | Again  (** [k] *)
  | Up  (** forwards [k]: the scheduler is over *)
  | Hand of int  (** [k] into the given queue, then the next of the own queue *)

and policy = {
  takes_back : bool;  (** has a [ready] *)
  calls : (step list * choice) list;
      (** the choices for the signals in order, from the first again after the
          last *)
}

(* The scheduler under all others, number 0, is never over while a fiber waits.
   If its queue is empty, the next cell is set; when all cells are set, the
   scheduler takes the rest of the other queues. *)
type t = { bottom : choice list; first : op list list }

let cells = 4

(* {1 Showing} *)

let list show l = "[" ^ String.concat "; " (List.map show l) ^ "]"

let show_step = function
  | Pause -> "Pause"
  | Await c -> Printf.sprintf "Await %d" c
  | Say c -> Printf.sprintf "Say %d" c

let show_choice = function
  | Requeue -> "Requeue"
  | Again -> "Again"
  | Up -> "Up"
  | Hand q -> Printf.sprintf "Hand %d" q

let show_policy { takes_back; calls } =
  let call (steps, choice) =
    Printf.sprintf "(%s, %s)" (list show_step steps) (show_choice choice)
  in
  Printf.sprintf "{ takes_back = %b; calls = %s }" takes_back (list call calls)

let rec show_op = function
  | Yield -> "Yield"
  | Spawn (q, ops) -> Printf.sprintf "Spawn (%d, %s)" q (list show_op ops)
  | Start (q, policy, fibers) ->
      Printf.sprintf "Start (%d, %s, %s)" q (show_policy policy)
        (list (list show_op) fibers)
  | Wait c -> Printf.sprintf "Wait %d" c
  | Tell c -> Printf.sprintf "Tell %d" c
  | Give q -> Printf.sprintf "Give %d" q
  | Pass -> "Pass"
  | Under policy -> Printf.sprintf "Under %s" (show_policy policy)
  | Store n -> Printf.sprintf "Store %d" n
  | Exit -> "Exit"

let show { bottom; first } =
  Printf.sprintf "{ bottom = %s;\n  first = %s }" (list show_choice bottom)
    (list (list show_op) first)

(* {1 Random programs} *)

open QCheck2.Gen

let number = int_bound 5
let cell = int_bound (cells - 1)

let step =
  oneof [ pure Pause; map (fun c -> Await c) cell; map (fun c -> Say c) cell ]

let choice =
  frequency
    [
      (4, pure Requeue);
      (2, pure Again);
      (1, pure Up);
      (2, map (fun q -> Hand q) number);
    ]

let policy =
  let call = pair (list_size (int_bound 2) step) choice in
  map2
    (fun takes_back calls -> { takes_back; calls })
    bool
    (list_size (int_range 1 3) call)

let rec ops depth = list_size (int_bound 5) (op depth)

and op depth =
  let flat =
    [
      (6, pure Yield);
      (2, map (fun c -> Wait c) cell);
      (2, map (fun c -> Tell c) cell);
      (2, map (fun q -> Give q) number);
      (1, pure Pass);
      (1, map (fun p -> Under p) policy);
      (1, map (fun n -> Store n) number);
      (1, pure Exit);
    ]
  in
  if depth = 0 then frequency flat
  else
    let inner = delay (fun () -> ops (depth - 1)) in
    let spawn = map2 (fun q ops -> Spawn (q, ops)) number inner in
    let start =
      map3
        (fun q policy fibers -> Start (q, policy, fibers))
        number policy
        (list_size (int_bound 3) inner)
    in
    frequency ((3, spawn) :: (4, start) :: flat)

let any =
  let bottom =
    frequency
      [ (3, pure Requeue); (1, pure Again); (1, map (fun q -> Hand q) number) ]
  in
  map2
    (fun bottom first -> { bottom; first })
    (list_size (int_range 1 3) bottom)
    (list_size (int_range 1 4) (ops 3))
