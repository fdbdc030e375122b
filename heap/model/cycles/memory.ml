open State
open Access

let apply s { target; field; v } =
  let o = obj s target in
  with_obj s target { o with fields = Pointers.set o.fields field v }

include Buffers.Make (struct
  type state = State.t
  type nonrec write = write

  let buffer s d = s.domains.(d).buffer
  let with_buffer s d buffer = with_domain s d { (s.domains.(d)) with buffer }
  let apply s _ w = apply s w
  let waited_for _ = false
  let label { target; field; v } = ("others see o%.% = o%", [ target; field; v ])
end)

let field s d v f =
  let found w = if w.target = v && w.field = f then Some w.v else None in
  look s d found (obj s v).fields.(f)

let fields s d v =
  List.init (Array.length (obj s v).fields) (fun f -> field s d v f)
