module type Memory = sig
  type state
  type write

  val buffer : state -> int -> write list
  val with_buffer : state -> int -> write list -> state
  val apply : state -> int -> write -> state
  val waited_for : write -> bool
  val label : write -> Label.t
end

module Make (M : Memory) = struct
  let rec settled s d =
    match M.buffer s d with
    | w :: rest when M.waited_for w ->
        settled (M.apply (M.with_buffer s d rest) d w) d
    | _ -> s

  let put s d w = settled (M.with_buffer s d (M.buffer s d @ [ w ])) d
  let drained s d = M.buffer s d = []

  let flush s d =
    match M.buffer s d with
    | [] -> []
    | w :: rest ->
        let s = M.apply (M.with_buffer s d rest) d w in
        [ (M.label w, settled s d) ]

  let rec fence s d = match flush s d with (_, s) :: _ -> fence s d | [] -> s

  let look s d found otherwise =
    let newest old w = match found w with None -> old | new_ -> new_ in
    let seen = List.fold_left newest None (M.buffer s d) in
    Option.value seen ~default:otherwise
end
