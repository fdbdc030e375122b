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

let real holds what =
  let parse s =
    match float_of_string_opt s with
    | Some x when holds x -> Ok x
    | _ -> Error (`Msg (Printf.sprintf "%S is not a %s" s what))
  in
  Arg.conv (parse, Format.pp_print_float)

let seconds = real (fun x -> 0. <= x && x <= 3600.) "time (0 to 3600 s)"

let positive ~most what =
  real
    (fun x -> 0. < x && x <= most)
    (Printf.sprintf "%s (above 0, at most %g)" what most)

(* The command writes a page of help in [ended] too: on a full disk the error is
   a single line. *)
let status command =
  Dromos_stdout.ended ~name:"standard output" ~failed:2 (fun () ->
      let status = Cmd.eval' ~term_err:2 command in
      if status = Cmd.Exit.cli_error then 2 else status)
