type config = unit

let variants =
  [ ("sequential_closures", "direct calls of the branches' closures", ()) ]

let parallel = false

type pool = unit

let create () ~workers:_ = ()
let close () = ()

type ctx = unit

let run () f = f ()

(* Never inlined: the program must make and call the closures, as for a
   scheduler. *)
let[@inline never] both () f g =
  let a = f () in
  let b = g () in
  (a, b)

let for_ () ~chunk:_ lo hi f =
  for i = lo to hi - 1 do
    f i
  done

type 'a promise = 'a

let[@inline never] async () f = f ()
let await () p = p
let map_chain = None
