(* The calls by which a scheduler reports its tasks to the runtime (runtime/tasks/task.c).
   Tests make the calls in orders of their own, as threads of one domain could. The type of
   a task's result is known only to the joining code. *)

type t = int
type 'a code = unit -> 'a

external make : several:bool -> t = "hh_task_make"
external enter : t -> unit = "hh_task_enter"
external fork : t -> 'a code -> t = "hh_task_fork"
external take : t -> bool = "hh_task_take"
external withdraw : t -> t -> bool = "hh_task_withdraw"
external code : t -> 'a code = "hh_task_code"
external finish : t -> 'a -> unit = "hh_task_finish"
external join : t -> t -> 'a = "hh_task_join"
external suspend : t -> 'a -> 'token ref -> unit = "hh_task_suspend"
external resume : t -> 'a = "hh_task_resume"
external has_heap : t -> bool = "hh_task_has_heap"
external cell : t -> 'a option ref = "hh_task_cell"

let none = -1

(* Runs [f] in a task with a heap of its own, if the program has other domains. *)
let run f =
  let t = make ~several:false in
  enter t;
  f t;
  finish t ();
  (join none t : unit)

(* Forks a branch and runs the branch in this domain, with a heap of its own. *)
let fork_here t (f : 'r code) : 'r =
  let branch = fork t f in
  Check.must "no other domain has it" (take branch);
  enter branch;
  finish branch (code branch ());
  enter t;
  join t branch

(* Expired pins end: their objects are private again. *)
let expire t = Check.must "no domain has it" (withdraw t (fork t ignore))
