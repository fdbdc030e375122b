(** Proportional share: groups of fibers that get the vprocs' time in proportion
    to their weights.

    Stride scheduling: each share has a {e pass}, which goes forward by
    [1 / weight] for each tick of one of its fibers; the share with the least
    pass is next, and the fibers within a share take turns. A tick is a piece
    between two yields, waits or preemptions. Deterministic: of two shares that
    always have fibers to run, neither share is ever more than a tick away from
    its proportion. A share without fibers to run does not catch up later.

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

    {b Several vprocs}: each vproc has an instance of its own, which divides the
    vproc among the shares with fibers there; fibers stay on their vproc.

    {b Nesting}: a scheduler that runs inside a share ([~under:(enter share)])
    gets the time of the share, for all its fibers together.

    {b Cost} of a switch: linear in the number of shares on the vproc.

    Source: Waldspurger, Weihl, {e Stride scheduling} (MIT/LCS/TM-528, 1995).
    Manticore (section 3.3.2) builds proportional share from engines; here the
    action itself counts. Checked: test/sched/proportional. *)

type t
type share

val run :
  ?vprocs:Vproc.t list ->
  ?under:(Vproc.t -> Core.fiber -> unit) ->
  (t -> 'a) ->
  'a
(** Like {!Attached.run}. *)

val share : t -> weight:float -> share
(** A new share. Raises [Invalid_argument] unless the weight is positive and
    finite. Weights below 1e-6 count as 1e-6, weights above 1e6 as 1e6. *)

val spawn : share -> ?name:string -> ?on:Vproc.t -> (unit -> unit) -> unit
(** Makes a fiber in the scope of the caller; without [on], the vprocs take
    turns. Fibers that the fiber makes by {!Dromos_sched.spawn} belong to the
    share too. *)

val set_weight : share -> float -> unit
(** Sets the weight from the share's next tick on. From anywhere. *)

val weight : share -> float

val ticks : share -> int
(** The number of ticks that the share's fibers have had, on all vprocs. *)

val enter : share -> Vproc.t -> Core.fiber -> unit
(** Puts a fiber into the share, on the given vproc, which must be a vproc of
    the scheduler ([Invalid_argument]). For [~under]. From anywhere. *)
