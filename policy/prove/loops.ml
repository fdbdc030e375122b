(* Symbolic explains how loops over sets of unknown members are summarised. *)

open Dromos_policy_core
open Core
open Types
open Paths
open Sets

(* A loop after [look_ahead] has tried the body: the changes made by iterations
   with a normal end. *)
type loop = {
  body : block;
  changed : local list;
  named : local list;
      (* the locals of [changed] that are never unset: a local that names a
         thread, core, group or domain before an iteration names something
         after the iteration *)
  goes_on_after_moves : bool;
  requeues : (state * place) list;
      (* the READY states of the handler's core to which continuing iterations
         have moved the loop's own thread *)
  always_moves : bool;
      (* each continuing iteration moves the thread of the iteration *)
  moves_otherwise : bool; (* continuing iterations have made other moves *)
}

(* Before every iteration but the first, threads may have been moved. *)
let disturb p loop =
  if loop.goes_on_after_moves then { p with words = Unknown } else p

(* The moves between two points of a path, newest first. *)
let rec moves_since before after =
  if after == before then []
  else match after with [] -> [] | m :: rest -> m :: moves_since before rest

let note_moves t x (before : path) (after : path) loop =
  let own (m : move) =
    m.moved = x && m.to_core = t.setting.self && m.to_state.state_class = Ready
  in
  match moves_since before.move_log after.move_log with
  | [] -> { loop with always_moves = false }
  | moves ->
      {
        loop with
        goes_on_after_moves = true;
        requeues =
          List.sort_uniq
            (fun (a, _) (b, _) -> Int.compare a.state_id b.state_id)
            (List.map (fun m -> (m.to_state, m.move_place)) moves
            @ loop.requeues);
        moves_otherwise = loop.moves_otherwise || not (List.for_all own moves);
      }

(* The queue emptied by the loop, or None: each iteration moved its member
   away, and no thread was moved or displaced into the queue. *)
let emptied t set loop =
  let enters (s : state) (to_state, _) =
    to_state.state_id = s.state_id
    || Query.displaced_to to_state = Some s.state_id
  in
  match set.stands_in with
  | Some (core, s)
    when core = t.setting.self && loop.always_moves
         && not (List.exists (enters s) loop.requeues) ->
      Some s
  | Some _ | None -> None

let words_after t ~before p set loop ~all =
  if (not loop.goes_on_after_moves) || loop.moves_otherwise then p
  else
    words_after_moves t ~before p (fun word ->
        match if all then emptied t set loop else None with
        | Some s ->
            Option.to_list
              (Option.map (fun v -> Term.eq v (Term.int 0)) (word s))
        | None -> [])

let unclear p =
  { p with why_unclear = Some "a loop goes on after it moved a thread" }

let rec foreach t p (each : local) set order body k =
  let instances, facts = set.instances_of p in
  let p = know p facts in
  let loop = look_ahead t p each set body in
  quietly t (fun () -> fall_through t p each set instances loop)
  |> List.iter (fun p -> k p Normal);
  leave t p each set instances order loop k

(* Runs [f] without calling [moved_hook] for the moves that [f] tries. *)
and quietly : 'a. t -> (unit -> 'a) -> 'a =
 fun t f ->
  let before = t.looking_ahead in
  t.looking_ahead <- true;
  Fun.protect f ~finally:(fun () -> t.looking_ahead <- before)

