(* What a scheduler tells of its tasks: runtime/task.c. By who does so in an order of its
   own, as threads of one domain would. What a task returns is known to who joins it. *)

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

(* With a heap of its own, if there are other domains. *)
let run f =
  let t = make ~several:false in
  enter t;
  f t;
  finish t ();
  (join none t : unit)

(* A branch that this domain begins, after the fork: it has a heap of its own. *)
let fork_here t (f : 'r code) : 'r =
  let branch = fork t f in
  Check.must "nobody else has it" (take branch);
  enter branch;
  finish branch (code branch ());
  enter t;
  join t branch

(* What has expired is private again. *)
let expire t = Check.must "nobody has it" (withdraw t (fork t ignore))
