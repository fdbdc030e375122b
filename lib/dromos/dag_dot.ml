open Dag_graph

let escaped name =
  let b = Buffer.create (String.length name) in
  String.iter
    (fun c ->
      match c with
      | '"' | '\\' ->
          Buffer.add_char b '\\';
          Buffer.add_char b c
      | '\n' -> Buffer.add_string b "\\n"
      | c -> Buffer.add_char b c)
    name;
  Buffer.contents b

let pp ppf g =
  let vertices = List.rev g.vertices in
  Format.fprintf ppf "@[<v 2>digraph {";
  List.iter
    (fun v -> Format.fprintf ppf "@,v%d [label=\"%s\"];" v.id (escaped v.name))
    vertices;
  List.iter
    (fun v ->
      List.iter
        (fun e ->
          let style = if v.chooses then " [style=dashed]" else "" in
          Format.fprintf ppf "@,v%d -> v%d%s;" v.id e.into.id style)
        (List.rev v.successors))
    vertices;
  Format.fprintf ppf "@]@,}@."
