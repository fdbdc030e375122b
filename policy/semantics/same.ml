open Core

(* Locals are numbered through the whole policy: two locals are the same if they
   stand at the same points of both parts. *)
type t = { mutable pairs : (int * int) list }

let local t a b =
  match List.assoc_opt a.local_id t.pairs with
  | Some id -> id = b.local_id
  | None ->
      t.pairs <- (a.local_id, b.local_id) :: t.pairs;
      a.local_ty = b.local_ty

let option f a b =
  match (a, b) with None, None -> true | Some a, Some b -> f a b | _ -> false

let list f a b = List.length a = List.length b && List.for_all2 f a b

let measure a b =
  match (a, b) with
  | Attribute a, Attribute b -> a.id = b.id
  | By_cload, By_cload | By_count, By_count -> true
  | _ -> false

let keys = list (fun a b -> a.direction = b.direction && measure a.by b.by)

let rec expression t a b =
  let e = expression t in
  match (a.it, b.it) with
  | Int_value m, Int_value n -> m = n
  | Bool_value m, Bool_value n -> m = n
  | Member (x, i), Member (y, j) -> x.enum_name = y.enum_name && i = j
  | Local x, Local y -> local t x y
  | Read (o, x), Read (p, y) -> x.id = y.id && option e o p
  | Cload x, Cload y
  | Runnable x, Runnable y
  | Cores_of x, Cores_of y
  | Groups_of x, Groups_of y
  | Domains_of x, Domains_of y
  | Any x, Any y
  | Empty x, Empty y
  | Valid x, Valid y
  | Not x, Not y
  | Minus x, Minus y ->
      e x y
  | Count (x, s), Count (y, u) | Threads_in (x, s), Threads_in (y, u) ->
      s.state_id = u.state_id && e x y
  | First (x, k), First (y, l) -> e x y && keys k l
  | In (x, y), In (u, v) -> e x u && e y v
  | Those x, Those y ->
      e x.among y.among && local t x.each y.each && e x.holds y.holds
  | Operation (o, x, y), Operation (p, u, v) -> o = p && e x u && e y v
  | If_else (x, y, z), If_else (u, v, w) -> e x u && e y v && e z w
  | Call (f, x), Call (g, y) -> f.func_id = g.func_id && list e x y
  | ( ( No_thread | No_core | No_group | No_domain | Self | Target | Waker
      | All_cores ),
      _ )
  | (Idle_cores | Active_cores | Filtered), _ ->
      a.it = b.it
  | _ -> false

let rec statement t a b =
  let e = expression t in
  match (a.what, b.what) with
  | Set_local (x, v), Set_local (y, w) -> e v w && local t x y
  | Set (o, x, v), Set (p, y, w) -> x.id = y.id && option e o p && e v w
  | Move m, Move n ->
      e m.thread n.thread && e m.core n.core
      && m.state.state_id = n.state.state_id
  | If (c, x, y), If (d, u, v) -> e c d && block t x u && block t y v
  | Foreach f, Foreach g ->
      e f.among g.among && keys f.order g.order && local t f.each g.each
      && block t f.body g.body
  | Break, Break -> true
  | Return x, Return y -> option e x y
  | Steal_for s, Steal_for u -> option e s.group u.group && e s.core u.core
  | Do x, Do y -> e x y
  | _ -> false

and block t a b = list (statement t) a b

let blocks a b = block { pairs = [] } a b
