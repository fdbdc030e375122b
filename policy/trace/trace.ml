type task = { pid : int; comm : string }

type what =
  | Switch of { prev : task; ready : bool; dead : bool; next : task }
  | Wakeup of { task : task; onto : int; fresh : bool }
  | Waking of { task : task; onto : int }
  | Migrate of { task : task; from : int; onto : int }
  | Fork of task
  | Exit of task
  | Lost of int

type event = { at : int; cpu : int; current : int; what : what }
type fault = { line : int; text : string }

type t = {
  events : event array;
  cpus : int;
  names : (int, string) Hashtbl.t;
  lost : int;
  begun : bool;
  faults : fault list;
  faulty : int;
}

let most_faults = 100

(* The number of CPUs, at least the highest number of a CPU plus one. *)
let cpus_of known events =
  Array.fold_left
    (fun n e ->
      let n = Int.max n (e.cpu + 1) in
      match e.what with
      | Wakeup { onto; _ } | Waking { onto; _ } -> Int.max n (onto + 1)
      | Migrate { from; onto; _ } -> Int.max n (1 + Int.max from onto)
      | Switch _ | Fork _ | Exit _ | Lost _ -> n)
    known events

let make ?(cpus = 0) ?(names = Hashtbl.create 1) ?(overwritten = 0)
    ?(faults = []) events =
  let events = Array.of_list events in
  Array.stable_sort (fun a b -> Int.compare a.at b.at) events;
  let lost =
    Array.fold_left
      (fun sum e -> match e.what with Lost n -> sum + n | _ -> sum)
      overwritten events
  in
  {
    events;
    cpus = cpus_of cpus events;
    names;
    lost;
    begun = overwritten = 0;
    faults = List.filteri (fun i _ -> i < most_faults) faults;
    faulty = List.length faults;
  }

let interned () =
  let known = Hashtbl.create 64 in
  fun pid comm ->
    match Hashtbl.find_opt known pid with
    | Some task when String.equal task.comm comm -> task
    | Some _ | None ->
        let task = { pid; comm } in
        Hashtbl.replace known pid task;
        task
