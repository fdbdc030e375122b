open State

let apply s = function
  | Field (v, f, x) ->
      let o = obj s v in
      with_obj s v { o with fields = set o.fields f x }
  | Mark (v, mark) -> with_obj s v { (obj s v) with mark }
  | Share v -> with_obj s v { (obj s v) with kind = Shared }

let put s d w =
  let x = s.domains.(d) in
  with_domain s d { x with buffer = x.buffer @ [ w ] }

let drained s d = s.domains.(d).buffer = []

let label = function
  | Field (v, f, x) -> ("others see o%.% = o%", [ v; f; x ])
  | Mark (v, m) -> ("others see that o% has mark %", [ v; m ])
  | Share v -> ("others see that o% is shared", [ v ])

let flush_one s d =
  match s.domains.(d).buffer with
  | [] -> None
  | w :: buffer ->
      let s = with_domain s d { (s.domains.(d)) with buffer } in
      Some (w, apply s w)

let flush s d =
  match flush_one s d with Some (w, s) -> [ (label w, s) ] | None -> []

let rec fence s d =
  match flush_one s d with Some (_, s) -> fence s d | None -> s

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

let fields s d v =
  List.init (Array.length (obj s v).fields) (fun f -> field s d v f)

let mark s d v =
  let found = function Mark (v', m) when v' = v -> Some m | _ -> None in
  look s d found (obj s v).mark

let kind s d v =
  let found = function Share v' when v' = v -> Some Shared | _ -> None in
  look s d found (obj s v).kind

let is_lent s d v = match kind s d v with Lent _ -> true | _ -> false
