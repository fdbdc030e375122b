open Core
open Scope
open Emit

(* Phase 1: the members of a set that the filter lets through. *)
let filtered t ~set:among ?(but = fun _ -> ()) (filter : filter) destination =
  let bits = t.layout.members.bits in
  let rest = save t (Expressions.map1 (Bits.copy bits) among) in
  but rest;
  let admitted = save t (constant 0) in
  let each = Assembler.fresh t.asm in
  while_ t
    (fun () -> read rest)
    (fun _ ->
      Expressions.next_of t ~rest ~each;
      Emit.set t (register t filter.filter_source) (read each);
      Emit.set t (register t filter.filter_destination) (read destination);
      let admits = Expressions.compile t filter.admits in
      pure t
        ~uses:([ admitted; each ] @ admits.uses)
        ~defines:[ admitted ]
        (fun s f ->
          if admits.value s f <> 0 then
            Bits.add bits s (f + admitted) s.(f + each)));
  admitted

(* Phase 2: selects a member and removes it from the set, then runs the body.
   [repeated]: until the set is empty or the selection names no member. *)
let selected t ~admitted ~select ~source ~repeated body =
  let bits = t.layout.members.bits in
  let all_over = Assembler.label () in
  while_ t
    (fun () -> read admitted)
    (fun stop ->
      let chosen =
        Expressions.compile { t with filtered = Some (read admitted) } select
      in
      Emit.set t source chosen;
      let valid : Code.expression =
        {
          value =
            (fun s f ->
              let c = s.(f + source) in
              if c >= 0 && Bits.mem bits s.(f + admitted) c then 1 else 0);
          uses = [ source; admitted ];
        }
      in
      Assembler.emit t.asm (Branch { test = valid; otherwise = stop });
      pure t ~uses:[ admitted; source ] ~defines:[ admitted ] (fun s f ->
          Bits.remove bits s (f + admitted) s.(f + source));
      body all_over;
      if not repeated then Assembler.emit t.asm (Jump stop));
  Assembler.place t.asm all_over

let until t condition all_over =
  Option.iter
    (fun e ->
      let v = Expressions.compile t e in
      if_ t v (fun () -> Assembler.emit t.asm (Jump all_over)) ignore)
    condition

(* The next ready thread of the core to offer: the thread after [u] in its
   queue, or the first thread of a later queue. Call it before [u] is moved. *)
let following (l : Layout.t) ready s core u =
  let rec first = function
    | [] -> 0
    | st :: later ->
        let u = s.(Layout.head l core st) in
        if u > 0 then u else first later
  in
  if u = 0 then first ready
  else
    let next = s.(Layout.next l (u - 1)) in
    if next > 0 then next
    else
      let state = Layout.state_of l s.(Layout.where l (u - 1)) in
      first (List.filter (fun st -> st > state) ready)

let offer t (steal : steal_core) (k : taking) =
  let l = t.layout in
  let ready = List.map (fun st -> st.state_id) (Query.ready t.policy) in
  let candidate = Assembler.fresh ~kind:A_thread t.asm in
  let next =
    save t ~kind:A_thread
      {
        value = (fun s f -> following l ready s s.(f + k.source) 0);
        uses = [ k.source ];
      }
  in
  while_ t
    (fun () -> read next)
    (fun stop ->
      pure t ~uses:[ next; k.source ] ~defines:[ candidate; next ] (fun s f ->
          s.(f + candidate) <- s.(f + next);
          s.(f + next) <- following l ready s s.(f + k.source) s.(f + candidate));
      Emit.set t (register t steal.candidate) (read candidate);
      let leave = Assembler.label () in
      let inner =
        { t with taking = Some k; leave; stop = None; result = None }
      in
      t.block inner steal.take;
      Assembler.place t.asm leave;
      until inner steal.enough stop)

(* Reads the ready threads at one moment, then offers each of them without
   holding the lock. *)
