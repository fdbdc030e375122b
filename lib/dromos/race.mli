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

    {b Jobs.} Each job runs in a fiber, and is over when its tasks made by
    [async] are over too. The jobs begin in the order of the list, at most [max]
    at once (default: all). When a job has decided, the call cancels the other
    jobs, waits for them, and returns. The call waits also for a job without a
    cancellation point (a fork, a wait, [Dromos.check]). If the caller is
    cancelled, the jobs are cancelled.

    {b Each job has its turns.} A job that computes for 10 ms without leaving
    its worker gives way to other jobs at its next cancellation point, if two
    jobs or more can run at once. So all jobs begin and go on, even if more jobs
    compute without end than there are workers. [Sched.Preemption] does so in
    its [Polled] mode, for the whole run until the call returns; under
    [run ~preempt:true] nothing changes.

    {b Cost}: two scopes and an [async] for each job, a microsecond or two on an
    idle machine. The clock that measures the 10 ms wakes up every 2.5 ms during
    a race, and costs computing jobs about as much as [run ~preempt:true] does.
    The first race starts the service domain.

    {b Losers.} [discard] is called with each value that came too late, to close
    a connection for example; by default the value is dropped. [on_failure] is
    called with each failure that the call does not raise, and its backtrace. By
    default such a failure goes to [on_unhandled] of {!Dromos.run}, except
    failures in {!any} before a job decided: [any] expects them, and drops them.
    [Cancelled], which losers raise, is no failure. The caller's fiber calls
    both functions, in the order of the list, before the call returns or raises.
    The calls cannot be cancelled. If some raise, the first exception is raised
    in place of the result, after all calls.

    Raises [Invalid_argument] if the list is empty ({!any} and {!race}) or [max]
    is not positive, and {!Misplaced} outside a run.

    {b Checked}: test/front/racing, on each hub with 1, 2 and 4 workers. *)

val any :
  ?max:int ->
  ?discard:('a -> unit) ->
  ?on_failure:(exn -> Printexc.raw_backtrace -> unit) ->
  (unit -> 'a) list ->
  'a
(** The first value. If all jobs fail, the exception of the leftmost job is
    raised, with its backtrace. *)

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
(** The first [Some]; [None] if all jobs return [None], or the list is empty. If
    a job raises before the first [Some], the other jobs are cancelled and the
    exception is raised. *)
