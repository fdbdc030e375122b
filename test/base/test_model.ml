(* Every interleaving of small scenarios, over the shipped sources and over
   copies with a seeded fault that the scenarios must find. *)

open Dromos_model

let fail fmt = Printf.ksprintf failwith fmt

(* {1 Queue}: checked against a list; the items left at the end are checked
   too. *)

module type QUEUE = sig
  type 'a t

  val create : unit -> 'a t
  val push : 'a t -> 'a -> unit
  val pop : 'a t -> 'a option
  val is_empty : 'a t -> bool
end

type queue_op = Push of int | Pop | Is_empty
type queue_result = Done | Item of int option | Answer of bool

let queue_apply state op =
  match (op, state) with
  | Push v, _ -> (Done, state @ [ v ])
  | Pop, [] -> (Item None, [])
  | Pop, v :: rest -> (Item (Some v), rest)
  | Is_empty, _ -> (Answer (state = []), state)

let queue_show op result =
  (match op with
  | Push v -> Printf.sprintf "push %d" v
  | Pop -> "pop"
  | Is_empty -> "is_empty")
  ^
  match result with
  | Done -> ""
  | Item None -> ": none"
  | Item (Some v) -> Printf.sprintf ": %d" v
  | Answer b -> Printf.sprintf ": %b" b

let queue ?(before = []) threads (module Q : QUEUE) () =
  let q = Q.create () in
  let history = History.create () in
  let perform op =
    ignore
      (History.call history op (fun () ->
           match op with
           | Push v ->
               Q.push q v;
               Done
           | Pop -> Item (Q.pop q)
           | Is_empty -> Answer (Q.is_empty q)))
  in
  List.iter perform before;
  let check () =
    List.iter perform [ Pop; Pop; Pop; Pop; Is_empty ];
    History.check history ~init:[] ~apply:queue_apply ~show:queue_show
  in
  (List.map (fun ops () -> List.iter perform ops) threads, check)

let two_pushers = queue [ [ Push 1 ]; [ Push 2 ]; [ Pop ] ]
let two_poppers = queue ~before:[ Push 1; Push 2 ] [ [ Pop ]; [ Pop ] ]
let pipeline = queue [ [ Push 1; Push 2 ]; [ Pop; Pop ] ]

let crowd =
  queue ~before:[ Push 0 ] [ [ Push 1; Pop ]; [ Pop; Is_empty ]; [ Push 2 ] ]

(* The first pusher stops short of moving the tail; other threads pop its item
   and push. *)
let lagging = queue [ [ Push 1 ]; [ Pop; Push 2; Pop ] ]
let q = (module Base_traced.Queue : QUEUE)

let queue_cases =
  Explore.
    [
      passes "two pushers" (two_pushers q);
      passes "two poppers" (two_poppers q);
      passes "a pipeline" (pipeline q);
      passes "a crowd" (crowd q);
      passes "the tail falls behind" (lagging q);
      catches "a pusher overwrites another"
        (two_pushers (module Base_traced.Queue_overwrites));
      catches "two poppers get the same node"
        (two_poppers (module Base_traced.Queue_doubles));
      catches "a late popper gives up"
        (two_poppers (module Base_traced.Queue_hasty));
      catches "a pusher goes astray" (lagging (module Base_traced.Queue_astray));
    ]

(* {1 Erasable}: checked like the queue; pushed items may also be erased. *)

module type ERASABLE = sig
  type 'a t
  type 'a node

  val create : unit -> 'a t
  val push : 'a t -> 'a -> 'a node
  val pop : 'a t -> 'a option
  val is_empty : 'a t -> bool
  val erase : 'a node -> bool
  val sweep : 'a t -> int
end

type erasable_op = Queue of queue_op | Erase of int | Sweep

let erasable_apply state = function
  | Queue op -> queue_apply state op
  | Erase v ->
      (Answer (List.mem v state), List.filter (fun other -> other <> v) state)
  | Sweep -> (Done, state)

let erasable_show op result =
  match (op, result) with
  | Queue op, _ -> queue_show op result
  | Erase v, Answer b -> Printf.sprintf "erase %d: %b" v b
  | Erase v, _ -> Printf.sprintf "erase %d" v
  | Sweep, _ -> "sweep"

