open Core
open Layout

type order = state -> int -> int -> bool

type t = {
  layout : Layout.t;
  orders : order array;
  load : state -> int -> int;
  mutable log : (int * int) list option;
}

(* A slot too is a chain, of at most one thread. *)
let unlink l s t p =
  let rec from word =
    let u = s.(word) in
    if u = t + 1 then s.(word) <- s.(next l t)
    else if u > 0 then from (next l (u - 1))
  in
  from (head l (core_of l p) (state_of l p));
  s.(next l t) <- 0

let leave ({ layout = l; _ } as m) s t ~towards =
  let p = s.(where l t) in
  Option.iter (fun log -> m.log <- Some ((t, p) :: log)) m.log;
  if in_structure l p then unlink l s t p;
  s.(where l t) <- flight towards

let add s word by = s.(word) <- s.(word) + by

let words { layout = l; load; _ } s t p by =
  let c = core_of l p in
  add s (cload l c) (by * load s t);
  add s (count l c) by;
  add s (count_in l c (state_of l p)) by

let lower m s t ~from = words m s t from (-1)
let raise_ m s t ~towards = words m s t towards 1

let shift { layout = l; _ } s ~from ~towards part =
  let word p = count_in l (core_of l p) (state_of l p) in
  if part = 0 then add s (word from) (-1) else add s (word towards) 1

(* First in, first out among equals: the thread enters before the first thread
   that must stand after it. *)
let insert { layout = l; orders; _ } s t p =
  let state = state_of l p in
  let before = orders.(state) in
  let rec from word =
    let u = s.(word) in
    if u = 0 || before s t (u - 1) then begin
      s.(next l t) <- u;
      s.(word) <- t + 1
    end
    else from (next l (u - 1))
  in
  from (head l (core_of l p) state)

let enter m s t =
  let l = m.layout in
  let p = destination s.(where l t) in
  if in_structure l p then insert m s t p;
  s.(where l t) <- p

let displaced_to l p =
  match Query.displaced_to l.policy.states.(state_of l p) with
  | Some into -> place l (core_of l p) into
  | None -> 0

let make_room ({ layout = l; _ } as m) s p =
  let towards = displaced_to l p in
  let u = if towards = 0 then 0 else s.(head l (core_of l p) (state_of l p)) in
  if u > 0 then begin
    leave m s (u - 1) ~towards;
    shift m s ~from:p ~towards 0;
    shift m s ~from:p ~towards 1;
    enter m s (u - 1)
  end

let append { layout = l; _ } s chain t =
  s.(next l t) <- 0;
  if chain = 0 then t + 1
  else begin
    let rec last u = if s.(next l u) = 0 then u else last (s.(next l u) - 1) in
    s.(next l (last (chain - 1))) <- t + 1;
    chain
  end

let iter { layout = l; _ } s c state f =
  let rec from u =
    if u > 0 then begin
      let after = s.(next l (u - 1)) in
      f (u - 1);
      from after
    end
  in
  from s.(head l c state)

let length { layout = l; _ } s c state =
  let rec from u n = if u = 0 then n else from s.(next l (u - 1)) (n + 1) in
  from s.(head l c state) 0

let over_states m f =
  let total = ref 0 in
  Array.iter
    (fun st -> if Query.runnable st then total := !total + f st.state_id)
    m.layout.policy.states;
  !total

let really m s c = over_states m (length m s c)

let real_load m s c =
  over_states m (fun state ->
      let sum = ref 0 in
      iter m s c state (fun t -> sum := !sum + m.load s t);
      !sum)

let synch m s c =
  let l = m.layout in
  s.(count l c) = really m s c
  && s.(cload l c) = real_load m s c
  && Array.for_all
       (fun st ->
         (not (Query.runnable st))
         || s.(count_in l c st.state_id) = length m s c st.state_id)
       l.policy.states
