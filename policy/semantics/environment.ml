open Core

type state = Layout.state

let only_moves_out m event =
  match Query.handler (Machine.layout m).policy event with
  | Some
      {
        handler_body =
          [ { what = Move { state; thread = { it = Target; _ }; _ }; _ } ];
        _;
      } ->
      not (Query.runnable state)
  | _ -> false

let body m event =
  Option.map
    (fun h -> h.handler_body)
    (Query.handler (Machine.layout m).policy event)

(* No event steals while a thread is placed: doc/policy/semantics.md says
   why. *)
let may_come m ~during event =
  Machine.has m event
  && ((not (Machine.steals m event)) || during = Balancing)
  && not (Machine.synchronized m during && Machine.synchronized m event)

let kinds m ~during =
  let same a b =
    match (body m a, body m b) with
    | Some a, Some b -> Same.blocks a b
    | _ -> false
  in
  let tells_nothing_new = function
    | Terminate -> only_moves_out m Terminate && only_moves_out m Block
    | New -> same New Unblock
    | Yield -> same Yield Tick
    | event -> body m event = Some []
  in
  List.filter
    (fun event -> may_come m ~during event && not (tells_nothing_new event))
    [ Unblock; New; Block; Terminate; Yield; Tick; Balancing; Newly_idle ]

let thieves m ~during = List.exists (Machine.steals m) (kinds m ~during)

let blocked_now m s t =
  let l = Machine.layout m in
  let p = s.(Layout.where l t) in
  p > 0 && l.policy.states.(Layout.state_of l p).state_class = Blocked

let threads_that m which f =
  for t = 0 to (Machine.layout m).threads - 1 do
    if which t then f t
  done

let is_due m s c =
  let l = Machine.layout m in
  s.(Layout.lock l c) = 0 && Machine.runs_nothing m s c && Look.waiting m s c

let starts m ~kinds s f =
  let l = Machine.layout m in
  let cores = l.topology.cores in
  let arrival event t =
    if Machine.reads_self m event then
      for self = 0 to cores - 1 do
        f event ~self ~target:t
      done
    else f event ~self:(-1) ~target:t
  in
  let running event =
    for c = 0 to cores - 1 do
      if s.(Layout.lock l c) = 0 then
        match Look.current m s c with
        | Some t -> f event ~self:c ~target:t
        | None -> ()
    done
  in
  let balancing event =
    if Machine.reads_self m event then
      for c = 0 to cores - 1 do
        f event ~self:c ~target:c
      done
    else f event ~self:(-1) ~target:0
  in
  let idle event =
    for c = 0 to cores - 1 do
      if
        s.(Layout.lock l c) = 0
        && Machine.runs_nothing m s c
        && not (is_due m s c)
      then f event ~self:c ~target:c
    done
  in
  List.iter
    (function
      | event when not (Machine.may_begin m s event) -> ()
      | Unblock ->
          (* A thread in no state yet may also have slept. *)
          threads_that m
            (fun t ->
              s.(Layout.where l t) = Layout.nowhere || blocked_now m s t)
            (arrival Unblock)
      | New ->
          threads_that m
            (fun t -> s.(Layout.where l t) = Layout.nowhere)
            (arrival New)
      | (Block | Terminate | Yield | Tick) as event -> running event
      | Balancing -> balancing Balancing
      | Newly_idle -> idle Newly_idle
      | _ -> ())
    kinds

let rec due_from m s c =
  c < (Machine.layout m).topology.cores && (is_due m s c || due_from m s (c + 1))

let any_due m s = Machine.has m Schedule && due_from m s 0

let due m s f =
  if Machine.has m Schedule then
    for c = 0 to (Machine.layout m).topology.cores - 1 do
      if is_due m s c then f c
    done

let settle m s =
  due m s (fun c ->
      ignore (Machine.run m s Schedule ~self:c ~target:c : Machine.report))
