open Cmdliner

let number ~least ~most what =
  let parse s =
    match int_of_string_opt s with
    | Some n when least <= n && n <= most -> Ok n
    | _ ->
        Error
          (`Msg (Printf.sprintf "%S is not a %s (%d to %d)" s what least most))
  in
  Arg.conv (parse, Format.pp_print_int)

let seconds =
  let parse s =
    match float_of_string_opt s with
    | Some x when 0. <= x && x <= 3600. -> Ok x
    | _ -> Error (`Msg (Printf.sprintf "%S is not a time (0 to 3600 s)" s))
  in
  Arg.conv (parse, Format.pp_print_float)

let full message =
  Format.(pp_set_formatter_output_functions std_formatter)
    (fun _ _ _ -> ())
    ignore;
  close_out_noerr stdout;
  prerr_endline ("standard output: " ^ message);
  2

let flushed status =
  Format.print_flush ();
  flush stdout;
  status

(* A page of help on a full disk. *)
let status command =
  match flushed (Cmd.eval' ~term_err:2 command) with
  | status -> if status = Cmd.Exit.cli_error then 2 else status
  | exception Sys_error message -> full message