let erasable ?(before = []) threads (module Q : ERASABLE) () =
  let q = Q.create () in
  let history = History.create () in
  let nodes = Hashtbl.create 8 in
  let run = function
    | Queue (Push v) ->
        Hashtbl.replace nodes v (Q.push q v);
        Done
    | Queue Pop -> Item (Q.pop q)
    | Queue Is_empty -> Answer (Q.is_empty q)
    | Erase v -> Answer (Q.erase (Hashtbl.find nodes v))
    | Sweep ->
        ignore (Q.sweep q);
        Done
  in
  let perform op = ignore (History.call history op (fun () -> run op)) in
  List.iter perform before;
  let check () =
    List.iter
      (fun op -> perform (Queue op))
      [ Pop; Pop; Pop; Pop; Is_empty; Push 9; Pop ];
    History.check history ~init:[] ~apply:erasable_apply ~show:erasable_show
  in
  (List.map (fun ops () -> List.iter perform ops) threads, check)

let push v = Queue (Push v)
let pop = Queue Pop
let is_empty = Queue Is_empty

let popped_or_erased =
  erasable ~before:[ push 1; push 2 ] [ [ pop ]; [ Erase 1 ] ]

let empty_or_erased = erasable ~before:[ push 1 ] [ [ pop ]; [ pop; Erase 1 ] ]

let swept_while_pushed =
  erasable
    ~before:[ push 1; push 2; push 3; Erase 2; Erase 3 ]
    [ [ Sweep ]; [ push 4 ] ]

let swept_while_popped =
  erasable
    ~before:[ push 1; push 2; push 3; push 4; Erase 2; Erase 3 ]
    [ [ Sweep ]; [ pop; pop ] ]

let swept_twice =
  erasable
    ~before:[ push 1; push 2; push 3; push 4; Erase 3 ]
    [ [ Sweep ]; [ Erase 2; Sweep ] ]

let erased_and_looked_at =
  erasable ~before:[ push 1 ] [ [ Erase 1; push 2 ]; [ is_empty; pop ] ]

(* Like [lagging]; then the erased nodes lag as well. *)
let lagging_erasable = erasable [ [ push 1 ]; [ pop; push 2; Erase 2; pop ] ]
let e = (module Base_traced.Erasable : ERASABLE)

let erasable_cases =
  Explore.
    [
      passes "popped or erased" (popped_or_erased e);
      passes "empty or erased" (empty_or_erased e);
      passes "a sweep beside a push" (swept_while_pushed e);
      passes "a sweep beside pops" (swept_while_popped e);
      passes "two sweeps" (swept_twice e);
      passes "erased and looked at" (erased_and_looked_at e);
      passes "the tail falls behind" (lagging_erasable e);
      catches "popped and erased"
        (popped_or_erased (module Base_traced.Erasable_doubles));
      catches "empty, and then erased"
        (empty_or_erased (module Base_traced.Erasable_early));
      catches "the last node is passed over"
        (swept_while_pushed (module Base_traced.Erasable_beheads));
    ]

