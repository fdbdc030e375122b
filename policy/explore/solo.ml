open Core

type t = {
  instance : Instance.t;
  roots : Surroundings.t list;
  ranges : (attribute * int list) list;
  kept : int array;
}

(* {1 Construction} *)

(* The words of a state that the users of the machine keep there for
   themselves. *)
let aside = Layout.[ blocked; unblocked; placed; budget; scratch ]

let kept_words m relevant =
  let l = Machine.layout m in
  let dropped = Array.make l.fixed false in
  List.iter (fun i -> dropped.(i) <- true) aside;
  let owners = function
    | Of_thread -> l.threads
    | Of_core -> l.topology.cores
    | Of_group -> Array.length l.topology.groups
    | Of_domain -> Array.length l.topology.domains
    | Global -> 1
  in
  Array.iter
    (fun (a : attribute) ->
      if not (a.is_lazy || Relevant.kept relevant a) then
        for i = 0 to owners a.owner - 1 do
          dropped.(Layout.word l a i) <- true
        done)
    l.policy.attributes;
  List.filter (fun i -> not dropped.(i)) (List.init l.fixed Fun.id)
  |> Array.of_list

let make policy (bounds : Bounds.t) =
  let bounds = { bounds with events = 0 } in
  let instance =
    Instance.make ~topology:Topology.flat policy Promise.Waiting bounds
  in
  let relevant = Relevant.to_waits policy
  and topology = Topology.flat bounds.cores in
  {
    instance;
    roots = Kinds.roots policy relevant topology;
    ranges = Kinds.ranges policy relevant topology bounds.threads;
    kept = kept_words instance.machine relevant;
  }

(* {1 Cores} *)

let cores t = List.init t.instance.bounds.cores Fun.id

(* On several cores no thread comes, wakes, blocks or ends. *)
let closed t = t.instance.bounds.cores > 1

(* {1 Threads} *)

