type node = { name : string; note : string; uses : string list }

module Names = Map.Make (String)

let by_name nodes =
  List.fold_left (fun m n -> Names.add n.name n m) Names.empty nodes

let known nodes n = List.filter (fun u -> Names.mem u nodes) n.uses

(* Floor 0 uses nothing. *)
let floors nodes =
  let floors = Hashtbl.create 16 in
  let rec floor path name =
    if List.mem name path then failwith ("there is a cycle through " ^ name);
    match Hashtbl.find_opt floors name with
    | Some f -> f
    | None ->
        let f =
          List.fold_left
            (fun f u -> max f (1 + floor (name :: path) u))
            0
            (known nodes (Names.find name nodes))
        in
        Hashtbl.add floors name f;
        f
  in
  Names.map (fun n -> floor [] n.name) nodes

(* What is used directly and through nothing else that is used. *)
let reduced nodes n =
  let rec reaches target name =
    List.exists
      (fun u -> u = target || reaches target u)
      (known nodes (Names.find name nodes))
  in
  let uses = known nodes n in
  List.filter (fun u -> not (List.exists (reaches u) uses)) uses

(* An arrow over several floors goes through a bend on each floor between, which
   takes its place in the row like a node, so that it runs beside the boxes and
   not behind them. No other name has a '>' in it. *)
let is_bend n = String.contains n.name '>'

let add_bends nodes floors =
  let nodes' = ref Names.empty and floors' = ref floors in
  (* What stands for [target] one floor below [floor]. *)
  let rec below source floor target =
    if Names.find target floors >= floor - 1 then target
    else begin
      let name = Printf.sprintf "%s>%s>%d" source target (floor - 1) in
      let uses = [ below source (floor - 1) target ] in
      nodes' := Names.add name { name; note = ""; uses } !nodes';
      floors' := Names.add name (floor - 1) !floors';
      name
    end
  in
  Names.iter
    (fun name n ->
      let uses = List.map (below name (Names.find name floors)) n.uses in
      nodes' := Names.add name { n with uses } !nodes')
    nodes;
  (!nodes', !floors')

(* Rows from the ground up, each a list of nodes from left to right. *)
let rows nodes floors =
  let top = Names.fold (fun _ f top -> max f top) floors 0 in
  List.init (top + 1) (fun f ->
      List.filter_map
        (fun (name, n) -> if Names.find name floors = f then Some n else None)
        (Names.bindings nodes))

let order nodes rows =
  let place = Hashtbl.create 16 in
  let settle row =
    let n = float (List.length row) in
    List.iteri
      (fun i node -> Hashtbl.replace place node.name ((float i +. 0.5) /. n))
      row
  in
  let users name =
    Names.fold
      (fun _ n l -> if List.mem name n.uses then n.name :: l else l)
      nodes []
  in
  let wish n =
    match known nodes n @ users n.name with
    | [] -> Hashtbl.find place n.name
    | l ->
        List.fold_left (fun s u -> s +. Hashtbl.find place u) 0. l
        /. float (List.length l)
  in
  let pass rows =
    List.map
      (fun row ->
        let wishes = List.map (fun n -> (wish n, n)) row in
        let row =
          List.map snd
            (List.stable_sort (fun (a, _) (b, _) -> Float.compare a b) wishes)
        in
        settle row;
        row)
      rows
  in
  List.iter settle rows;
  let rec repeat k rows = if k = 0 then rows else repeat (k - 1) (pass rows) in
  repeat 8 rows

let box_height = 40
let row_height = 96
let gap = 22
let margin = 24
let head = 34

let box_width n =
  if is_bend n then 6
  else
    let chars s size = String.length s * size / 10 in
    max 76 (22 + max (chars n.name 80) (chars n.note 66))

let escape s =
  String.concat ""
    (List.map
       (function
         | '<' -> "&lt;"
         | '>' -> "&gt;"
         | '&' -> "&amp;"
         | '"' -> "&quot;"
         | c -> String.make 1 c)
       (List.of_seq (String.to_seq s)))

(* Centre and top of every box, and the size of the picture. *)
let positions rows =
  let row_width row =
    List.fold_left (fun w n -> w + box_width n + gap) (-gap) row
  in
  let width = List.fold_left (fun w row -> max w (row_width row)) 320 rows in
  let count = List.length rows in
  let at = Hashtbl.create 16 in
  List.iteri
    (fun floor row ->
      let y = head + margin + ((count - 1 - floor) * row_height) in
      let x = ref (margin + ((width - row_width row) / 2)) in
      List.iter
        (fun n ->
          let w = box_width n in
          Hashtbl.replace at n.name (!x + (w / 2), y);
          x := !x + w + gap)
        row)
    rows;
  ( at,
    width + (2 * margin),
    head + (2 * margin) + ((count - 1) * row_height) + box_height )

let edge b ~bend:through (x1, y1) (x2, y2) =
  let from = y1 + box_height and until = if through then y2 else y2 - 2 in
  let bend = (until - from) / 2 in
  Printf.bprintf b "<path d=\"M%d %d C%d %d %d %d %d %d%s\"%s/>\n" x1 from x1
    (from + bend) x2 (until - bend) x2 until
    (if through then Printf.sprintf " v%d" box_height else "")
    (if through then "" else " marker-end=\"url(#a)\"")

let box b n (x, y) =
  let w = box_width n in
  Printf.bprintf b
    "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>\n"
    (x - (w / 2))
    y w box_height;
  if n.note = "" then
    Printf.bprintf b "<text x=\"%d\" y=\"%d\">%s</text>\n" x (y + 25)
      (escape n.name)
  else
    Printf.bprintf b
      "<text x=\"%d\" y=\"%d\">%s</text>\n\
       <text class=\"n\" x=\"%d\" y=\"%d\">%s</text>\n"
      x (y + 17) (escape n.name) x (y + 32) (escape n.note)

(* Own colours for the paper, so that it reads on any page. *)
let style =
  "svg{background:#fff;font-family:Helvetica,Arial,sans-serif}path{fill:none;stroke:#8795a8;stroke-width:1.2}rect{fill:#eaf1fb;stroke:#3b6ea8}text{font-size:13px;text-anchor:middle;fill:#1c2733}text.n{font-size:10.5px;fill:#5b6875}text.t{font-size:15px;font-weight:bold;text-anchor:start}"

let svg ~title nodes =
  let nodes = by_name nodes in
  let floors = floors nodes in
  let nodes = Names.map (fun n -> { n with uses = reduced nodes n }) nodes in
  let nodes, floors = add_bends nodes floors in
  let rows = order nodes (rows nodes floors) in
  let at, width, height = positions rows in
  let b = Buffer.create 4096 in
  Printf.bprintf b
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" \
     viewBox=\"0 0 %d %d\" role=\"img\">\n\
     <title>%s</title>\n\
     <style>%s</style>\n\
     <defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" \
     markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 \
     8z\" style=\"fill:#8795a8;stroke:none\"/></marker></defs>\n\
     <text class=\"t\" x=\"%d\" y=\"30\">%s</text>\n"
    width height width height (escape title) style margin (escape title);
  let each f = Names.iter (fun name n -> f n (Hashtbl.find at name)) nodes in
  each (fun n from ->
      let arrow u =
        edge b ~bend:(is_bend (Names.find u nodes)) from (Hashtbl.find at u)
      in
      List.iter arrow n.uses);
  each (fun n at -> if not (is_bend n) then box b n at);
  Buffer.add_string b "</svg>\n";
  Buffer.contents b
