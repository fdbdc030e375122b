(* The traced copies see this module in place of the scheduler. The thread that
   wakes or cancels a waiting instance also continues the instance, but only
   after its own code: a woken instance is under way for a while. *)

open Dromos_model.Traced
module Stand_in = Dromos_model.Stand_in

module Vproc = struct
  (* With [turns], the parts of the vproc's instances that are still to run,
     last first: several instances on one vproc take turns. *)
  type t = {
    id : int;
    idle : bool;
    turns : (unit -> unit) list Atomic.t option;
  }

  type _ Effect.t += Host : t Effect.t

  let host () = Effect.perform Host
  let id v = v.id
  let is_idle v = v.idle
  let equal = ( == )
  let all () = []
  let preempt _ = ()
  let check ~call:_ _ = ()
  let check_fiber ~call:_ _ _ = ()

  (* {1 For scenarios} *)

  let make ?(idle = true) id = { id; idle; turns = None }
  let shared id = { id; idle = true; turns = Some (Atomic.make []) }

  let rec serve turns part =
    part ();
    let rec over () =
      let seen = Atomic.get turns in
      let left = List.rev (List.tl (List.rev seen)) in
      if Atomic.compare_and_set turns seen left then left else over ()
    in
    match List.rev (over ()) with [] -> () | next :: _ -> serve turns next

  let rec enter turns part =
    let seen = Atomic.get turns in
    if not (Atomic.compare_and_set turns seen (part :: seen)) then
      enter turns part
    else match seen with [] -> serve turns part | _ :: _ -> ()

  let run v part =
    match v.turns with None -> part () | Some turns -> enter turns part
end

module Cancel = struct
  exception Cancelled
end

module Dromos_fiber = struct
  module Cancel = Cancel
end

module Core = struct
  type fiber = { id : int; rank : int; only_on : int option }
  type action = unit
  type directive = Ran of fiber | Stopped

  let released : fiber list ref = ref []
  let only_on k = k.only_on
  let run () k = Ran k
  let stop = Stopped
  let release k = released := k :: !released
end

(* Traced, unlike the field of a fiber: a thread reads the place while others
   write it. *)
module Place = struct
  let places : (int * (int * int) Atomic.t) list ref = ref []

  let of_id id =
    match List.assoc_opt id !places with
    | Some place -> place
    | None ->
        let place = Atomic.make (0, -1) in
        places := (id, place) :: !places;
        place

  let get (k : Core.fiber) = Atomic.get (of_id k.id)
  let set (k : Core.fiber) place = Atomic.set (of_id k.id) place
  let same (k : Core.fiber) (other : Core.fiber) = k.id = other.id
end

module Attached = struct
  let run ~name:_ ~vprocs:_ ?under:_ ~ends:_ ?give:_ _ body = body ()
end

type 'a resumer = 'a Stand_in.resumer
type _ Effect.t += Suspend : ('a resumer -> 'a option) -> 'a Effect.t

module Dromos_suspend = struct
  type nonrec 'a resumer = 'a resumer

  let suspend ~reason:_ block = Effect.perform (Suspend block)
end

(** The vprocs of the waiting instances. *)
let waiting : Vproc.t list ref = ref []

let rec without v = function
  | [] -> []
  | w :: others -> if w == v then others else w :: without v others

let suspend vproc slot block k =
  Stand_in.suspend ?slot ~cancelled:Cancel.Cancelled block k
    ~sleeps:(fun () -> waiting := vproc :: !waiting)
    ~wakes:(fun () -> waiting := without vproc !waiting)
    ~runs:(fun continue ->
      Effect.perform (Stand_in.Later (fun () -> Vproc.run vproc continue)))

(** An instance on the given vproc. *)
let start ?slot vproc f () =
  Vproc.run vproc @@ fun () ->
  Effect.Deep.match_with f ()
    {
      retc = Fun.id;
      exnc = raise;
      effc =
        (fun (type a) (e : a Effect.t) ->
          match e with
          | Suspend block ->
              Some
                (fun (k : (a, unit) Effect.Deep.continuation) ->
                  suspend vproc slot block k)
          | Vproc.Host -> Some (fun k -> Effect.Deep.continue k vproc)
          | _ -> None);
    }

(** Runs the function, and then the instances that the function has woken. *)
let thread = Stand_in.thread

let slot = Stand_in.slot
let cancel = Stand_in.cancel

let scenario make () =
  waiting := [];
  Stand_in.start ();
  Core.released := [];
  Place.places := [];
  let threads, check = make () in
  (List.map thread threads, Stand_in.checked check)
