open Core

type state = Layout.state

type entry = {
  at : int;
  last : int;
  kinds : Code.kind array;
  about_self : bool;
  about_waker : bool;
  synchronized : bool;
  stealing : bool;
}

type t = {
  layout : Layout.t;
  fragments : Fragments.t;
  code : Code.instruction array;
  entries : entry option array;  (** by {!index} *)
  frames : int array;
  size : int;
  frame_size : int;
  running : int;  (** the id of the running state *)
  may_end : bool array Lazy.t;
  live_sets : (int * Code.kind) array array Lazy.t;
  affinity : (state -> self:int -> target:int -> int) option Lazy.t;
  source_lock : Scope.source_lock;
  watched : bool array;
      (** by place in the code; empty if no attribute is noted *)
  mutable met : bool;
  passed : place option ref;  (** [Scope.t.passed] of the handlers *)
}

let layout m = m.layout
let passed m = !(m.passed)
let source_lock m = m.source_lock
let fragments m = m.fragments
let frame m r = m.frames.(r)
let runners m = Array.length m.frames
let code m = m.code
let live m pc = (Lazy.force m.live_sets).(pc)

let index : event -> int = function
  | New -> 0
  | Unblock -> 1
  | Block -> 2
  | Terminate -> 3
  | Yield -> 4
  | Tick -> 5
  | Schedule -> 6
  | Detach -> 7
  | Balancing -> 8
  | Newly_idle -> 9
  | Enter_idle -> 10
  | Exit_idle -> 11
  | Entry -> 12
  | Exit -> 13
  | Attach -> 14
  | Withdraw -> 15

let events = 16
let entry m event = m.entries.(index event)
let has m event = Option.is_some (entry m event)
let frame_size m = m.frame_size
let runs_nothing m s c = s.(Layout.head m.layout c m.running) = 0

let within m event pc =
  match entry m event with
  | Some e -> pc >= e.at && pc <= e.last
  | None -> false

let synchronized m event =
  match entry m event with Some e -> e.synchronized | None -> false

let steals m event =
  match entry m event with Some e -> e.stealing | None -> false

let synchronized_now m s =
  let at pc = function
    | Some e -> e.synchronized && pc >= e.at && pc <= e.last
    | None -> false
  in
  Array.exists
    (fun f -> s.(f) > 0 && Array.exists (at s.(f)) m.entries)
    m.frames

let may_begin m s event =
  has m event && not (synchronized m event && synchronized_now m s)

let reads_self m event =
  match entry m event with Some e -> e.about_self | None -> false

let asks_waker m event =
  match entry m event with Some e -> e.about_waker | None -> false

(* {1 Compiling} *)

let fragments_of layout (policy : policy) : Fragments.t =
  let key k = (k.direction = Highest, Expressions.key layout Thread k.by) in
  let order st : Fragments.order =
    match st.container with
    | Slot | One _ | Nowhere -> fun _ _ _ -> false
    | Queue keys ->
        let keys = List.map key keys in
        fun s t u ->
          let rec before = function
            | [] -> false
            | (highest, value) :: rest ->
                let a = value s t and b = value s u in
                if a = b then before rest else if highest then a > b else a < b
          in
          before keys
  in
  {
    layout;
    orders = Array.map order policy.states;
    load =
      (match Query.load policy with
      | None -> fun _ _ -> 1
      | Some a -> Expressions.key layout Thread (Attribute a));
    log = None;
  }

let holds_lock h =
  match h.event with
  | New | Unblock | Attach | Balancing | Detach | Withdraw -> false
  | _ -> not (Visits.steals h.handler_body)

let target_kind = function
  | New | Unblock | Block | Terminate | Yield | Tick | Detach | Attach
  | Withdraw ->
      Code.A_thread
  | Schedule | Balancing | Newly_idle | Enter_idle | Exit_idle | Entry | Exit ->
      Code.Plain

let handler (base : Scope.t) h =
  let asm = base.asm in
  Assembler.start_handler asm ~target:(target_kind h.event);
  let at = Assembler.here asm in
  let holds = holds_lock h in
  let t =
    {
      base with
      event = h.event;
      holds;
      locals = Hashtbl.create 16;
      owner = Some Frame.target;
      leave = Assembler.label ();
    }
  in
  let self = Emit.read Frame.self in
  if holds then Emit.lock t self;
  Statements.block t h.handler_body;
  Assembler.place asm t.leave;
  if holds then Emit.unlock t self;
  Assembler.emit asm End;
  let last = Assembler.here asm - 1 in
  let kinds = Assembler.registers asm in
  ( h.event,
    {
      at;
      last;
      kinds;
      about_self = false;
      about_waker = false;
      synchronized = h.is_synchronized;
      stealing = Visits.steals h.handler_body;
    } )

