open Dromos_policy_core
open Core

let sprintf = Printf.sprintf

type t = { names : Names.t; written : (string, unit) Hashtbl.t }

let start policy =
  { names = Names.of_policy policy; written = Hashtbl.create 16 }

let names t = t.names

let indent text =
  String.concat "\n"
    (List.map
       (fun l -> if l = "" then l else "  " ^ l)
       (String.split_on_char '\n' text))

let parameters t moving f =
  let given =
    match moving with
    | Names.Taking -> "m v self target"
    | Placing | Local -> "m self target"
  in
  String.concat " " (given :: List.map (Names.of_local t.names) f.parameters)

let body t moving = Stmt.body t.names moving

let written_out t moving f =
  sprintf "let %s %s =\n%s"
    (Names.of_function moving f)
    (parameters t moving f)
    (indent
       (body t moving ~result:f.result ~parameters:f.parameters f.func_body))

let needed t moving code =
  List.filter_map
    (fun f ->
      let name = Names.of_function moving f in
      if Hashtbl.mem t.written name then None
      else begin
        Hashtbl.add t.written name ();
        Some (written_out t moving f)
      end)
    (Visits.functions code)
