(* dromos policy fmt: lays policies out. *)

open Cmdliner
open Dromos_policy_syntax

let one ~check file =
  match Parse.file file with
  | Error (source, fault) ->
      prerr_endline (Fault.to_string ~source fault);
      Status.bad_input
  | Ok (source, ast) -> (
      let formatted = Printer.format ast in
      if formatted = source then Status.fine
      else if check then begin
        Printf.printf "%s: not formatted\n" file;
        Status.refused
      end
      else
        match Output.replace file formatted with
        | () -> Status.fine
        | exception Sys_error message ->
            prerr_endline message;
            Status.bad_input
        | exception Unix.Unix_error (error, _, _) ->
            prerr_endline (file ^ ": " ^ Unix.error_message error);
            Status.bad_input)

let run check files =
  List.fold_left (fun worst file -> max worst (one ~check file)) 0 files

let files =
  Arg.(non_empty & pos_all string [] & info [] ~docv:"FILE" ~doc:"A policy.")

let check =
  Arg.(
    value & flag
    & info [ "check" ]
        ~doc:"Changes nothing; the status is 1 if a file is not formatted.")

let cmd =
  let doc = "lay policies out in the usual style" in
  let man =
    [
      `S Manpage.s_description;
      `P
        "Rewrites each file in place, with two spaces for each level, 80 \
         columns, and comments where they were. A file with syntax errors is \
         left as it is.";
    ]
  in
  Cmd.v
    (Cmd.info "fmt" ~doc ~man
       ~exits:
         Status.(
           of_reading ~no:"if a file is not formatted, with $(b,--check)."
             policy_is_read))
    Term.(const run $ check $ files)
