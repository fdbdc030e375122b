type 'a t = { weak : 'a Weak.t; kept : 'a option ref }

let[@inline never] keep kept x = kept := Some x

(* A closure with code of its own, by which [finaliser] is known; not a partial
   application. *)
let keeps kept = fun x -> keep kept x

let[@inline never] value x =
  let weak = Weak.create 1 and kept = ref None in
  Weak.set weak 0 (Some x);
  Gc.finalise (keeps kept) x;
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
  Option.get found
