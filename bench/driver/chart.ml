type curve = { name : string; points : (float * float) list }

type t = {
  title : string;
  subtitle : string;
  x_label : string;
  y_label : string;
  log : bool;
  x_at_points : bool;
  curves : curve list;
}

open Drawing

(* The frame of the curves; the legend stands to the right of the frame. *)
let left = 70.
and top = 60.
and wide = 520.
and high = 330.

let width = 790.
and height = 460.

let marker ppf i x y =
  let polygon points =
    let point (dx, dy) = Printf.sprintf "%.1f,%.1f" (x +. dx) (y +. dy) in
    Fmt.pf ppf "<polygon points=\"%s\" fill=\"%s\"/>@."
      (String.concat " " (List.map point points))
      (colour i)
  in
  match i mod 4 with
  | 0 ->
      Fmt.pf ppf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>@." x y
        (colour i)
  | 1 -> polygon [ (-3.5, -3.5); (3.5, -3.5); (3.5, 3.5); (-3.5, 3.5) ]
  | 2 -> polygon [ (0., -5.); (4.5, 3.5); (-4.5, 3.5) ]
  | _ -> polygon [ (0., -5.); (5., 0.); (0., 5.); (-5., 0.) ]

(* The curve of the plain program is dashed. *)
let dash name =
  if String.length name >= 10 && String.sub name 0 10 = "sequential" then
    " stroke-dasharray=\"6 4\""
  else ""

let curve ppf ~x ~y i c =
  let points = List.map (fun (a, b) -> (x a, y b)) c.points in
  let point (a, b) = Printf.sprintf "%.1f,%.1f" a b in
  Fmt.pf ppf
    "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" \
     stroke-width=\"2\"%s/>@."
    (String.concat " " (List.map point points))
    (colour i) (dash c.name);
  List.iter (fun (a, b) -> marker ppf i a b) points

let legend ppf i c =
  let x = left +. wide +. 18. and y = top +. 10. +. (22. *. float_of_int i) in
  Fmt.pf ppf
    "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" \
     stroke-width=\"2\"%s/>@."
    x y (x +. 26.) y (colour i) (dash c.name);
  marker ppf i (x +. 13.) y;
  text ppf ~anchor:"start" (x +. 34.) (y +. 4.) c.name

let axes chart =
  let all = List.concat_map (fun c -> c.points) chart.curves in
  let span f =
    List.fold_left
      (fun (low, high) p -> (Float.min low (f p), Float.max high (f p)))
      (infinity, neg_infinity) all
  in
  let make (from, upto) =
    if chart.log then Axis.log ~from ~upto else Axis.linear ~from ~upto
  in
  let x_axis = make (span fst) and y_axis = make (span snd) in
  let x_ticks =
    if chart.x_at_points then
      List.map
        (fun x -> (x, Axis.label x))
        (List.sort_uniq Float.compare (List.map fst all))
    else Axis.ticks x_axis
  in
  (x_axis, x_ticks, y_axis)

let frame ppf chart ~x ~y x_ticks y_ticks =
  let bottom = top +. high in
  List.iter
    (fun (v, label) ->
      line ppf (x v) top (x v) bottom;
      text ppf (x v) (bottom +. 18.) label)
    x_ticks;
  List.iter
    (fun (v, label) ->
      line ppf left (y v) (left +. wide) (y v);
      text ppf ~anchor:"end" (left -. 8.) (y v +. 4.) label)
    y_ticks;
  line ppf ~stroke:"#333333" left bottom (left +. wide) bottom;
  line ppf ~stroke:"#333333" left top left bottom;
  text ppf ~size:16 ~weight:"bold" ~anchor:"start" left 26. chart.title;
  text ppf ~anchor:"start" left 46. chart.subtitle;
  text ppf (left +. (wide /. 2.)) (bottom +. 42.) chart.x_label;
  text ppf ~turn:true 18. (top +. (high /. 2.)) chart.y_label

let write path chart =
  let x_axis, x_ticks, y_axis = axes chart in
  let x v = left +. (wide *. Axis.at x_axis v) in
  let y v = top +. (high *. (1. -. Axis.at y_axis v)) in
  let legend_end =
    top +. 40. +. (22. *. float_of_int (List.length chart.curves))
  in
  Drawing.document path ~width ~height:(Float.max height legend_end) (fun ppf ->
      frame ppf chart ~x ~y x_ticks (Axis.ticks y_axis);
      List.iteri (curve ppf ~x ~y) chart.curves;
      List.iteri (legend ppf) chart.curves)
