open State
open Access

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

let label = function
  | Field (v, f, x) -> ("others see o%.% = o%", [ v; f; x ])
  | Pin (v, p) -> ("others see the pin of o%, %", [ v; p ])
  | Touch v -> ("others see that o% was lowered", [ v ])
  | Untouch h -> ("others see that heap % knows what was lowered", [ h ])
  | Storing true -> ("others see that it stores", [])
  | Storing false -> ("others see that it no longer stores", [])
  | Unlock -> ("others see that it no longer lowers", [])

include Buffers.Make (struct
  type nonrec state = State.t
  type nonrec write = write

  let buffer s d = s.domains.(d).buffer
  let with_buffer s d buffer = with_domain s d { (s.domains.(d)) with buffer }
  let apply = apply
  let waited_for = function Storing false | Unlock -> true | _ -> false
  let label = label
end)

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
