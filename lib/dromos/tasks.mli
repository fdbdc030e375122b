(** Many tasks that wait, with a bound on the tasks that run at a time: requests
    to servers, calls of {!Dromos.blocking}, conversations.

    {[
      # Dromos.run (fun () ->
            Dromos.Tasks.map ~max:10
              (fun i -> Dromos.sleep 0.001; i * i)
              [ 1; 2; 3; 4 ])
      - : int list = [1; 4; 9; 16]
    ]}

    Each element has a fiber, so all elements can wait at the same time, with
    any number of workers. For elements that only compute, {!Par} is cheaper by
    far: {!Par} makes a fiber only where a worker is idle.

    Elements begin in the order of the list, at most [max] at a time (default:
    all). An element is over when its tasks made by [async] are over too; then
    the next element begins. Results are in the order of the list.

    {b Exceptions}: if an element fails, the running elements are cancelled and
    waited for, no further element begins, and the exception that came first in
    time is raised, as by {!Scope.run}. ({!Par} raises the leftmost exception,
    and lets all elements to its left run to their ends first.) A cancelled
    caller cancels all elements.

    An element costs about as much as an [async] and a [Scope.run]. Raises
    [Invalid_argument] if [max] is not positive, {!Misplaced} outside a run.

    {b Checked}: test/front/racing, on each hub with 1, 2 and 4 workers. *)

val map : ?max:int -> ('a -> 'b) -> 'a list -> 'b list
val iter : ?max:int -> ('a -> unit) -> 'a list -> unit
val filter_map : ?max:int -> ('a -> 'b option) -> 'a list -> 'b list

val all : ?max:int -> (unit -> 'a) list -> 'a list
(** Calls each function in a task; {!Dromos.all} forks the functions, as {!Par}
    does. *)
