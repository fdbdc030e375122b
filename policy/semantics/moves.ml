open Scope
open Emit

let adds_unblocked t =
  match t.event with New | Unblock | Attach -> true | _ -> false

let adds_blocked t =
  match t.event with
  | Block | Terminate | Detach | Withdraw -> true
  | _ -> false

let state_name t p = t.policy.states.(Layout.state_of t.layout p).state_name
let thread s f r = s.(f + r) - 1

(* With an affinity, the threads that can be stolen depend on the running
   thread. A core whose running thread changes is marked as in U, as if a thread
   had come. *)
let another_runs t s p =
  let l = t.layout in
  if
    Query.affinity t.policy <> None
    && Layout.in_structure l p
    && t.policy.states.(Layout.state_of l p).state_class = Running
  then Layout.mark l s Layout.unblocked (Layout.core_of l p)

(* The attributes that determine [cload], and (next function) the places in
   queues. *)
let weight t =
  List.concat_map Expressions.looks_at (Option.to_list (Query.load t.policy))

let orders t =
  let of_key (k : Core.key) =
    match k.by with
    | Attribute a -> Expressions.looks_at a
    | By_cload | By_count -> []
  in
  List.concat_map
    (fun (st : Core.state) ->
      match st.container with
      | Queue keys -> List.concat_map of_key keys
      | Slot | One _ | Nowhere -> [])
    (Array.to_list t.policy.states)

(* True for two queues or slots of one core. *)
let same_core l p q =
  Layout.in_structure l p && Layout.in_structure l q
  && Layout.core_of l p = Layout.core_of l q

(* The text does not name the thread of the event. *)
let says t s f r leaves took =
  let u = thread s f r in
  match (t.event, t.stealing_for) with
  | _, Some _ -> Printf.sprintf "%s t%d" took u
  | ( ( New | Unblock | Block | Terminate | Yield | Tick | Detach | Attach
      | Withdraw ),
      None )
    when s.(f + Frame.target) = s.(f + r) ->
      leaves
  | _ -> Printf.sprintf "t%d %s" u leaves

(* Fragment 1. A thread in no structure leaves without a step. No other handler
   can tell before the words change: the queue is seen under its lock only, and
   a core with a handler at work is neither overloaded nor idle by this
   fragment. *)
let leave t r ~(towards : Code.expression) =
  let l = t.layout in
  let into = match t.taking with Some k -> [ k.destination ] | None -> [] in
  step t ~mover:Later
    ~uses:((r :: into) @ towards.uses)
    ~shown:(fun s f -> Layout.in_structure l s.(Layout.where l (thread s f r)))
    ~say:(fun s f _ ->
      let p = s.(Layout.where l (thread s f r)) in
      Printf.sprintf "%s%s %s of core %d"
        (says t s f r "leaves" "takes")
        (if t.stealing_for = None then "" else " from")
        (state_name t p) (Layout.core_of l p))
    (fun s f ->
      let u = thread s f r in
      let p = s.(Layout.where l u) in
      if adds_blocked t && Layout.in_structure l p then
        Layout.mark l s Layout.blocked (Layout.core_of l p);
      another_runs t s p;
      (match t.taking with
      | Some k
        when t.fault <> Some Forget_unblocked
             && Layout.marked l s Layout.unblocked (Layout.core_of l p) ->
          Layout.mark l s Layout.unblocked s.(f + k.destination)
      | _ -> ());
      Fragments.leave t.fragments s u ~towards:(towards.value s f))

let say_words t verb core s f after =
  let l = t.layout in
  let c = core s f in
  Printf.sprintf "%s the words of core %d: cload %d, count %d" verb c
    after.(Layout.cload l c)
    after.(Layout.count l c)

(* Fragment 2. *)
let lower t r ~from ~(towards : Code.expression) =
  let l = t.layout in
  step t ~hands_over:(adds_blocked t)
    ~uses:((r :: from :: towards.Code.uses) @ weight t)
    ~shown:(fun s f ->
      let p = s.(f + from) and q = towards.value s f in
      Layout.in_structure l p && not (same_core l p q))
    ~say:(say_words t "lowers" (fun s f -> Layout.core_of l s.(f + from)))
    (fun s f ->
      let p = s.(f + from) and q = towards.value s f in
      if Layout.in_structure l p && not (same_core l p q) then begin
        if adds_blocked t then
          Layout.mark l s Layout.blocked (Layout.core_of l p);
        let u = thread s f r in
        Fragments.lower t.fragments s u ~from:p;
        (* A thread that moves to a state without a structure arrives when its
           words are lowered. *)
        if not (Layout.in_structure l q) then s.(Layout.where l u) <- q
      end)

