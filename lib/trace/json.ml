(* A value is the function that writes the value. *)
type t = Buffer.t -> unit

let text s b = Buffer.add_string b s
let null = text "null"
let int i = text (string_of_int i)

let float x =
  if Float.is_integer x && Float.abs x < 1e15 then
    text (Printf.sprintf "%.0f" x)
  else
    let short = Printf.sprintf "%.12g" x in
    text (if float_of_string short = x then short else Printf.sprintf "%.17g" x)

let add_escaped b s =
  let rec go i =
    if i < String.length s then begin
      let decoded = String.get_utf_8_uchar s i in
      (match s.[i] with
      | '"' -> Buffer.add_string b "\\\""
      | '\\' -> Buffer.add_string b "\\\\"
      | '<' -> Buffer.add_string b "\\u003c"
      | c when c < ' ' -> Printf.bprintf b "\\u%04x" (Char.code c)
      | _ -> Buffer.add_utf_8_uchar b (Uchar.utf_decode_uchar decoded));
      go (i + Uchar.utf_decode_length decoded)
    end
  in
  go 0

let string s b =
  Buffer.add_char b '"';
  add_escaped b s;
  Buffer.add_char b '"'

let separated add items b =
  List.iteri
    (fun i item ->
      if i > 0 then Buffer.add_char b ',';
      add item b)
    items

let list f items b =
  Buffer.add_char b '[';
  separated (fun item b -> f item b) items b;
  Buffer.add_char b ']'

let array items = list Fun.id items

let obj fields b =
  let field (name, value) b =
    string name b;
    Buffer.add_char b ':';
    value b
  in
  Buffer.add_char b '{';
  separated field fields b;
  Buffer.add_char b '}'

let later make b = make () b

let to_string t =
  let b = Buffer.create 4096 in
  t b;
  Buffer.contents b

(* [string] writes no less-than sign, and the other functions cannot. *)
let add_in_html b t = t b

let html_text s =
  let b = Buffer.create (String.length s) in
  String.iter
    (function
      | '<' -> Buffer.add_string b "&lt;"
      | '>' -> Buffer.add_string b "&gt;"
      | '&' -> Buffer.add_string b "&amp;"
      | c -> Buffer.add_char b c)
    s;
  Buffer.contents b
