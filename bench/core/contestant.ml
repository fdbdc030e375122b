type job = n:int -> cutoff:int -> unit -> unit -> int
type probe = n:int -> (string * float) list

type session = {
  jobs : (string * job) list;
  probes : (string * probe) list;
  stop : unit -> unit;
}

type t = {
  name : string;
  about : string;
  parallel : bool;
  start : workers:int -> session;
}

let placements = 8
let copy bench i = Printf.sprintf "%s@%d" bench i

let placed bench copies =
  if List.length copies <> placements then
    invalid_arg "Contestant.placed: not as many copies as there are placements";
  List.mapi (fun i job -> (copy bench i, job)) copies

let find jobs bench ~placement =
  match List.assoc_opt (copy bench (placement mod placements)) jobs with
  | Some _ as job -> job
  | None -> List.assoc_opt bench jobs
