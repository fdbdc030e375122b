open Core

type t = {
  kept_ids : (int, unit) Hashtbl.t;
  core_ids : (int, unit) Hashtbl.t;  (** without the orders of queues *)
  set_ids : (int, unit) Hashtbl.t;
  compared : (int * int) list;
  policy : policy;
}

let reads e =
  let found = ref [] in
  Visits.expression
    (fun e -> match e.it with Read (_, a) -> found := a :: !found | _ -> ())
    e;
  !found

let reads_of block =
  let found = ref [] in
  Visits.block block ~statement:ignore ~expression:(fun e ->
      match e.it with Read (_, a) -> found := a :: !found | _ -> ());
  !found

(* The keys of queues, and of [first] over threads, are orders among threads.
   The keys of [first] over cores decide where threads go. *)
let among_threads e = match e.ty_of with Threads | Thread -> true | _ -> false

let order_keys keys =
  List.filter_map
    (fun k -> match k.by with Attribute a -> Some a | _ -> None)
    keys

let queue_orders p =
  List.concat_map
    (fun st ->
      match st.container with Queue keys -> order_keys keys | _ -> [])
    (Array.to_list p.states)

(* The reads outside of assignments ([seeds]), the orders among threads, and
   the assignments: pairs of the set attribute and an attribute read for its
   value. *)
let uses p =
  let seeds = ref [] and orders = ref (queue_orders p) and sets = ref [] in
  (* A table by place, since the reads may be many. Two reads may have the same
     place. *)
  let in_assignment = Hashtbl.create 64 in
  let statement = function
    | Set (_, a, e) ->
        List.iter (fun b -> sets := (a, b) :: !sets) (reads e);
        sets := (a, a) :: !sets;
        Visits.expression
          (fun e ->
            match e.it with
            | Read _ -> Hashtbl.add in_assignment e.at e
            | _ -> ())
          e
    | Foreach { among; order; _ } ->
        if among_threads among then orders := order_keys order @ !orders
        else seeds := order_keys order @ !seeds
    | _ -> ()
  in
  Visits.policy ~statement ~expression:ignore p;
  let expression e =
    match e.it with
    | Read (_, a) ->
        if not (List.memq e (Hashtbl.find_all in_assignment e.at)) then
          seeds := a :: !seeds
    | First (among, keys) ->
        if among_threads among then orders := order_keys keys @ !orders
        else seeds := order_keys keys @ !seeds
    | _ -> ()
  in
  Visits.policy ~statement:ignore ~expression p;
  (!seeds, !orders, !sets)

let close sets seeds =
  let ids = Hashtbl.create 16 and made_of = Hashtbl.create 16 in
  List.iter (fun (a, b) -> Hashtbl.add made_of a.id b) sets;
  let rec add a =
    if not (Hashtbl.mem ids a.id) then begin
      Hashtbl.add ids a.id ();
      List.iter add (Hashtbl.find_all made_of a.id);
      if a.is_lazy then Option.iter (fun e -> List.iter add (reads e)) a.initial
    end
  in
  List.iter add seeds;
  ids

let comparisons p =
  let found = ref [] in
  let rec constant e =
    match e.it with
    | Int_value n -> Some n
    | Minus e -> Option.map ( ~- ) (constant e)
    | _ -> None
  in
  let pair a b =
    match (a.it, constant b) with
    | Read (_, x), Some n -> found := (x.id, n) :: !found
    | _ -> ()
  in
  Visits.policy ~statement:ignore
    ~expression:(fun e ->
      match e.it with
      | Operation ((Div | Mod), _, { it = Read (_, x); _ }) ->
          found := (x.id, 0) :: !found
      | Operation ((Eq | Ne | Lt | Le | Gt | Ge), a, b) ->
          pair a b;
          pair b a
      | _ -> ())
    p;
  !found

let make policy =
  let seeds, orders, sets = uses policy in
  let affinity = Option.to_list (Query.affinity policy) in
  let told = List.concat_map (fun f -> reads_of f.func_body) affinity in
  let seeds = Option.to_list (Query.load policy) @ told @ seeds in
  let core_ids = close sets seeds in
  let of_threads =
    Array.exists
      (fun a -> a.owner = Of_thread && Hashtbl.mem core_ids a.id)
      policy.attributes
  in
  let kept_ids =
    if of_threads then close sets (orders @ seeds) else Hashtbl.copy core_ids
  in
  let set_ids = Hashtbl.create 16 in
  Visits.policy
    ~statement:(function
      | Set (_, a, _) -> Hashtbl.replace set_ids a.id () | _ -> ())
    ~expression:ignore policy;
  { kept_ids; core_ids; set_ids; compared = comparisons policy; policy }

let to_waits policy =
  let seeds, orders, sets = uses policy in
  let exempt = List.concat_map reads (Query.may_wait policy) in
  let all = Option.to_list (Query.load policy) @ exempt @ orders @ seeds in
  { (make policy) with kept_ids = close sets all }

let late policy event =
  let granted = Query.rounds policy > 0 in
  let balances = granted || event = Balancing in
  let comes h =
    h.event = event || h.event = Schedule || (granted && h.event = Balancing)
  in
  let late =
    make
      {
        policy with
        handlers = List.filter comes policy.handlers;
        steal = (if balances then policy.steal else None);
      }
  in
  (* Attributes set by the removed handlers keep their values. *)
  { late with set_ids = (make policy).set_ids }

let kept t a = Hashtbl.mem t.kept_ids a.id && not a.is_lazy

let distinguishing t =
  List.filter
    (fun a ->
      a.owner = Of_thread && Hashtbl.mem t.core_ids a.id && not a.is_lazy)
    (Array.to_list t.policy.attributes)

let constants t a =
  List.filter_map (fun (id, n) -> if id = a.id then Some n else None) t.compared

let assigned t a = Hashtbl.mem t.set_ids a.id
