type t = {
  title : string;
  subtitle : string;
  x_label : string;
  bars : (string * float) list;
}

(* Names stand to the left of the bars, values at their ends. *)
let left = 210.
and top = 64.
and wide = 500.
and each = 26.

let bar ppf ~x i (name, value) =
  let y = top +. (each *. float_of_int i) in
  Drawing.text ppf ~anchor:"end" (left -. 8.) (y +. 15.) name;
  Fmt.pf ppf
    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"18\" fill=\"%s\"/>@."
    left (y +. 2.)
    (x value -. left)
    (Drawing.colour 0);
  Drawing.text ppf ~anchor:"start"
    (x value +. 6.)
    (y +. 15.)
    (Printf.sprintf "%.3g" value)

let write path t =
  let most = List.fold_left (fun m (_, v) -> Float.max m v) 0. t.bars in
  let axis = Axis.linear ~from:0. ~upto:most in
  let x v = left +. (wide *. Axis.at axis v) in
  let bottom = top +. (each *. float_of_int (List.length t.bars)) in
  Drawing.document path
    ~width:(left +. wide +. 80.)
    ~height:(bottom +. 60.)
    (fun ppf ->
      List.iter
        (fun (v, label) ->
          Drawing.line ppf (x v) top (x v) bottom;
          Drawing.text ppf (x v) (bottom +. 18.) label)
        (Axis.ticks axis);
      Drawing.text ppf ~size:16 ~weight:"bold" ~anchor:"start" 20. 26. t.title;
      Drawing.text ppf ~anchor:"start" 20. 46. t.subtitle;
      Drawing.text ppf (left +. (wide /. 2.)) (bottom +. 42.) t.x_label;
      List.iteri (bar ppf ~x) t.bars)
