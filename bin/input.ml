(* Reading a policy from the command line. *)

open Cmdliner
open Dromos_policy_syntax
open Dromos_policy_elaborate

let file =
  Arg.(
    required & pos 0 (some string) None & info [] ~docv:"FILE" ~doc:"A policy.")

let files =
  Arg.(
    non_empty & pos_all string []
    & info [] ~docv:"FILE" ~doc:"A policy, or several.")

(* A converter for numbers. [what] is the rest of the error message for any
   other text. *)
let number holds ~what =
  let parse text =
    match float_of_string_opt text with
    | Some x when holds x && Float.is_finite x -> Ok x
    | Some _ | None -> Error (`Msg (text ^ what))
  in
  Arg.conv (parse, Fmt.float)

(* The content of a file. A [Sys_error] names the file. *)
let read path =
  match In_channel.with_open_bin path In_channel.input_all with
  | text -> text
  | exception Sys_error why when not (String.starts_with ~prefix:path why) ->
      raise (Sys_error (path ^ ": " ^ why))

let print source fault = prerr_endline (Fault.to_string ~source fault)

let warn file warnings =
  match Parse.read file with
  | Ok source -> List.iter (print source) warnings
  | Error _ -> ()

(* Reads a policy; prints its faults and warnings on standard error. With
   [judged:false], warnings that the caller checks itself are left out. *)
let policy ?(judged = true) file =
  match Elaborate.file file with
  | Error (source, faults) ->
      List.iter (print source) faults;
      None
  | Ok { policy; warnings } ->
      let said (w : Fault.t) = judged || not w.judged in
      warn file (List.filter said warnings);
      Some policy

(* Prints the warnings left out by [policy ~judged:false], once the caller has
   found them to be true. *)
let judged_warnings file =
  match Elaborate.file file with
  | Error _ -> ()
  | Ok { warnings; _ } ->
      warn file (List.filter (fun (w : Fault.t) -> w.judged) warnings)
