(** Many tasks that wait, at most so many at a time: requests to servers, calls
    of {!Dromos.blocking}, conversations.

    {[
      # Dromos.run (fun () ->
            Dromos.Tasks.map ~max:10
              (fun i -> Dromos.sleep 0.001; i * i)
              [ 1; 2; 3; 4 ])
      - : int list = [1; 4; 9; 16]
    ]}

    Each element has a fiber, so that all of them wait at the same time,
    whatever the number of workers. For elements that only compute {!Par} is
    cheaper by far: it makes a fiber only where a worker is idle, and then its
    bodies begin when one is.

    Elements begin in the order of the list, at most [max] at a time (default:
    all), the next one when one is over, together with the tasks that it made by
    [async]. Results are in the order of the list.

    {b Exceptions}: if an element fails, the others are cancelled and waited
    for, no further one begins, and the exception that came first in time is
    raised, as by {!Scope.run}. {!Par} raises the leftmost one, for which those
    to its left must run to their ends first. A cancelled caller cancels all.

    Each costs about as much as an [async] and a [Scope.run]. Raises
    [Invalid_argument] if [max] is not positive, {!Misplaced} outside a run.

    {b Checked}: test/front/racing, on each hub with 1, 2 and 4 workers. *)

val map : ?max:int -> ('a -> 'b) -> 'a list -> 'b list
val iter : ?max:int -> ('a -> unit) -> 'a list -> unit
val filter_map : ?max:int -> ('a -> 'b option) -> 'a list -> 'b list

val all : ?max:int -> (unit -> 'a) list -> 'a list
(** Each function; {!Dromos.all} forks them, as {!Par} does. *)
