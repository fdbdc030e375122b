open Dromos_policy_core
module Fault = Dromos_policy_syntax.Fault
module Whole = Dromos_policy_core.Whole

let at = Scope.at

let fits (e : Core.expression) = function
  | Some n -> n
  | None ->
      Fault.fail e.at "this constant does not fit: numbers have 63 bits"
        ~hint:"the machine would compute another one, silently"

let rec value (e : Core.expression) =
  let int n = Some (at e.at Core.Int (Core.Int_value n)) in
  let bool b = Some (at e.at Core.Bool (Core.Bool_value b)) in
  match e.it with
  | Core.Int_value _ | Core.Bool_value _ | Core.Member _ | Core.No_thread
  | Core.No_core | Core.No_group | Core.No_domain ->
      Some e
  | Core.Minus a -> (
      match value a with
      | Some { it = Core.Int_value n; _ } -> int (fits e (Whole.sub 0 n))
      | _ -> None)
  | Core.Not a -> (
      match value a with
      | Some { it = Core.Bool_value b; _ } -> bool (not b)
      | _ -> None)
  | Core.If_else (condition, yes, no) -> (
      match value condition with
      | Some { it = Core.Bool_value truth; _ } ->
          value (if truth then yes else no)
      | _ -> None)
  | Core.Operation (operator, a, b) -> (
      match (value a, value b) with
      | Some { it = Core.Int_value a; _ }, Some { it = Core.Int_value b; _ }
        -> (
          match operator with
          | Core.Add -> int (fits e (Whole.add a b))
          | Core.Sub -> int (fits e (Whole.sub a b))
          | Core.Mul -> int (fits e (Whole.mul a b))
          | Core.Div -> int (Whole.quotient a b)
          | Core.Mod -> int (Whole.remainder a b)
          | Core.Bit_and -> int (a land b)
          | Core.Bit_or -> int (a lor b)
          | Core.Eq -> bool (a = b)
          | Core.Ne -> bool (a <> b)
          | Core.Lt -> bool (a < b)
          | Core.Le -> bool (a <= b)
          | Core.Gt -> bool (a > b)
          | Core.Ge -> bool (a >= b)
          | Core.And | Core.Or -> None)
      | Some { it = Core.Bool_value a; _ }, Some { it = Core.Bool_value b; _ }
        -> (
          match operator with
          | Core.And -> bool (a && b)
          | Core.Or -> bool (a || b)
          | _ -> None)
      | _ -> None)
  | _ -> None
