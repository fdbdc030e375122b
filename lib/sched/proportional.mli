(** Proportional share: groups of fibers that get the vprocs' time in proportion
    to their weights.

    Stride scheduling: each share has a {e pass}, which goes forward by
    [1 / weight] for each tick that a fiber of it runs; the share with the least
    pass is next, and the fibers within a share take turns. A tick is a piece
    between two yields, waits or preemptions. Deterministic: between two shares
    that always have something to run, neither is ever more than one tick away
    from its due. A share that had nothing to run does not catch up for that
    time.

    {[
      # module P = Dromos.Sched.Proportional;;
      module P = Dromos.Sched.Proportional
      # Dromos.run ~workers:1 (fun () ->
            let order = Buffer.create 16 in
            P.run (fun t ->
                let speak name () =
                  for _ = 1 to 6 do
                    Buffer.add_string order name;
                    Dromos.yield ()
                  done
                in
                P.spawn (P.share t ~weight:2.) (speak "a");
                P.spawn (P.share t ~weight:1.) (speak "b"));
            Buffer.contents order)
      - : string = "abaabaababbb"
    ]}

    {b Several vprocs}: each has an instance of its own, which shares it out
    among those who have fibers there; fibers stay where they were put.

    {b Nesting}: a scheduler that runs inside a share ([~under:(enter share)])
    has that share's time, all its fibers together.

    {b Cost} of a switch: linear in the number of shares on the vproc.

    Source: Waldspurger, Weihl, {e Stride scheduling} (MIT/LCS/TM-528, 1995).
    Manticore (section 3.3.2) makes proportional share of engines; here the
    action itself counts. Checked: test/sched/proportional. *)

type t
type share

val run :
  ?vprocs:Vproc.t list ->
  ?under:(Vproc.t -> Core.fiber -> unit) ->
  (t -> 'a) ->
  'a
(** As {!Attached.run}. *)

val share : t -> weight:float -> share
(** Raises [Invalid_argument] unless the weight is positive and finite. Weights
    below 1e-6 and above 1e6 count as these. *)

val spawn : share -> ?name:string -> ?on:Vproc.t -> (unit -> unit) -> unit
(** A fiber in the scope of the caller; without [on] the vprocs take turns. *)

val set_weight : share -> float -> unit
(** From the share's next tick on. From anywhere. *)

val weight : share -> float

val ticks : share -> int
(** How many its fibers have had, on all vprocs. *)

val enter : share -> Vproc.t -> Core.fiber -> unit
(** Puts a fiber into the share, on that vproc, which must be one of the
    scheduler's ([Invalid_argument]); for [~under]. From anywhere. *)
