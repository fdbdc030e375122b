(** The first of several jobs: [Dromos.any], [Dromos.race] and [Dromos.first].

    {[
      # Dromos.run (fun () ->
            Dromos.any
              [
                (fun () -> failwith "the first mirror is down");
                (fun () -> Dromos.sleep 10.; "slow");
                (fun () -> Dromos.sleep 0.001; "fast");
              ])
      - : string = "fast"
      # Dromos.run (fun () ->
            Dromos.first ~max:2
              (List.init 10 (fun i () -> if i * i = 49 then Some i else None)))
      - : int option = Some 7
      # Dromos.run (fun () ->
            match
              Dromos.race
                [ (fun () -> Dromos.sleep 10.); (fun () -> failwith "first") ]
            with
            | () -> "a value"
            | exception Failure text -> text)
      - : string = "first"
    ]}

    {b What runs.} Each job runs in a fiber, and is over when the tasks that it
    made by [async] are. The jobs begin in the order of the list, at most [max]
    at once; without [max] all of them may. A call returns when a job has
    decided and all others are over: they are cancelled and waited for. A job
    without a cancellation point (a fork, a wait, [Dromos.check]) is waited for
    to its own end. If the caller is cancelled, so are the jobs.

    {b Each job has its turns.} A job that computes for 10 ms without leaving
    its worker gives way to others at its next cancellation point, as long as
    two jobs or more can run at once: so all of them begin and go on, even if
    more of them compute without end than there are workers. [Sched.Preemption]
    does so in its [Polled] mode, for the whole run until the call returns; it
    is the same under [run ~preempt:true].

    {b Cost}: that of two scopes and an [async] for each job, a microsecond or
    two on a machine that is not busy. The clock that measures the 10 ms wakes
    up every 2.5 ms while there is a race, and costs computing jobs about as
    much as [run ~preempt:true] does. The first race starts the service domain.

    {b What is left of losers.} A value that came too late is given to
    [discard], which closes what the job has opened, say; by default it is
    dropped. A failure that the call does not raise is given to [on_failure],
    with its backtrace. By default it goes to [on_unhandled] of {!Dromos.run},
    but for failures in {!any} that came before a job decided: these are what
    [any] is for, and are dropped. [Cancelled], which losers are to raise, is no
    failure. Both functions are called by the caller's fiber, in the order of
    the list, before the call returns or raises; they cannot be cancelled, and
    an exception of theirs is raised in place of the result, once all have been
    called.

    Raises [Invalid_argument] if the list is empty ({!any} and {!race}) or [max]
    is not positive, and {!Misplaced} outside a run.

    {b Checked}: test/front/racing, on each hub with 1, 2 and 4 workers. *)

val any :
  ?max:int ->
  ?discard:('a -> unit) ->
  ?on_failure:(exn -> Printexc.raw_backtrace -> unit) ->
  (unit -> 'a) list ->
  'a
(** The first value. If all jobs fail, the leftmost one's exception is raised,
    with its backtrace. *)

val race :
  ?max:int ->
  ?discard:('a -> unit) ->
  ?on_failure:(exn -> Printexc.raw_backtrace -> unit) ->
  (unit -> 'a) list ->
  'a
(** The value, or the exception, of the job that ends first. *)

val first :
  ?max:int ->
  ?discard:('a -> unit) ->
  ?on_failure:(exn -> Printexc.raw_backtrace -> unit) ->
  (unit -> 'a option) list ->
  'a option
(** The first [Some]; [None] if all jobs return [None], or there are none. If a
    job raises before there is a [Some], that ends the others and is raised. *)
