module Map = Map.Make (String)

type t = string Map.t

let of_list = Map.of_list

let rec get t name =
  match Map.find_opt name t with
  | None -> ""
  | Some value ->
      let b = Buffer.create 80 in
      Buffer.add_substitute b (get (Map.remove name t)) value;
      Buffer.contents b

let quoted = Str.regexp "'[^']*'\\|\"[^\"]*\"\\|[^ '\"\t\n]+"

let words t name =
  let bare w = Str.global_replace (Str.regexp {|^['"]\|['"]$|}) "" w in
  List.filter_map
    (function Str.Delim w -> Some (bare w) | Text _ -> None)
    (Str.full_split quoted (get t name))

let set = Map.add

let append name value t =
  Map.add name (Option.value ~default:"" (Map.find_opt name t) ^ value) t

let default name value t = if Map.mem name t then t else Map.add name value t
let unset = Map.remove
let all t = List.map (fun (name, _) -> (name, get t name)) (Map.bindings t)
