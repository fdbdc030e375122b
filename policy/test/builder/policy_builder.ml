open Dromos_policy_core.Core

type placement = Least | Idle_or_least | Last_core | In_domain

type shape = {
  filter : int;
  take : int;
  enough : int option;
  repeated : bool;
  until : [ `Runs | `Always | `Never ];
  select : [ `Highest | `Lowest | `First ];
  order : [ `Lowest | `Highest | `Number ];
  placement : placement;
  queues : int;
  counts : bool;
  weighed : bool;
  by_group : bool;
  synchronized : bool;
  newly_idle : bool option;
  rounds : int option;
  exempt_interrupts : bool;
}

let ule =
  {
    filter = 2;
    take = 2;
    enough = None;
    repeated = true;
    until = `Runs;
    select = `Highest;
    order = `Lowest;
    placement = Least;
    queues = 1;
    counts = false;
    weighed = false;
    by_group = false;
    synchronized = true;
    newly_idle = None;
    rounds = None;
    exempt_interrupts = false;
  }

let at =
  { file = "built"; line = 1; column = 0; last_line = 1; last_column = 0 }

let e ty_of it = { it; ty_of; at }
let int n = e Int (Int_value n)
let bool b = e Bool (Bool_value b)
let do_ what = { what; stands_at = at }

let op o a b =
  let ty =
    match o with
    | Add | Sub | Mul | Div _ | Mod _ | Bit_and | Bit_or -> Int
    | _ -> Bool
  in
  e ty (Operation (o, a, b))

let attribute id ?initial ?(system = false) owner name ty =
  {
    id;
    name;
    owner;
    ty;
    initial;
    system;
    is_lazy = false;
    shared = false;
    place = at;
  }

let last_core = attribute 0 Of_thread "last_core" Core
let interrupt = attribute 1 Of_thread "interrupt" Bool ~system:true
let slice = attribute 2 Of_thread "slice" Int ~initial:(int 2)
let home = attribute 3 Of_core "d" Domain ~system:true
let load = attribute 4 Of_thread "load" Int ~initial:(int 1)

let state state_id state_name state_class container =
  {
    state_id;
    state_name;
    state_class;
    container;
    state_shared = false;
    state_place = at;
  }

let current = state 0 "current" Running Slot
let ready = state 1 "ready" Ready (Queue [])

let late =
  state 2 "late" Ready (Queue [ { direction = Lowest; by = Attribute slice } ])

let last = ref 0

let local name ty =
  incr last;
  { local_id = !last; local_name = name; local_ty = ty }

let var l = e l.local_ty (Local l)
let target ty = e ty Target
let self = e Core Self
let all = e Cores All_cores
let first ty among keys = e ty (First (among, keys))
let by direction = [ { direction; by = By_cload } ]
let read owner a = e a.ty (Read (Some owner, a))
let cload c = e Int (Cload c)
let states shape = if shape.queues = 2 then [ ready; late ] else [ ready ]

(* A thread goes to one queue or the other by its slice. *)
let enqueue shape thread core =
  let move state = do_ (Move { thread; core; state }) in
  if shape.queues = 2 then
    do_ (If (op Gt (read thread slice) (int 0), [ move ready ], [ move late ]))
  else move ready

let difference src dst n =
  op Ge (op Sub (cload (var src)) (cload (var dst))) (int n)

let effects = { observes = true; updates = false }

let number shape c =
  if shape.counts then
    List.fold_left
      (fun sum st -> op Add sum (e Int (Count (c, st))))
      (e Int (Count (c, current)))
      (states shape)
  else e Int (Runnable c)

let choose shape =
  let t = local "t" Thread in
  let default = do_ (Return (Some (first Core all (by Lowest)))) in
  let last = read (var t) last_core in
  let back condition = do_ (If (condition, [ do_ (Return (Some last)) ], [])) in
  let body =
    match shape.placement with
    | Least -> [ default ]
    | Last_core ->
        [
          back (op And (read (var t) interrupt) (e Bool (Valid last))); default;
        ]
    | Idle_or_least ->
        let g = local "g" Group and c = local "c" Core in
        let idle =
          do_
            (If
               ( op Eq (cload (var c)) (int 0),
                 [ do_ (Return (Some (var c))) ],
                 [] ))
        in
        let cores =
          do_
            (Foreach
               {
                 each = c;
                 among = e Cores (Cores_of (var g));
                 order = [];
                 body = [ idle ];
               })
        in
        [
          do_
            (Foreach
               {
                 each = g;
                 among = e Groups (Groups_of (read last home));
                 order = [];
                 body = [ cores ];
               });
          default;
        ]
    | In_domain ->
        [
          do_
            (If
               ( e Bool (Valid last),
                 [
                   do_
                     (Return
                        (Some
                           (first Core
                              (e Cores (Cores_of (read last home)))
                              (by Lowest))));
                 ],
                 [] ));
          default;
        ]
  in
  {
    func_id = 0;
    func_name = "choose";
    parameters = [ t ];
    result = Some Core;
    func_body = body;
    effects;
    func_place = at;
  }

let steal shape =
  let pair name = (local (name ^ "src") Core, local (name ^ "dst") Core) in
  let fs, fd = pair "f" and source, destination = pair "" in
  let candidate = local "t" Thread in
  let filtered = e Cores Filtered in
  let by_core =
    {
      can_steal_core =
        {
          filter_source = fs;
          filter_destination = fd;
          admits = difference fs fd shape.filter;
        };
      select_core =
        (match shape.select with
        | `Highest -> first Core filtered (by Highest)
        | `Lowest -> first Core filtered (by Lowest)
        | `First -> first Core filtered []);
      source;
      destination;
      candidate;
      take =
        [
          do_
            (If
               ( difference source destination shape.take,
                 [ enqueue shape (var candidate) (var destination) ],
                 [] ));
        ];
      enough =
        Option.map
          (fun n -> op Ge (number shape (var destination)) (int n))
          shape.enough;
      repeated = shape.repeated;
      until =
        (match shape.until with
        | `Runs -> Some (op Ne (number shape (var destination)) (int 0))
        | `Always -> Some (bool true)
        | `Never -> None);
      steal_place = at;
    }
  in
  let gs = local "h" Group and gd = local "g" Group in
  (* A group is asked about only after its cores. *)
  let sum g =
    let total = local "total" Int and c = local "c" Core in
    let p = local "p" Group in
    let body =
      [
        do_ (Set_local (total, int 0));
        do_
          (Foreach
             {
               each = c;
               among = e Cores (Cores_of (var p));
               order = [];
               body =
                 [ do_ (Set_local (total, op Add (var total) (cload (var c)))) ];
             });
        do_ (Return (Some (var total)));
      ]
    in
    e Int
      (Call
         ( {
             func_id = 1;
             func_name = "group_load";
             parameters = [ p ];
             result = Some Int;
             func_body = body;
             effects;
             func_place = at;
           },
           [ var g ] ))
  in
  let by_group =
    if shape.by_group then
      Some
        {
          can_steal_group =
            {
              filter_source = gs;
              filter_destination = gd;
              admits = op Ge (op Sub (sum gs) (sum gd)) (int shape.filter);
            };
          select_group = first Group (e Groups Filtered) [];
          source_group = local "sh" Group;
          destination_group = local "sg" Group;
          group_repeated = true;
          group_until = Some (op Ne (number shape (var destination)) (int 0));
        }
    else None
  in
  { by_group; by_core }

let handler ?(is_synchronized = false) event handler_body =
  { event; is_synchronized; handler_body; handler_place = at }

let balancing shape =
  let c = local "c" Core in
  if shape.by_group then begin
    let d = local "d" Domain and g = local "g" Group in
    let steal = do_ (Steal_for { group = Some (var g); core = var c }) in
    let foreach each among order body =
      do_ (Foreach { each; among; order; body })
    in
    [
      foreach d
        (e Domains (Domains_of self))
        []
        [
          foreach g
            (e Groups (Groups_of (var d)))
            []
            [ foreach c (e Cores (Cores_of (var g))) (by Lowest) [ steal ] ];
        ];
    ]
  end
  else
    [
      do_
        (Foreach
           {
             each = c;
             among = all;
             order =
               (match shape.order with
               | `Lowest -> by Lowest
               | `Highest -> by Highest
               | `Number -> []);
             body = [ do_ (Steal_for { group = None; core = var c }) ];
           });
    ]

let newly_idle shape =
  let steal group = do_ (Steal_for { group; core = self }) in
  if shape.by_group then
    let d = local "d" Domain and g = local "g" Group in
    let foreach each among body =
      do_ (Foreach { each; among; order = []; body })
    in
    [
      foreach d
        (e Domains (Domains_of self))
        [ foreach g (e Groups (Groups_of (var d))) [ steal (Some (var g)) ] ];
    ]
  else [ steal None ]

let policy shape =
  last := 0;
  let blocked = state (shape.queues + 1) "blocked" Blocked Nowhere in
  let ended = state (shape.queues + 2) "terminated" Terminated Nowhere in
  let thread = target Thread in
  let choose = choose shape in
  let place () =
    let idlest = local "idlest" Core in
    [
      do_ (Set_local (idlest, e Core (Call (choose, [ thread ]))));
      enqueue shape thread (var idlest);
    ]
  in
  let queue st = e Threads (Threads_in (self, st)) in
  let next = local "next" Thread in
  let schedule =
    [ do_ (Set_local (next, first Thread (queue ready) [])) ]
    @ (if shape.queues = 2 then
         [
           do_
             (If
                ( e Bool (Not (e Bool (Valid (var next)))),
                  [ do_ (Set_local (next, first Thread (queue late) [])) ],
                  [] ));
         ]
       else [])
    @ [
        do_ (Move { thread = var next; core = self; state = current });
        do_ (Set (Some (var next), last_core, self));
        do_ (Set (Some (var next), slice, int 2));
      ]
  in
  let tick =
    [
      do_ (Set (Some thread, slice, op Sub (read thread slice) (int 1)));
      do_
        (If
           (op Le (read thread slice) (int 0), [ enqueue shape thread self ], []));
    ]
  in
  let out state = [ do_ (Move { thread; core = self; state }) ] in
  let attributes = [| last_core; interrupt; slice; home |] in
  let attributes =
    if shape.weighed then Array.append attributes [| load |] else attributes
  in
  let states = Array.of_list ((current :: states shape) @ [ blocked; ended ]) in
  let handlers =
    [
      handler New (place ());
      handler Unblock (place ());
      handler Block (out blocked);
      handler Terminate (out ended);
      handler Yield [ enqueue shape thread self ];
      handler Tick tick;
      handler Schedule schedule;
      handler ~is_synchronized:shape.synchronized Balancing (balancing shape);
    ]
    @
    match shape.newly_idle with
    | None -> []
    | Some is_synchronized ->
        [ handler ~is_synchronized Newly_idle (newly_idle shape) ]
  in
  let steal = steal shape in
  {
    policy_name = "built";
    attributes;
    states;
    functions = [| choose |];
    steal = Some steal;
    handlers;
    interface = [];
    relaxations =
      ((match shape.rounds with
       | Some rounds -> [ Within { rounds; at } ]
       | None -> [])
      @
      if shape.exempt_interrupts then
        List.map
          (fun event ->
            Exempt
              {
                event;
                condition = read thread interrupt;
                reason = "interrupt threads stay near their device";
                at;
              })
          [ New; Unblock ]
      else []);
    local_count = !last + 1;
    policy_place = at;
  }

let random chance =
  let below n = Random.State.int chance n in
  let one l = List.nth l (below (List.length l)) in
  let yes () = Random.State.bool chance in
  {
    filter = below 5 - 1;
    take = below 5 - 1;
    enough = one [ None; Some 1; Some 2 ];
    repeated = yes ();
    until = one [ `Runs; `Always; `Never ];
    select = one [ `Highest; `Lowest; `First ];
    order = one [ `Lowest; `Highest; `Number ];
    placement = one [ Least; Idle_or_least; Last_core; In_domain ];
    queues = 1 + below 2;
    counts = yes ();
    weighed = yes ();
    by_group = below 3 = 0;
    synchronized = below 3 > 0;
    newly_idle = one [ None; None; Some true; Some false ];
    rounds = None;
    exempt_interrupts = false;
  }

let show s =
  Printf.sprintf
    "filter >= %d, take >= %d, enough %s, %s, until %s, select %s, order %s, \
     placement %s, %d queues%s%s%s"
    s.filter s.take
    (match s.enough with None -> "never" | Some n -> string_of_int n)
    (if s.repeated then "repeated" else "once")
    (match s.until with
    | `Runs -> "dst runs"
    | `Always -> "true"
    | `Never -> "false")
    (match s.select with
    | `Highest -> "highest"
    | `Lowest -> "lowest"
    | `First -> "first")
    (match s.order with
    | `Lowest -> "lowest"
    | `Highest -> "highest"
    | `Number -> "number")
    (match s.placement with
    | Least -> "least"
    | Idle_or_least -> "idle or least"
    | Last_core -> "last core"
    | In_domain -> "in domain")
    s.queues
    (if s.counts then ", by counts" else "")
    (if s.weighed then ", weighed" else "")
    ((if s.by_group then ", by group" else "")
    ^ (if s.synchronized then "" else ", not synchronized")
    ^
    match s.newly_idle with
    | None -> ""
    | Some true -> ", newly idle synchronized"
    | Some false -> ", newly idle")