let uses_of code i =
  match code.(i) with
  | Code.Pure { uses; _ } -> uses
  | Branch { test; _ } -> test.uses
  | Step { step_uses; _ } -> step_uses
  | Jump _ | End -> []

let somewhere code e which =
  let rec from i =
    i <= e.last && (List.exists which (uses_of code i) || from (i + 1))
  in
  from e.at

(* True if the handler depends on the core where it runs. The waker counts,
   since the waker runs on the same core. *)
let about_self code event e =
  let is_core = target_kind event = Code.Plain in
  let says r =
    r = Frame.self || r = Frame.waker || (is_core && r = Frame.target)
  in
  somewhere code e says

let live_sets code entries =
  let sets = Array.make (Array.length code) [||] in
  List.iter
    (fun (_, e) ->
      Array.iteri
        (fun i registers ->
          sets.(e.at + i) <- Array.map (fun r -> (r, e.kinds.(r))) registers)
        (Flow.live code ~entry:e.at ~last:e.last e.kinds))
    entries;
  sets

let looks_at policy which =
  let found = ref false in
  Visits.policy ~statement:ignore
    ~expression:(fun e -> if which e.it then found := true)
    policy;
  !found

(* Compiles an expression outside of handlers, and returns a function that
   evaluates it. Observations in the expression are made at once: the code runs
   in a frame of its own behind the state. *)
let evaluator l fragments ~size e =
  let base =
    { (Expressions.outside l) with fragments; block = Statements.block }
  in
  let asm = base.asm in
  let at = Assembler.here asm in
  let v = Expressions.compile { base with owner = Some Frame.target } e in
  let r = Emit.save base v in
  Assembler.emit asm End;
  let code = Assembler.instructions asm in
  let frame = Array.make (Array.length (Assembler.registers asm)) 0 in
  fun s ~self ~target ->
    let s = Array.append s frame in
    let f = size in
    s.(f + Frame.self) <- self;
    s.(f + Frame.target) <- target;
    let rec go pc =
      match code.(pc) with
      | Code.Pure { work; _ } ->
          work s f;
          go (pc + 1)
      | Branch { test; otherwise } ->
          go (if test.value s f <> 0 then pc + 1 else !otherwise)
      | Jump l -> go !l
      | Step { run; _ } ->
          run s f;
          go (pc + 1)
      | End -> s.(f + r)
    in
    go at

(* The affinity of the target for [self]. *)
let affinity l fragments ~size (f : func) =
  let at it ty_of = { it; ty_of; at = f.func_place } in
  let asked = Call (f, [ at Target Thread; at Self Core ]) in
  evaluator l fragments ~size (at asked Bool)

let create ?fault ?(source_lock = Scope.Throughout) ?(runners = 1) ~threads
    topology policy =
  let layout = Layout.make policy topology ~threads in
  let fragments = fragments_of layout policy in
  let counts_seen = looks_at policy (function Count _ -> true | _ -> false) in
  let base =
    {
      (Expressions.outside layout) with
      fragments;
      fault;
      source_lock;
      counts_seen;
      block = Statements.block;
    }
  in
  let entries = List.map (handler base) (Query.reactions policy) in
  let code = Assembler.instructions base.asm in
  let entries =
    List.map
      (fun (event, e) ->
        ( event,
          {
            e with
            about_self = about_self code event e;
            about_waker = somewhere code e (( = ) Frame.waker);
          } ))
      entries
  in
  let by_index = Array.make events None in
  List.iter (fun (event, e) -> by_index.(index event) <- Some e) entries;
  let whole =
    List.fold_left
      (fun n (_, e) -> max n (Array.length e.kinds))
      Frame.first_register entries
  in
  let frames = Array.init runners (fun r -> layout.fixed + (r * whole)) in
  {
    layout;
    fragments;
    code;
    entries = by_index;
    frames;
    size = layout.fixed + (runners * whole);
    frame_size = whole;
    running = (Query.running policy).state_id;
    may_end = lazy (Flow.may_end code);
    live_sets = lazy (live_sets code entries);
    affinity =
      lazy
        (Option.map
           (affinity layout fragments ~size:(layout.fixed + (runners * whole)))
           (Query.affinity policy));
    source_lock;
    watched = [||];
    met = false;
    passed = base.passed;
  }

let watching m attributes =
  let of_one r =
    r < 0 && List.exists (fun a -> Frame.attribute a = r) attributes
  in
  let at pc =
    List.exists of_one (Flow.used_at m.code pc)
    || List.exists of_one (Flow.defined_at m.code pc)
  in
  let watched =
    if attributes = [] then [||] else Array.init (Array.length m.code) at
  in
  { m with watched; met = false }

let owners l : owner -> int = function
  | Global -> 1
  | Of_thread -> l.Layout.threads
  | Of_core -> l.topology.cores
  | Of_group -> Array.length l.topology.groups
  | Of_domain -> Array.length l.topology.domains

