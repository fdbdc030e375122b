open State

let touch s heap touched =
  if heap = frozen then s
  else with_task s heap { (s.tasks.(heap)) with touched }

let apply s d = function
  | Field (v, f, x) -> with_field s v f x
  | Pin (v, pin) -> with_obj s v { (obj s v) with pin }
  | Touch v -> touch s (obj s v).heap true
  | Untouch heap -> touch s heap false
  | Storing storing -> with_domain s d { (s.domains.(d)) with storing }
  | Unlock -> { s with lowering = -1 }

(* What others only wait for becomes visible with what is before it: later is
   no different. *)
let rec settled s d =
  match s.domains.(d).buffer with
  | ((Storing false | Unlock) as w) :: buffer ->
      let s = with_domain s d { (s.domains.(d)) with buffer } in
      settled (apply s d w) d
  | _ -> s

let put s d w =
  let x = s.domains.(d) in
  settled (with_domain s d { x with buffer = x.buffer @ [ w ] }) d

let drained s d = s.domains.(d).buffer = []

let label = function
  | Field (v, f, x) -> ("others see o%.% = o%", [ v; f; x ])
  | Pin (v, p) -> ("others see the pin of o%, %", [ v; p ])
  | Touch v -> ("others see that o% was lowered", [ v ])
  | Untouch h -> ("others see that heap % knows what was lowered", [ h ])
  | Storing true -> ("others see that it stores", [])
  | Storing false -> ("others see that it no longer stores", [])
  | Unlock -> ("others see that it no longer lowers", [])

let flush s d =
  match s.domains.(d).buffer with
  | [] -> []
  | w :: buffer ->
      let s = with_domain s d { (s.domains.(d)) with buffer } in
      [ (label w, settled (apply s d w) d) ]

(* The newest in the buffer, or else what all see. *)
let look s d found otherwise =
  let newest old w = match found w with None -> old | new_ -> new_ in
  match List.fold_left newest None s.domains.(d).buffer with
  | Some x -> x
  | None -> otherwise

let field s d v f =
  let found = function
    | Field (v', f', x) when v' = v && f' = f -> Some x
    | _ -> None
  in
  look s d found (obj s v).fields.(f)

let own_pin s d v =
  let found = function Pin (v', p) when v' = v -> Some p | _ -> None in
  let o = obj s v in
  if o.heap = frozen then 1 else look s d found o.pin

let pin s d v = with_apart (obj s v) (own_pin s d v)

let is_private s d v =
  let o = obj s v in
  o.heap = leaf s d && private_pin (pin_of o)
