(* Translates the payloads of ghost attributes. *)

open Refuse

(* Types the expression in an attribute. [with_level] gets a level at which
   all types of the file are known. *)
let type_ghost env (parsed : Parsetree.expression) =
  let typed () = Typecore.type_expression env parsed in
  match Ctype.with_level ~level:1_000_000 typed with
  | typed -> typed
  | exception error when Location.error_of_exn error <> None ->
      refuse parsed.pexp_loc "this expression in an attribute is ill-typed"

(* The prophecy of the record to which the variable [owner] is bound. *)
let prophecy scope loc env owner =
  let without () =
    refuse loc
      "%s in [@resolve] is not a variable of a record type with [@@prophecy]"
      owner
  in
  match Env.find_value_by_name (Longident.Lident owner) env with
  | exception Not_found -> without ()
  | Pident id, { val_type; _ } -> (
      if not (Repr.has_prophecy env val_type) then without ();
      match Repr.labels env val_type with
      | Some (l :: _) -> Fields.ghost_field l (Scope.of_own scope loc id)
      | _ -> without ())
  | _ -> without ()

(* A variable of the program, or a variable bound by [@fresh]. *)
let variable scope loc env name =
  if List.mem name scope.Scope.ghosts then Heaplang.Var name
  else
    match Env.find_value_by_name (Longident.Lident name) env with
    | Pident id, _ -> Scope.of_own scope loc id
    | _ | (exception Not_found) ->
        refuse loc "%s in [@resolve] is neither a variable nor [@fresh]" name