let class_of t s thread =
  match Look.place t.instance.machine s thread with
  | `New | `Moving -> None
  | `At (_, state) -> Some state.state_class

let queued t s thread = class_of t s thread = Some Ready

let waits t s thread =
  queued t s thread
  && not
       (List.exists
          (fun e ->
            Machine.evaluate t.instance.machine s ~target:(thread + 1) e <> 0)
          (Query.may_wait t.instance.policy))

(* A thread that has ended becomes a new thread; the system's values stay. *)
let renew t s thread =
  if class_of t s thread = Some Terminated then begin
    let m = t.instance.machine in
    let l = Machine.layout m in
    let first = Machine.initial m in
    s.(Layout.where l thread) <- first.(Layout.where l thread);
    s.(Layout.next l thread) <- first.(Layout.next l thread);
    Array.iter
      (fun (a : attribute) ->
        if a.owner = Of_thread && not (a.system || a.is_lazy) then
          Look.set_attribute m s a thread (Look.attribute m first a thread))
      l.policy.attributes
  end

(* {1 Handlers} *)

let run ?waker t s event ~self target =
  let m = t.instance.machine in
  if Machine.has m event then
    ignore (Machine.run ?waker m s event ~self ~target : Machine.report)

let run_core t s event c = run t s event ~self:c c
let idles t s c = Machine.runs_nothing t.instance.machine s c
let ready t s c = Look.waiting t.instance.machine s c
let asleep t c = Layout.asleep (Machine.layout t.instance.machine) c

let falls_asleep t s c =
  if idles t s c && (not (ready t s c)) && s.(asleep t c) = 0 then begin
    run_core t s Schedule c;
    run_core t s Newly_idle c;
    run_core t s Schedule c;
    if idles t s c then begin
      run_core t s Enter_idle c;
      s.(asleep t c) <- 1
    end
  end

let schedule t s c =
  run_core t s Schedule c;
  if s.(asleep t c) = 1 && not (idles t s c) then begin
    s.(asleep t c) <- 0;
    run_core t s Exit_idle c
  end

let apply t s (move : Instance.move) =
  (match move with
  | Begin { event = Schedule; self; _ } -> schedule t s self
  | Begin { event; self; target; waker; _ } ->
      if event = New then renew t s target;
      run ~waker t s event ~self target
  | Continue _ -> invalid_arg "Solo.apply: no whole handler");
  List.iter (falls_asleep t s) (cores t);
  Instance.clear s

let arrivals = [ New; Unblock ]
let of_running = [ Tick; Yield; Block; Terminate ]

let may_come t s thread = function
  | New -> (
      match class_of t s thread with
      | None | Some Terminated -> true
      | Some (Running | Ready | Blocked) -> false)
  | Unblock -> class_of t s thread = Some Blocked
  | _ -> false

let moves_of_threads t s whole =
  let m = t.instance.machine in
  List.iter
    (fun c ->
      Option.iter
        (fun thread ->
          List.iter
            (fun event -> whole event ~self:c thread)
            (if closed t then [ Tick; Yield ] else of_running);
          if
            (not (closed t))
            && Machine.has m Detach
            && not (Machine.has m Terminate)
          then whole Detach ~self:c thread)
        (Look.current m s c))
    (cores t);
  if not (closed t) then
    for thread = 0 to t.instance.bounds.threads - 1 do
      List.iter
        (fun event ->
          if may_come t s thread event then whole event ~self:0 thread)
        arrivals
    done

let moves t s f =
  let m = t.instance.machine in
  let whole event ~self target =
    if Machine.has m event then
      List.iter
        (fun waker ->
          f (Instance.Begin { runner = 0; event; self; target; waker }))
        (Instance.wakers m s event ~self ~target)
  in
  match List.find_opt (fun c -> idles t s c && ready t s c) (cores t) with
  | Some c -> whole Schedule ~self:c c
  | None ->
      moves_of_threads t s whole;
      if Machine.reads_self m Balancing then
        List.iter (fun c -> whole Balancing ~self:c c) (cores t)
      else whole Balancing ~self:0 0

(* {1 Starts} *)

let all_come t s =
  let comes thread =
    List.iter (schedule t s)
      (List.filter (fun c -> idles t s c && ready t s c) (cores t));
    run t s New ~self:0 thread
  in
  List.iter comes (List.init t.instance.bounds.threads Fun.id);
  List.iter
    (fun c -> if ready t s c && idles t s c then schedule t s c)
    (cores t)

(* The values of [any]: the first, the second or the last member. *)
let draws t =
  if Visits.draws t.instance.policy then [ 0; 1; max_int ] else [ 0 ]

let starts t f =
  let m = t.instance.machine in
  let kinds = Kinds.all t.ranges in
  let others = Kinds.combinations (t.instance.bounds.threads - 1) kinds in
  List.iter
    (fun (root, draw) ->
      List.iter
        (fun first ->
          List.iter
            (fun others ->
              let s = Machine.initial m in
              s.(Layout.draw) <- draw;
              Surroundings.set m s root;
              List.iteri
                (fun thread kind ->
                  List.iter
                    (fun (a, v) -> Look.set_attribute m s a thread v)
                    kind)
                (first :: others);
              List.iter
                (fun c ->
                  run_core t s Entry c;
                  run_core t s Enter_idle c)
                (cores t);
              if closed t then all_come t s;
              Instance.clear s;
              f s)
            others)
        kinds)
    (List.concat_map
       (fun root -> List.map (fun draw -> (root, draw)) (draws t))
       t.roots)

(* {1 The parts of a cycle} *)

type part = Scheduled of int | Ticked of int | Balanced

let parts t =
  let m = t.instance.machine in
  let on_each part = List.map part (cores t) in
  on_each (fun c -> Scheduled c)
  @ (if Machine.has m Tick then on_each (fun c -> Ticked c) else [])
  @ if Machine.has m Balancing then [ Balanced ] else []

let part_of t before (move : Instance.move) =
  match move with
  | Begin { event = Schedule; self; _ } ->
      let after = Array.copy before in
      apply t after move;
      if idles t after self then [] else [ Scheduled self ]
  | Begin { event = Tick; self; _ } -> [ Ticked self ]
  | Begin { event = Balancing; _ } -> [ Balanced ]
  | Begin _ | Continue _ -> []

let goes_round t moves from =
  let s = Array.copy from in
  let seen =
    List.concat_map
      (fun move ->
        let parts = part_of t s move in
        apply t s move;
        parts)
      moves
  in
  List.for_all (fun part -> List.mem part seen) (parts t)

(* {1 For people} *)

let place_name t s thread =
  match Look.place t.instance.machine s thread with
  | `At (c, state) when closed t && Query.runnable state ->
      Printf.sprintf "%s of core %d" state.state_name c
  | `At (_, state) -> state.state_name
  | `New | `Moving -> "nowhere"

let describe t before (move : Instance.move) after =
  match move with
  | Continue _ -> invalid_arg "Solo.describe: no whole handler"
  | Begin { event; self; target; waker; _ } ->
      let name = Query.event_name event in
      let about =
        match event with
        | Schedule | Balancing -> name
        | New when class_of t before target = Some Terminated ->
            Printf.sprintf "%s t%d, in place of one that ended" name target
        | _ when waker >= 0 -> Printf.sprintf "%s t%d by t%d" name target waker
        | _ -> Printf.sprintf "%s t%d" name target
      in
      let moved thread =
        let now = place_name t after thread in
        if place_name t before thread = now then None
        else Some (Printf.sprintf "t%d => %s" thread now)
      in
      let moves =
        List.filter_map moved (List.init t.instance.bounds.threads Fun.id)
      in
      Printf.sprintf "core %d: %s%s" self about
        (match moves with
        | [] -> ", nothing moves"
        | moves -> ": " ^ String.concat ", " moves)

(* {1 Keys} *)

(* A thread that is in no queue has no next thread. *)
let tidy t s =
  let l = Machine.layout t.instance.machine in
  for thread = 0 to l.threads - 1 do
    let place = s.(Layout.where l thread) in
    if not (place > 0 && Layout.in_structure l place) then
      s.(Layout.next l thread) <- 0
  done

(* Most words are small: one byte holds them. *)
let key t s =
  let s = Array.copy s in
  tidy t s;
  let b = Buffer.create (Array.length t.kept + 16) in
  Array.iter
    (fun i ->
      let v = s.(i) in
      if v >= -100 && v < 100 then Buffer.add_int8 b v
      else begin
        Buffer.add_int8 b 127;
        Buffer.add_int64_le b (Int64.of_int v)
      end)
    t.kept;
  Buffer.contents b

let restore t key s =
  let first = Machine.initial t.instance.machine in
  Array.blit first 0 s 0 (Array.length first);
  let at = ref 0 in
  Array.iter
    (fun i ->
      let v = String.get_int8 key !at in
      incr at;
      if v < 127 then s.(i) <- v
      else begin
        s.(i) <- Int64.to_int (String.get_int64_le key !at);
        at := !at + 8
      end)
    t.kept
