type t = int
type ('code, 'result) record = int

external is_here : unit -> bool = "dromos_task_heap_is_here" [@@noalloc]
external make : several:bool -> ('c, 'r) record = "dromos_task_heap_make"
external enter : t -> unit = "dromos_task_heap_enter"
external share : 'a -> unit = "dromos_task_heap_share" [@@noalloc]
external fork : t -> 'c -> ('c, 'r) record = "dromos_task_heap_fork"
external withdraw : t -> ('c, 'r) record -> bool = "dromos_task_heap_withdraw"
external take : ('c, 'r) record -> bool = "dromos_task_heap_take" [@@noalloc]
external code : ('c, 'r) record -> 'c = "dromos_task_heap_code" [@@noalloc]
external finish : ('c, 'r) record -> 'r -> unit = "dromos_task_heap_finish"
external join : t -> ('c, 'r) record -> 'r = "dromos_task_heap_join"
external may_fork : t -> bool = "dromos_task_heap_may_fork" [@@noalloc]
external has_heap : t -> bool = "dromos_task_heap_has_heap" [@@noalloc]

(* The choice between the two runtimes. On stock OCaml no record and no heap is
   ever made, so the functions on them need no test of their own. *)
let keeps_frames = is_here ()
let none = -1
let no_record = -1
let[@inline] enter t = if keeps_frames then enter t
let make ~several = if keeps_frames then make ~several else no_record
let[@inline] has_heap t = t <> none && has_heap t
let[@inline] may_fork t = t = none || may_fork t
let task record = record

(* The block itself lets the runtime find out whether the fiber can still be
   resumed. *)
type ('a, 'b) kept =
  | In_hand of ('a, 'b) Effect.Deep.continuation
  | In_heap of { task : t }

external keep : t -> ('a, 'b) Effect.Deep.continuation -> ('a, 'b) kept -> unit
  = "dromos_task_heap_suspend"

external resume_kept : t -> ('a, 'b) Effect.Deep.continuation
  = "dromos_task_heap_resume"

(* [suspend] does not use [k] after [keep]: values that are live here are
   published to the domain. *)
let suspend t k =
  if has_heap t then begin
    let kept = In_heap { task = t } in
    keep t k kept;
    kept
  end
  else In_hand k

let resume = function In_hand k -> k | In_heap { task } -> resume_kept task