(* Fragments 2 and 3 on one core; each changes the count of one state. *)
let shift t part ~from ~(towards : Code.expression) =
  let l = t.layout in
  let applies s f =
    let p = s.(f + from) and q = towards.Code.value s f in
    p <> q && same_core l p q
  in
  step t
    ~uses:(from :: towards.Code.uses)
    ~shown:(fun s f -> t.counts_seen && applies s f)
    ~say:(fun s f after ->
      let p = if part = 0 then s.(f + from) else towards.value s f in
      let c = Layout.core_of l p in
      Printf.sprintf "changes count(%d.%s) to %d" c (state_name t p)
        after.(Layout.count_in l c (Layout.state_of l p)))
    (fun s f ->
      if applies s f then
        Fragments.shift t.fragments s
          ~from:s.(f + from)
          ~towards:(towards.value s f) part)

let raised t s f q =
  let l = t.layout in
  let c = Layout.core_of l q in
  if adds_unblocked t then
    if f = l.fixed then s.(Layout.placed) <- c + 1
    else Layout.mark l s Layout.unblocked c

(* Fragment 3. [applies] reads the registers in [uses]. Without [queued] the
   state has no structure, and the step is never shown. *)
let raise_words ?(queued = true) t r ~applies ~uses ~(towards : Code.expression)
    =
  let l = t.layout in
  step t
    ~uses:((r :: uses) @ towards.Code.uses @ if queued then weight t else [])
    ~shown:applies
    ~say:
      (say_words t "raises" (fun s f -> Layout.core_of l (towards.value s f)))
    (fun s f ->
      if applies s f then begin
        let u = thread s f r and q = towards.value s f in
        raised t s f q;
        Fragments.raise_ t.fragments s u ~towards:q
      end)

(* Fragment 4. The reasons of fragment 1 apply here too. *)
let enter ?(queued = true) t r =
  let l = t.layout in
  let goal s f = Layout.destination s.(Layout.where l (thread s f r)) in
  let flying s f = s.(Layout.where l (thread s f r)) < Layout.waking in
  step t ~mover:Earlier
    ~uses:(r :: (if queued then orders t else []))
    ~shown:(fun s f -> flying s f && Layout.in_structure l (goal s f))
    ~say:(fun s f _ ->
      let p = goal s f in
      Printf.sprintf "%s%s %s of core %d"
        (says t s f r "enters" "puts")
        (if t.stealing_for = None then "" else " into")
        (state_name t p) (Layout.core_of l p))
    (fun s f ->
      if flying s f then begin
        let p = goal s f in
        if adds_unblocked t && Layout.in_structure l p then raised t s f p;
        another_runs t s p;
        Fragments.enter t.fragments s (thread s f r)
      end)

(* Runs under the lock of the core of [towards], before thread [r] comes there.
   If the place is for one thread and another thread stands there, the other
   thread is moved to the queue named by the state. The displaced thread stays
   on its core, so neither B nor U is marked. *)
let make_room t r ~(towards : Code.expression) =
  let l = t.layout in
  let one s = Query.displaced_to s <> None in
  if Array.exists one t.policy.states then begin
    let goes s f =
      let p = towards.value s f in
      if Layout.in_structure l p then Fragments.displaced_to l p else 0
    in
    let goes = { Code.value = goes; uses = towards.uses } in
    let into = save t goes and from = save t towards in
    let other =
      save t ~kind:A_thread
        {
          value =
            (fun s f ->
              if s.(f + into) = 0 then 0
              else
                let p = s.(f + from) in
                let c = Layout.core_of l p and state = Layout.state_of l p in
                let u = s.(Layout.head l c state) in
                if u = s.(f + r) then 0 else u);
          uses = [ into; from; r ];
        }
    in
    let t = { t with event = Tick; taking = None; stealing_for = None } in
    let towards = read into in
    if_ t (read other)
      (fun () ->
        leave t other ~towards;
        shift t 0 ~from ~towards;
        shift t 1 ~from ~towards;
        enter t other)
      ignore
  end