(* {1 Ivar}: one setter wins; every registered callback is called once, with the
   winner's value, oldest first. *)

module type IVAR = sig
  type ('ctx, 'a) t

  val create : unit -> ('ctx, 'a) t
  val wait : ('ctx, 'a) t -> ('ctx -> 'a -> unit) -> 'a option
  val set : 'ctx -> ('ctx, 'a) t -> 'a -> bool
  val is_set : ('ctx, 'a) t -> bool
  val peek : ('ctx, 'a) t -> 'a option
end

let ivar ~setters ~waiters (module I : IVAR) () =
  let t = I.create () in
  let called = ref [] in
  let answers = ref [] in
  let winners = ref [] in
  let setter v () = if I.set "ctx" t v then winners := v :: !winners in
  let waiter names () =
    List.iter
      (fun name ->
        let answer =
          I.wait t (fun ctx v ->
              if ctx <> "ctx" then fail "a strange context";
              called := (name, v) :: !called)
        in
        answers := (name, answer) :: !answers)
      names
  in
  let check () =
    match !winners with
    | [ v ] ->
        if not (I.is_set t && I.peek t = Some v) then fail "not set to %d" v;
        let expect (name, answer) =
          match (answer, List.filter (fun (n, _) -> n = name) !called) with
          | Some w, [] when w = v -> ()
          | None, [ (_, w) ] when w = v -> ()
          | answer, calls ->
              fail "%s: %s, %d calls" name
                (if answer = None then "kept" else "answered")
                (List.length calls)
        in
        List.iter expect !answers;
        (* The callbacks of one thread must be called in the order of
           registration. *)
        let order names =
          List.filter (fun n -> List.mem n names) (List.rev_map fst !called)
        in
        List.iter
          (fun names ->
            let called = order names in
            if called <> List.filteri (fun i _ -> i < List.length called) names
            then fail "called out of order")
          waiters
    | winners -> fail "%d winners" (List.length winners)
  in
  (List.map setter setters @ List.map waiter waiters, check)

let set_and_wait = ivar ~setters:[ 1 ] ~waiters:[ [ "a" ]; [ "b" ] ]
let two_setters = ivar ~setters:[ 1; 2 ] ~waiters:[ [ "a"; "b" ] ]
let three_waits = ivar ~setters:[ 1 ] ~waiters:[ [ "a"; "b"; "c" ]; [ "d" ] ]
let i = (module Base_traced.Ivar : IVAR)

let ivar_cases =
  Explore.
    [
      passes "a setter and two waiters" (set_and_wait i);
      passes "two setters" (two_setters i);
      passes "oldest first" (three_waits i);
      catches "the setter misses a callback"
        (set_and_wait (module Base_traced.Ivar_overwrites));
      catches "a callback overwrites the result"
        (set_and_wait (module Base_traced.Ivar_forgets));
    ]

(* {1 Waiters}: workers follow the protocol and take numbered pieces of work;
   producers publish and then notify. At the end no worker may be asleep while
   there is work, and the count is exact. *)

module type WAITERS = sig
  type t

  val create : int -> t
  val prepare : t -> int -> unit
  val cancel : t -> int -> bool
  val commit : t -> int -> unit
  val notify_one : t -> bool
  val notify : t -> int -> bool
  val notify_all : t -> unit
  val count : t -> int
end

module Atomic = Traced.Atomic

type notification = One | Slot of int | All

(* Two faults of a worker lose wake-ups: no second look, and not passing on a
   notification that was not needed. *)
let sleeping ?(second_look = true) ?(pass_on = true) ~sleepers producers
    (module W : WAITERS) () =
  let w = W.create sleepers in
  let work = Atomic.make 0 in
  let rec take () =
    let n = Atomic.get work in
    if n = 0 then false
    else if Atomic.compare_and_set work n (n - 1) then true
    else take ()
  in
  (* A worker begins just after it has looked for work in vain, and ends when it
     has taken one piece. *)
  let rec worker i () =
    W.prepare w i;
    if second_look && take () then begin
      if W.cancel w i && pass_on then ignore (W.notify_one w)
    end
    else begin
      W.commit w i;
      if not (take ()) then worker i ()
    end
  in
  let producer notifications () =
    List.iter
      (fun notification ->
        Atomic.incr work;
        match notification with
        | One -> ignore (W.notify_one w)
        | Slot i -> ignore (W.notify w i)
        | All -> W.notify_all w)
      notifications
  in
  let check () =
    let left = Atomic.get work and asleep = Explore.asleep () in
    if left > 0 && asleep > 0 then fail "%d asleep, work for %d" asleep left;
    if W.count w <> asleep then fail "count is %d, %d asleep" (W.count w) asleep
  in
  (List.init sleepers worker @ List.map producer producers, check)

let one_one = sleeping ~sleepers:1 [ [ One ] ]
let one_two = sleeping ~sleepers:1 [ [ One ]; [ One ] ]
let two_one = sleeping ~sleepers:2 [ [ One ] ]
let two_all = sleeping ~sleepers:2 [ [ All ] ]
let targeted = sleeping ~sleepers:1 [ [ Slot 0 ]; [ One ] ]
let two_twice = sleeping ~sleepers:2 [ [ One; One ] ]
let two_two = sleeping ~sleepers:2 [ [ One ]; [ One ] ]
let w = (module Base_traced.Waiters : WAITERS)

(* Over an abstract mutex and condition, for the larger scenarios. *)
let w' = (module Base_traced_sleep.Waiters : WAITERS)

let waiters_cases =
  Explore.
    [
      passes "one sleeper, one notifier" (one_one w);
      passes "one sleeper, two notifiers" (one_two w);
      passes "two sleepers, one notifier" (two_one w);
      passes "two sleepers, notify all" (two_all w');
      passes "a slot by its number" (targeted w);
      passes "two sleepers, two notifications" (two_twice w');
      passes ~random:10_000 "two sleepers, two notifiers, sampled" (two_two w');
      catches "the worker does not look again"
        (sleeping ~second_look:false ~sleepers:1 [ [ One ] ] w);
      catches "the worker keeps a notification it did not need"
        (sleeping ~pass_on:false ~sleepers:2 [ [ One; One ] ] w');
      catches "a sleeper overwrites its notification"
        (one_one (module Base_traced.Waiters_oversleeps));
      catches "the signal is not after the mutex"
        (one_one (module Base_traced.Waiters_unlocked));
    ]

let () =
  Alcotest.run "base, model-checked"
    [
      ("queue", queue_cases);
      ("erasable", erasable_cases);
      ("ivar", ivar_cases);
      ("waiters", waiters_cases);
    ]
