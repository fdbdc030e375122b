let escape s =
  let b = Buffer.create (String.length s) in
  String.iter
    (function
      | '<' -> Buffer.add_string b "&lt;"
      | '>' -> Buffer.add_string b "&gt;"
      | '&' -> Buffer.add_string b "&amp;"
      | '"' -> Buffer.add_string b "&quot;"
      | c -> Buffer.add_char b c)
    s;
  Buffer.contents b

(* Colours that most colour-blind readers can distinguish (Okabe and Ito), then
   darker ones; shapes differ as well. *)
let colours =
  [| "#0072b2"; "#d55e00"; "#009e73"; "#cc79a7"; "#e69f00"; "#56b4e9";
     "#7f3c8d"; "#666666"; "#a0522d"; "#1b4f2a"; "#b2182b"; "#2f2f8f";
     "#808000"; "#008b8b"; "#c71585"; "#4d4d4d" |]
[@@ocamlformat "disable"]

let colour i = colours.(i mod Array.length colours)

let text ppf ?(anchor = "middle") ?(size = 12) ?(weight = "normal")
    ?(turn = false) x y s =
  Fmt.pf ppf
    "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" \
     font-weight=\"%s\"%s>%s</text>@."
    x y anchor size weight
    (if turn then Printf.sprintf " transform=\"rotate(-90 %.1f %.1f)\"" x y
     else "")
    (escape s)

let line ppf ?(stroke = "#dddddd") x1 y1 x2 y2 =
  Fmt.pf ppf
    "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>@." x1
    y1 x2 y2 stroke

let document path ~width ~height draw =
  Out_channel.with_open_bin path (fun out ->
      let ppf = Format.formatter_of_out_channel out in
      Fmt.pf ppf "<?xml version=\"1.0\" encoding=\"UTF-8\"?>@.";
      Fmt.pf ppf
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" \
         viewBox=\"0 0 %g %g\" font-family=\"sans-serif\" fill=\"#222222\">@."
        width height width height;
      Fmt.pf ppf "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>@.";
      draw ppf;
      Fmt.pf ppf "</svg>@.")
