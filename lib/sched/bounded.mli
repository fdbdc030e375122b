(** Bounded parallelism: at most [n] fibers of the scheduler run at once, on all
    vprocs together. The other fibers wait in a queue.

    A fiber holds one of the [n] places only while it runs. When a fiber waits
    or yields, the first fiber of the queue gets the place; the earlier fiber
    goes to the end of the queue when it is runnable again. A program may have
    any number of fibers, say one for each file, while [n] fibers compute. To
    bound the number of fibers that have {e begun} and not ended, use
    {!Dromos_sync.Semaphore}. With one place the fibers exclude each other
    between their waits. Branches and tasks that a fiber makes ([Dromos.both],
    [async]) are not counted.

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
(** Runs a function while the scheduler runs the fibers given to it on [vprocs]
    (default: all; on whichever vproc is free). Returns when all fibers made in
    the function are over. The scheduler of the caller runs the function itself.
    [under]: see {!Attached.run}. Raises [Invalid_argument] if [at_most] is not
    positive. *)

val spawn : t -> ?name:string -> (unit -> unit) -> unit
(** Makes a fiber in the scope of the caller, at the end of the queue. After the
    end of {!run}, the fiber runs at the root. Call [spawn] in a fiber. *)

val give : t -> Core.fiber -> unit
(** Gives an existing fiber to the scheduler. A fiber that is an instance of an
    inner scheduler holds its place for as long as the instance has a fiber to
    run. *)

val waiting : t -> int
(** The number of fibers in the queue. A snapshot; takes time linear in the
    number. *)
