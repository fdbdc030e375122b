(** Bounded parallelism: of the fibers that it is given, at most [n] run at
    once, on all vprocs together; the others wait in line.

    A fiber holds one of the [n] places while it runs, and only then: when it
    waits or yields, the next one in line has the place, and the fiber lines up
    again, at the end, when it is ready. So a program may have as many of these
    fibers as it likes, say one for each file, while [n] compute; to bound how
    many have {e begun} and not ended, take {!Dromos_sync.Semaphore}. With one
    place the fibers exclude each other between their waits. Branches and tasks
    that a fiber makes ([Dromos.both], [async]) are not counted.

    {[
      # module Sched = Dromos.Sched
        let running = Atomic.make 0 and most = Atomic.make 0
        let rec note n =
          let m = Atomic.get most in
          if n > m && not (Atomic.compare_and_set most m n) then note n
        let work () =
          note (1 + Atomic.fetch_and_add running 1);
          ignore (Sys.opaque_identity (List.init 1000 Fun.id));
          Atomic.decr running;
          Dromos.sleep 0.001;;
      module Sched = Dromos.Sched
      val running : int Atomic.t = <abstr>
      val most : int Atomic.t = <abstr>
      val note : int -> unit = <fun>
      val work : unit -> unit = <fun>
      # Dromos.run ~workers:4 (fun () ->
            Sched.Bounded.run ~at_most:2 (fun t ->
                for _ = 1 to 100 do
                  Sched.Bounded.spawn t work
                done));
        Atomic.get most <= 2
      - : bool = true
    ]} *)

type t

val run :
  ?vprocs:Vproc.t list ->
  ?under:(Vproc.t -> Core.fiber -> unit) ->
  at_most:int ->
  (t -> 'a) ->
  'a
(** Runs a function while the scheduler runs what it is given, on [vprocs]
    (default: all, whichever are free), and returns when all fibers that were
    made in it are over. The function itself is run by whoever ran its caller.
    [under]: see {!Attached.run}. Raises [Invalid_argument] if [at_most] is not
    positive. *)

val spawn : t -> ?name:string -> (unit -> unit) -> unit
(** A fiber in the scope of the caller, at the end of the line. Once {!run} is
    over, it runs at the root. By a fiber. *)

val give : t -> Core.fiber -> unit
(** Has the scheduler run a fiber that somebody made. An instance of a scheduler
    inside holds its place for as long as it has something to run. *)

val waiting : t -> int
(** How many stand in line. Linear in it; a snapshot. *)
