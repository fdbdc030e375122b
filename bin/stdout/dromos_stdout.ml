let utf_8 s =
  if String.is_valid_utf_8 s then s
  else begin
    let b = Buffer.create (String.length s) in
    let rec go i =
      if i < String.length s then begin
        let decoded = String.get_utf_8_uchar s i in
        Buffer.add_utf_8_uchar b (Uchar.utf_decode_uchar decoded);
        go (i + Uchar.utf_decode_length decoded)
      end
    in
    go 0;
    Buffer.contents b
  end

let rec valid : Yojson.Safe.t -> Yojson.Safe.t = function
  | `String s -> `String (utf_8 s)
  | `List items -> `List (List.map valid items)
  | `Assoc fields ->
      `Assoc (List.map (fun (name, v) -> (utf_8 name, valid v)) fields)
  | other -> other

let json value = Yojson.Safe.pretty_to_string (valid value)
let json_line value = Yojson.Safe.to_string (valid value)

let give_up () =
  Format.(pp_set_formatter_output_functions std_formatter)
    (fun _ _ _ -> ())
    ignore;
  close_out_noerr stdout

let write () =
  Format.print_flush ();
  flush stdout

let written ~failed status =
  match write () with
  | () -> status
  | exception Sys_error message ->
      give_up ();
      if status <> failed then prerr_endline ("standard output: " ^ message);
      failed

let ended ~name ~failed f =
  match
    let status = f () in
    write ();
    status
  with
  | status -> status
  | exception Sys_error message ->
      give_up ();
      prerr_endline (name ^ ": " ^ message);
      failed