let offer_unlocked t (steal : steal_core) (k : taking) =
  let l = t.layout in
  let over = Assembler.label () in
  let each_of (st : state) =
    let first = Assembler.fresh ~kind:A_thread ~count:l.threads t.asm in
    let all = List.init l.threads (fun i -> first + i) in
    let ready s c =
      let rec from u =
        if u = 0 then [] else u :: from s.(Layout.next l (u - 1))
      in
      from s.(Layout.head l c st.state_id)
    in
    step t ~uses:[ k.source ] ~defines:all
      ~ready:(fun s f -> s.(Layout.lock l s.(f + k.source)) = 0)
      ~say:(fun s f _ ->
        let c = s.(f + k.source) in
        Printf.sprintf "looks into %s of core %d: %s" st.state_name c
          (match ready s c with
          | [] -> "nothing"
          | us ->
              String.concat " "
                (List.map (fun u -> "t" ^ string_of_int (u - 1)) us)))
      (fun s f ->
        Array.fill s (f + first) l.threads 0;
        List.iteri
          (fun i u -> s.(f + first + i) <- u)
          (ready s s.(f + k.source)));
    Expressions.over_list t Thread (first, l.threads) (fun candidate _ ->
        Emit.set t (register t steal.candidate) (read candidate);
        let leave = Assembler.label () in
        let inner =
          { t with taking = Some k; leave; stop = None; result = None }
        in
        t.block inner steal.take;
        Assembler.place t.asm leave;
        until inner steal.enough over)
  in
  List.iter each_of (Query.ready t.policy);
  Assembler.place t.asm over

let arrive t (k : taking) =
  let l = t.layout in
  let destination = read k.destination in
  let one = Assembler.fresh ~kind:A_thread t.asm in
  if_ t (read k.chain)
    (fun () ->
      lock t destination;
      if t.fault = Some Early_release then unlock t destination;
      while_ t
        (fun () -> read k.chain)
        (fun stop ->
          pure t ~uses:[ k.chain ] ~defines:[ k.chain; one ] (fun s f ->
              let u = s.(f + k.chain) in
              s.(f + one) <- u;
              s.(f + k.chain) <- s.(Layout.next l (u - 1));
              s.(Layout.next l (u - 1)) <- 0);
          Moves.arrive t one ~core:destination;
          if t.fault = Some Lose_thread then Assembler.emit t.asm (Jump stop));
      if t.fault <> Some Early_release then unlock t destination)
    ignore

(* Phase 3. *)
let migrate t steal (k : taking) =
  let nothing_yet () = set t k.chain (constant 0) in
  (match t.source_lock with
  | Throughout ->
      lock t (read k.source);
      nothing_yet ();
      offer t steal k;
      unlock t (read k.source)
  | Each_move ->
      nothing_yet ();
      offer_unlocked t steal k);
  arrive t k

let for_core t (steal : steal_core) ~among ~destination =
  let t = { t with stealing_for = Some destination } in
  let bits = t.layout.members.bits in
  let skipped =
    if t.fault = Some Skip_core then t.layout.topology.cores - 1 else -1
  in
  let but rest =
    pure t ~uses:[ rest; destination ] ~defines:[ rest ] (fun s f ->
        let leave_out c = if c >= 0 then Bits.remove bits s (f + rest) c in
        leave_out s.(f + destination);
        leave_out skipped)
  in
  let source = register t steal.source in
  set t (register t steal.destination) (read destination);
  let chain = Assembler.fresh ~kind:Chain t.asm in
  let admitted = filtered t ~set:among ~but steal.can_steal_core destination in
  selected t ~admitted ~select:steal.select_core ~source
    ~repeated:steal.repeated (fun all_over ->
      migrate t steal { source; destination; chain };
      until t steal.until all_over)

let compile t ~group ~core =
  match t.policy.steal with
  | None -> ()
  | Some { by_group; by_core } -> (
      let topology = t.layout.topology and members = t.layout.members in
      let destination = save t core in
      match (by_group, group) with
      | Some by_group, Some group ->
          let group = save t group in
          let neighbours : Code.expression =
            {
              value =
                (fun s f ->
                  let g = s.(f + group) in
                  if g < 0 then 0
                  else members.domain_groups.(topology.groups.(g).group_domain));
              uses = [ group ];
            }
          in
          let t = { t with stealing_for = Some destination } in
          let source = register t by_group.source_group in
          set t (register t by_group.destination_group) (read group);
          let admitted =
            filtered t ~set:neighbours by_group.can_steal_group group
          in
          selected t ~admitted ~select:by_group.select_group ~source
            ~repeated:by_group.group_repeated (fun all_over ->
              let among : Code.expression =
                {
                  value = (fun s f -> members.group_cores.(s.(f + source)));
                  uses = [ source ];
                }
              in
              for_core t by_core ~among ~destination;
              until t by_group.group_until all_over)
      | _, Some group ->
          let among : Code.expression =
            {
              group with
              value =
                (fun s f ->
                  let g = group.value s f in
                  if g < 0 then 0 else members.group_cores.(g));
            }
          in
          for_core t by_core ~among ~destination
      | _, None ->
          for_core t by_core ~among:(constant members.all_cores) ~destination)
