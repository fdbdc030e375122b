(* Reading a policy from the command line. *)

open Cmdliner
open Dromos_policy_syntax
open Dromos_policy_elaborate

let file =
  Arg.(
    required & pos 0 (some string) None & info [] ~docv:"FILE" ~doc:"A policy.")

(* Numbers of an option, and what a text is said not to be that is none of them. *)
let number holds ~what =
  let parse text =
    match float_of_string_opt text with
    | Some x when holds x && Float.is_finite x -> Ok x
    | Some _ | None -> Error (`Msg (text ^ what))
  in
  Arg.conv (parse, Fmt.float)

(* A file's content; a fault has the file's name in it. *)
let read path =
  match In_channel.with_open_bin path In_channel.input_all with
  | text -> text
  | exception Sys_error why when not (String.starts_with ~prefix:path why) ->
      raise (Sys_error (path ^ ": " ^ why))

let print source fault = prerr_endline (Fault.to_string ~source fault)

(* Its faults and warnings are printed on standard error; not those of which the
   caller says more himself. *)
let policy ?(judged = true) file =
  match Elaborate.file file with
  | Error (source, faults) ->
      List.iter (print source) faults;
      None
  | Ok { policy; warnings } ->
      (match Parse.read file with
      | Ok source ->
          let said (w : Fault.t) = judged || not w.judged in
          List.iter (print source) (List.filter said warnings)
      | Error _ -> ());
      Some policy
