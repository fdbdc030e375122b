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
