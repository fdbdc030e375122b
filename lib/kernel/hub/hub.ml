(* The interface explains the types. *)

type reason = New | Unblock | Yield | Preempt

type 'ctx task = {
  code : 'ctx -> unit;
  mutable last_worker : int;
  mutable attrs : int array;
}

type notifier = { mutable notify : int -> unit }

type 'ctx t = {
  name : string;
  size : int;
  push : int -> reason -> 'ctx task -> unit;
  pop : int -> 'ctx task option;
  retract : int -> 'ctx task -> bool;
  steal : int -> 'ctx task option;
  waits_for_answer : int -> bool;
  has_work : int -> bool;
  submit : reason -> 'ctx task -> unit;
  submit_to : int -> reason -> 'ctx task -> unit;
  enlist : int -> unit;
  retire : int -> unit;
  tick : int -> unit;
  finished : int -> 'ctx task -> unit;
  blocked : int -> 'ctx task -> unit;
  close : unit -> unit;
  notifier : notifier;
}

type maker = { make : 'ctx. workers:int -> 'ctx t }

let no_attrs : int array = [||]
let task code = { code; last_worker = -1; attrs = no_attrs }
let notifier () = { notify = ignore }
