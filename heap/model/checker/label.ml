type t = string * int list

let show (format, numbers) =
  match String.split_on_char '%' format with
  | [] -> ""
  | first :: rest ->
      let join s n rest = s ^ string_of_int n ^ rest in
      List.fold_left2 join first numbers rest

let say format numbers s = [ ((format, numbers), s) ]