let initial m =
  let l = m.layout in
  let s = Array.make m.size 0 in
  for c = 0 to l.topology.cores - 1 do
    s.(Layout.asleep l c) <- 1
  done;
  Array.iter
    (fun a ->
      if not a.is_lazy then
        let value = Expressions.initial l a in
        for i = 0 to owners l a.owner - 1 do
          s.(Layout.word l a i) <- value s i
        done)
    l.policy.attributes;
  s

(* {1 Steps} *)

let meet m pc =
  if Array.length m.watched > 0 && m.watched.(pc) then m.met <- true

let rec advance m s f pc =
  match m.code.(pc) with
  | Code.Pure { work; _ } ->
      meet m pc;
      work s f;
      advance m s f (pc + 1)
  | Branch { test; otherwise } ->
      meet m pc;
      advance m s f (if test.value s f <> 0 then pc + 1 else !otherwise)
  | Jump l -> advance m s f !l
  | Step { shown; run; _ } ->
      if shown s f then s.(f) <- pc
      else begin
        meet m pc;
        run s f;
        advance m s f (pc + 1)
      end
  | End -> s.(f) <- 0

let next m s f =
  match m.code.(s.(f)) with
  | Code.Step step -> step
  | _ -> invalid_arg "Machine: this runner has no handler under way"

let busy m s r = s.(m.frames.(r)) <> 0

let ready m s r =
  let f = m.frames.(r) in
  (next m s f).ready s f

let ways m s r =
  let f = m.frames.(r) in
  if s.(f) = 0 then 1 else (next m s f).ways s f

let step m s r =
  let f = m.frames.(r) in
  let { Code.run; _ } = next m s f in
  m.met <- false;
  meet m s.(f);
  run s f;
  advance m s f (s.(f) + 1)

let met m = m.met
let watches m = Array.length m.watched > 0
let holds_back m s r = (next m s m.frames.(r)).mover = Later
let releases m s r = (next m s m.frames.(r)).mover = Earlier
let may_end m s r = (Lazy.force m.may_end).(s.(m.frames.(r)))

let serves m s r =
  let f = m.frames.(r) in
  Option.map (fun core -> s.(f + core)) (next m s f).serves

let who m s r =
  let f = m.frames.(r) in
  (next m s f).who s f

let describe m before r after =
  let f = m.frames.(r) in
  (next m before f).say before f after

let rec all_free m s r =
  r = Array.length m.frames || (s.(m.frames.(r)) = 0 && all_free m s (r + 1))

let start ?(waker = -1) m s ~runner event ~self ~target =
  match entry m event with
  | None ->
      invalid_arg
        (Printf.sprintf "Machine.start: policy %s has no handler for %s"
           m.layout.policy.policy_name (Query.event_name event))
  | Some e ->
      let f = m.frames.(runner) in
      if all_free m s 0 then Bits.forget m.layout.members.bits;
      for i = f to f + Array.length e.kinds - 1 do
        s.(i) <- 0
      done;
      s.(f + Frame.self) <- self;
      let is_thread = target_kind event = A_thread in
      s.(f + Frame.target) <- (if is_thread then target + 1 else target);
      s.(f + Frame.waker) <- waker + 1;
      (match event with
      | New | Unblock | Attach ->
          s.(Layout.where m.layout target) <- Layout.waking
      | _ -> ());
      m.met <- false;
      advance m s f e.at

(* {1 Whole handlers} *)

type report = { steps : int; locks : int; moves : (int * int * int) list }

let run ?draw ?waker m s event ~self ~target =
  m.fragments.log <- Some [];
  start ?waker m s ~runner:0 event ~self ~target;
  let steps = ref 0 and locks = ref 0 in
  while busy m s 0 do
    if not (ready m s 0) then
      failwith "Machine.run: a handler waits for a lock that no handler holds";
    incr steps;
    if (next m s m.frames.(0)).locks then incr locks;
    let ways = ways m s 0 in
    if ways > 1 then Option.iter (fun draw -> s.(Layout.draw) <- draw ways) draw;
    step m s 0
  done;
  if draw <> None then s.(Layout.draw) <- 0;
  let moved = List.rev (Option.value m.fragments.log ~default:[]) in
  m.fragments.log <- None;
  {
    steps = !steps;
    locks = !locks;
    moves =
      List.map (fun (t, p) -> (t, max p 0, s.(Layout.where m.layout t))) moved;
  }

let evaluate m s ~target e =
  evaluator m.layout m.fragments ~size:m.size e s ~self:0 ~target

let may_run m s ~thread ~core =
  match Lazy.force m.affinity with
  | None -> true
  | Some answer -> answer s ~self:core ~target:(thread + 1) <> 0