and forget t p loop =
  List.fold_left
    (fun p (l : local) ->
      match l.local_ty with
      | Cores -> bind_value p l (Many (look t l.local_name))
      | Threads | Groups | Domains ->
          bind_value p l (Many (opaque t l.local_name))
      | ty ->
          let p', v = unknown t p ty l.local_name in
          bind (know p' (still_named p loop l v)) l v)
    (forget_attributes p loop) loop.changed

and still_named p loop l v =
  match Ints.find_opt l.local_id p.locals with
  | Some (One before) when List.memq l loop.named ->
      let named x = Term.le (Term.int 0) x in
      [ Term.implies (named before) (named v) ]
  | Some _ | None -> []

(* Finds the locals that an iteration with a normal end may leave with a new
   value. The body is tried with more and more locals unknown, until no local
   is added. *)
and look_ahead t p each set body =
  let temporary = Blocks.temporaries body in
  let assigned =
    List.filter
      (fun (l : local) ->
        not (List.exists (fun (t : local) -> t.local_id = l.local_id) temporary))
      (Blocks.assigned_locals body)
  in
  let rec close loop =
    let p = disturb (forget t p loop) loop in
    let p, x = member_of t p each set in
    let found = ref loop in
    t.run.exec t (bind p each x) body (fun after outcome ->
        if outcome = Normal then begin
          found := note_moves t x p after !found;
          List.iter
            (fun l ->
              if (not (same p after l)) && not (List.memq l !found.changed) then
                found := { !found with changed = l :: !found.changed })
            assigned
        end);
    if
      List.compare_lengths !found.changed loop.changed = 0
      && !found.goes_on_after_moves = loop.goes_on_after_moves
    then !found
    else close !found
  in
  quietly t (fun () ->
      let loop =
        close
          {
            body;
            changed = [];
            named = [];
            goes_on_after_moves = false;
            requeues = [];
            always_moves = true;
            moves_otherwise = false;
          }
      in
      let p = disturb p loop in
      let named l = names_something l && never_unset t p each set l loop in
      { loop with named = List.filter named loop.changed })

and names_something (l : local) =
  match l.local_ty with
  | Thread | Core | Group | Domain -> true
  | Int | Bool | Enum _ | Threads | Cores | Groups | Domains -> false

(* True if no iteration unsets [l], whatever the other locals hold: if [l]
   names something before an iteration, [l] names something after the
   iteration. *)
and never_unset t p each set (l : local) loop =
  let start = forget t p loop in
  let start, x = member_of t start each set in
  match Ints.find_opt l.local_id start.locals with
  | Some (One before) ->
      let named x = Term.le (Term.int 0) x in
      let start = know start [ named before ] and stays = ref true in
      t.run.exec t (bind start each x) loop.body (fun after outcome ->
          if outcome = Normal then
            match Ints.find_opt l.local_id after.locals with
            | Some (One now) when now = before || holds after (named now) -> ()
            | _ -> stays := false);
      !stays
  | _ -> false

and same p after (l : local) =
  match
    (Ints.find_opt l.local_id p.locals, Ints.find_opt l.local_id after.locals)
  with
  | Some a, Some b -> a == b || same_value a b
  | None, _ -> true
  | Some _, None -> false

and same_value a b = match (a, b) with One a, One b -> a = b | _ -> false

(* Summarises any number of iterations that went on: one move to each target
   state of the loop's moves. The moved thread is any member, or none where the
   set was empty. One move is enough, because obligations ask where a move
   among READY states leads, and not how often the move is made. *)
and moved_on t p each set loop =
  if not loop.goes_on_after_moves then p
  else if loop.moves_otherwise then unclear (disturb p loop)
  else
    List.fold_left
      (fun p (to_state, move_place) ->
        let p, moved = unknown t p each.local_ty each.local_name in
        let there = Term.le (Term.int 0) moved in
        let p = know p [ Term.implies there (set.member moved) ] in
        let to_core = t.setting.self in
        let move = { moved; to_core; to_state; move_place } in
        { p with move_log = move :: p.move_log })
      (disturb p loop) loop.requeues

and member_of t p (each : local) set =
  let p, x = unknown t p each.local_ty each.local_name in
  (know p [ Term.le (Term.int 0) x; set.member x ], x)

(* Every iteration ended normally. If some local was changed, some iteration
   was the last to change a local. *)
and fall_through t p each set instances loop =
  let paths = ref [] and before = p in
  let keep p =
    let p = words_after t ~before p set loop ~all:true in
    let p = without_temporaries p loop in
    let p =
      if Blocks.sets loop.body = [] then p else forget_attributes p loop
    in
    paths := p :: !paths
  in
  let p = moved_on t p each set loop in
  some_unchanged t p each set instances loop (fun p ->
      every t p each set instances loop keep);
  if loop.changed <> [] then begin
    let before = forget t p loop in
    let before, x = member_of t before each set in
    t.run.exec t (bind before each x) loop.body (fun after outcome ->
        if
          outcome = Normal
          && not (List.for_all (same before after) loop.changed)
        then around t after each set x instances loop ~first_state:before keep)
  end;
  List.rev !paths

(* After the loop the temporaries hold the values that some iteration left. *)
and without_temporaries p loop =
  let remove locals (l : local) = Ints.remove l.local_id locals in
  {
    p with
    locals = List.fold_left remove p.locals (Blocks.temporaries loop.body);
  }

and forget_attributes p loop =
  let set_in_loop = List.map (fun a -> a.id) (Blocks.sets loop.body) in
  {
    p with
    attributes =
      List.filter
        (fun ((_, id), _) -> not (List.mem id set_in_loop))
        p.attributes;
  }

(* A set without known members may still have a member. The iteration of the
   unknown member leaves the locals unchanged, too. *)
and some_unchanged t p each set instances loop k =
  if instances <> [] || set.inhabited = Term.false_ then k p
  else begin
    Option.iter k (assume p (Term.not_ set.inhabited));
    Option.iter
      (fun p ->
        let p, x = member_of t p each set in
        unchanged t p each x loop k)
      (assume p set.inhabited)
  end

(* The iteration of each instance ends normally and leaves the locals
   unchanged. Attributes set by the loop have the values left by the iteration
   before. *)
and every t p each set instances loop k =
  match instances with
  | [] -> k p
  | x :: rest ->
      let continue p = every t p each set rest loop k in
      Option.iter continue (assume p (Term.not_ (set.member x)));
      Option.iter
        (fun p -> unchanged t p each x loop continue)
        (assume p (set.member x))

and unchanged t p each x loop k =
  let start = bind (forget_attributes p loop) each x in
  t.run.exec t start loop.body (fun after outcome ->
      if outcome = Normal then
        let same (l : local) =
          match
            ( Ints.find_opt l.local_id p.locals,
              Ints.find_opt l.local_id after.locals )
          with
          | Some (One a), Some (One b) -> Term.eq a b
          | _ -> Term.true_
        in
        Option.iter
          (fun after -> k { after with locals = p.locals })
          (assume_all after (List.map same loop.changed)))

(* The iteration at [x] was the last to change a local. Each instance [y] is
   equal to [x], or came later and changed nothing, or came earlier. *)
and around t p each set x instances loop ~first_state k =
  match instances with
  | [] -> k p
  | y :: rest ->
      let continue p = around t p each set x rest loop ~first_state k in
      Option.iter continue (assume p (Term.not_ (set.member y)));
      Option.iter continue (assume p (Term.eq x y));
      let other = assume_all p [ set.member y; Term.not_ (Term.eq x y) ] in
      Option.iter
        (fun p ->
          unchanged t p each y loop continue;
          earlier t p each y loop ~first_state continue)
        other

(* The iteration at [y] came before [x], and begins and ends with unknown
   locals. One fact remains: if no iteration can raise a local, the value at
   [x] is at most the value left at [y]. *)
and earlier t p each y loop ~first_state k =
  let start = forget t p loop in
  t.run.exec t (bind start each y) loop.body (fun after outcome ->
      if outcome = Normal then
        let falls (l : local) =
          if l.local_ty = Int && never_raised t p each l loop then
            match
              ( Ints.find_opt l.local_id after.locals,
                Ints.find_opt l.local_id first_state.locals )
            with
            | Some (One left), Some (One at_x) -> Term.le at_x left
            | _ -> Term.true_
          else Term.true_
        in
        Option.iter
          (fun after -> k { after with locals = p.locals })
          (assume_all after (List.map falls loop.changed)))

(* True if no iteration raises [l]: on each path [l] is unchanged, or the path
   has compared the new value with the old one. *)
and never_raised t p each l loop =
  let start = forget t p loop in
  let start, x = unknown t start each.local_ty each.local_name in
  match Ints.find_opt l.local_id start.locals with
  | Some (One before) ->
      let falls = ref true in
      t.run.exec t (bind start each x) loop.body (fun after outcome ->
          if outcome = Normal then
            match Ints.find_opt l.local_id after.locals with
            | Some (One now)
              when now = before
                   || holds after (Term.lt now before)
                   || holds after (Term.le now before) ->
                ()
            | _ -> falls := false);
      !falls
  | _ -> false

(* The loop is left at a member by return or break. In an ordered loop, an
   instance is the member itself, or came before the member and went on, or
   comes later in the order. A break may come before the iteration sets the
   temporaries, so the values of temporaries are dropped first: they may come
   from an earlier iteration. *)
and leave t p each set instances order loop k =
  let p = without_temporaries (forget t p loop) loop in
  let before = p in
  let p = moved_on t p each set loop in
  let p = words_after t ~before p set loop ~all:false in
  let p, x = member_of t p each set in
  let at_exit p =
    t.run.exec t (bind p each x) loop.body (fun p outcome ->
        match outcome with
        | Normal -> ()
        | Break_out -> k p Normal
        | Returned _ -> k p outcome)
  in
  if order = [] || each.local_ty <> Core then at_exit p
  else
    let rec place p = function
      | [] -> at_exit p
      | y :: rest ->
          let continue p = place p rest in
          Option.iter continue (assume p (Term.not_ (set.member y)));
          Option.iter continue (assume p (Term.eq x y));
          Option.iter
            (fun p ->
              t.run.keys t p order x (fun p of_x ->
                  t.run.keys t p order y (fun p of_y ->
                      Option.iter continue
                        (assume p (before_or_equal of_x of_y))));
              let q = forget t p loop in
              let went_on = ref [] in
              quietly t (fun () ->
                  t.run.exec t (bind q each y) loop.body (fun after outcome ->
                      if outcome = Normal then
                        went_on := { after with locals = p.locals } :: !went_on));
              List.iter continue !went_on)
            (assume_all p [ set.member y; Term.not_ (Term.eq x y) ])
    in
    place p instances
