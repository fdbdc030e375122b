(* The finaliser is attached to a reference that nothing else has, so one collection
   always calls it, and no table of a domain keeps the value itself. A value that
   stayed in such a table would be found there by the next question, perhaps of another
   domain, and be marked as long as the domain of the table does not run. *)
type 'a t = { weak : 'a ref Weak.t; kept : 'a ref option ref }

let[@inline never] keep kept holder = kept := Some holder

(* A closure with code of its own, by which [finaliser] is known; not a partial
   application. *)
let keeps kept = fun holder -> keep kept holder

let[@inline never] value x =
  let weak = Weak.create 1 and kept = ref None and holder = ref x in
  Weak.set weak 0 (Some holder);
  Gc.finalise (keeps kept) holder;
  { weak; kept }

let finaliser () = Obj.repr (keeps (ref None))

(* The weak pointer is emptied, since a later question asks what weak pointers
   lead to. *)
let back { weak; kept } =
  let found =
    match !kept with Some _ as found -> found | None -> Weak.get weak 0
  in
  kept := None;
  Weak.set weak 0 None;
  !(Option.get found)