let arrive t r ~core =
  let l = t.layout in
  let towards : Code.expression =
    {
      value = (fun s f -> Layout.destination s.(Layout.where l (thread s f r)));
      uses = r :: core.Code.uses;
    }
  in
  make_room t r ~towards;
  raise_words t r ~towards ~uses:[] ~applies:(fun s f ->
      Layout.in_structure l (towards.value s f));
  enter t r

let append_to_chain t (k : taking) r =
  pure t ~uses:[ k.chain; r ] ~defines:[ k.chain ] (fun s f ->
      s.(f + k.chain) <-
        Fragments.append t.fragments s s.(f + k.chain) (thread s f r))

(* Takes the lock for this move only, and checks that the thread is still ready
   on the source. *)
let try_into_chain t (k : taking) r ~towards =
  let l = t.layout in
  let core : Code.expression = read k.source in
  lock t core;
  let place s f = s.(Layout.where l (thread s f r)) in
  let from = save t { value = place; uses = [ r ] } in
  let still_there s f =
    let p = s.(f + from) in
    if
      Layout.in_structure l p
      && Layout.core_of l p = s.(f + k.source)
      && t.policy.states.(Layout.state_of l p).state_class = Ready
    then 1
    else 0
  in
  if_ t
    { value = still_there; uses = [ from; k.source ] }
    (fun () ->
      leave t r ~towards;
      lower t r ~from ~towards;
      append_to_chain t k r)
    (fun () ->
      step t ~mover:Later ~uses:[ r; k.source ]
        ~say:(fun s f _ ->
          Printf.sprintf "does not find t%d ready on core %d any more"
            (thread s f r)
            s.(f + k.source))
        (fun _ _ -> ()));
  unlock t core

let into_chain t (k : taking) r ~from ~towards =
  let core : Code.expression = read k.source in
  leave t r ~towards;
  if t.fault = Some Lower_late then unlock t core;
  lower t r ~from ~towards;
  if t.fault = Some Lower_late then lock t core;
  append_to_chain t k r

(* A handler that does not hold its core's lock takes a lock for the move: the
   lock of the destination or, if the thread goes to no queue, of the core where
   it stands. *)
let locked t ~from ~towards work =
  if t.holds then work ()
  else begin
    let l = t.layout in
    let core : Code.expression =
      {
        value =
          (fun s f ->
            let p = s.(f + from) and q = towards.Code.value s f in
            if Layout.in_structure l q then Layout.core_of l q
            else if Layout.in_structure l p then Layout.core_of l p
            else -1);
        uses = from :: towards.uses;
      }
    in
    let core = read (save t core) in
    lock t core;
    work ();
    unlock t core
  end

let compile t ~thread ~core (state : Core.state) =
  let l = t.layout in
  let r = save t ~kind:A_thread thread in
  let queued = Query.runnable state in
  let towards =
    if queued then
      let c = save t core in
      {
        Code.value = (fun s f -> Layout.place l s.(f + c) state.state_id);
        uses = [ c ];
      }
    else constant (Layout.place l 0 state.state_id)
  in
  let there : Code.expression =
    {
      value =
        (fun s f ->
          if s.(f + r) > 0 && ((not queued) || s.(f + List.hd towards.uses) >= 0)
          then 1
          else 0);
      uses = r :: towards.uses;
    }
  in
  let place_of s f = s.(Layout.where l (s.(f + r) - 1)) in
  if_ t there
    (fun () ->
      let from = save t { value = place_of; uses = [ r ] } in
      match t.taking with
      | Some k -> (
          match t.source_lock with
          | Throughout -> into_chain t k r ~from ~towards
          | Each_move -> try_into_chain t k r ~towards)
      | None ->
          locked t ~from ~towards (fun () ->
              make_room t r ~towards;
              leave t r ~towards;
              lower t r ~from ~towards;
              shift t 0 ~from ~towards;
              shift t 1 ~from ~towards;
              raise_words t r ~queued ~towards ~uses:[ from ]
                ~applies:(fun s f ->
                  let p = s.(f + from) and q = towards.value s f in
                  Layout.in_structure l q && not (same_core l p q));
              enter t r ~queued))
    ignore
