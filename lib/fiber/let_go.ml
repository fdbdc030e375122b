(* The finaliser belongs to a reference that only a weak pointer leads to. The
   next collection thus always calls the finaliser, and no table of a domain
   keeps the value itself. A value in such a table would be found there by the
   next question, perhaps from another domain, and would be marked as long as
   the table's domain does not run. *)
type 'a t = { weak : 'a ref Weak.t; kept : 'a ref option ref }

let[@inline never] keep kept holder = kept := Some holder

(* The inner function is a closure with code of its own, by which [finaliser] is
   recognised; a partial application would not do. *)
let keeps kept = fun holder -> keep kept holder

let[@inline never] value x =
  let weak = Weak.create 1 and kept = ref None and holder = ref x in
  Weak.set weak 0 (Some holder);
  Gc.finalise (keeps kept) holder;
  { weak; kept }

let finaliser () = Obj.repr (keeps (ref None))

(* [back] empties the weak pointer, since a later question asks which values
   weak pointers lead to. *)
let back { weak; kept } =
  let found =
    match !kept with Some _ as found -> found | None -> Weak.get weak 0
  in
  kept := None;
  Weak.set weak 0 None;
  !(Option.get found)
