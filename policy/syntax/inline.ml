(* Prints parts of a policy that take one line, or a few if they are long. *)

open Ast
open Dromos_policy_core

let width = 80

let operator = function
  | Or -> ("||", 1)
  | And -> ("&&", 2)
  | Bit_or -> ("|", 3)
  | Bit_and -> ("&", 4)
  | Eq -> ("==", 5)
  | Ne -> ("!=", 5)
  | Lt -> ("<", 6)
  | Le -> ("<=", 6)
  | Gt -> (">", 6)
  | Ge -> (">=", 6)
  | In -> ("in", 6)
  | Add -> ("+", 7)
  | Sub -> ("-", 7)
  | Mul -> ("*", 8)
  | Div -> ("/", 8)
  | Mod -> ("%", 8)

let unary = 9
let postfix = 10
let text = Format.pp_print_string

let key ppf ({ direction; by } : key) =
  Format.fprintf ppf "%s %s"
    (match direction with Core.Highest -> "highest" | Core.Lowest -> "lowest")
    by.text

let comma ppf () = Format.fprintf ppf ",@ "
let separated item = Format.pp_print_list ~pp_sep:comma item
let order ppf keys = Format.fprintf ppf "order = { %a }" (separated key) keys

let optional_order ppf = function
  | [] -> ()
  | keys -> Format.fprintf ppf "@ %a" order keys

(* Adds parentheses if the expression binds less than [least]. *)
let rec exp least ppf { e; _ } =
  let level, print = described e in
  if level < least then Format.fprintf ppf "(@[<hov>%t@])" print else print ppf

(* An operand that binds more is broken over lines last. *)
and operand level least ppf a =
  if fst (described a.e) > level then
    Format.fprintf ppf "@[<hov>%a@]" (exp least) a
  else exp least ppf a

and described e =
  let simple s = (postfix, fun ppf -> text ppf s) in
  match e with
  | Int n -> simple (string_of_int n)
  | Bool b -> simple (string_of_bool b)
  | Name name -> simple name
  | Self -> simple "self"
  | Field (of_what, name) ->
      ( postfix,
        fun ppf -> Format.fprintf ppf "%a.%s" (exp postfix) of_what name.text )
  | First (among, keys) ->
      ( postfix,
        fun ppf ->
          Format.fprintf ppf "first(@[<hov>%a%a@])" (exp 0) among optional_order
            keys )
  | Call (f, arguments) ->
      ( postfix,
        fun ppf ->
          Format.fprintf ppf "%s(@[<hov>%a@])" f.text
            (separated (exp 0))
            arguments )
  | Unary (Not, a) -> (unary, fun ppf -> Format.fprintf ppf "!%a" (exp unary) a)
  | Unary (Minus, a) ->
      (* [--x] would be a different token. *)
      let least = match a.e with Unary (Minus, _) -> postfix | _ -> unary in
      (unary, fun ppf -> Format.fprintf ppf "-%a" (exp least) a)
  | Binary (op, a, b) ->
      let sign, level = operator op in
      ( level,
        fun ppf ->
          Format.fprintf ppf "%a %s@ %a" (operand level level) a sign
            (operand level (level + 1))
            b )
  | Choose (condition, yes, no) ->
      ( 0,
        fun ppf ->
          Format.fprintf ppf "%a@ ? %a@ : %a" (exp 1) condition (exp 0) yes
            (exp 0) no )

let flat margin print =
  let buffer = Buffer.create 80 in
  let ppf = Format.formatter_of_buffer buffer in
  Format.pp_set_geometry ppf ~max_indent:(margin - 10) ~margin;
  print ppf;
  Format.pp_print_flush ppf ();
  Buffer.contents buffer

let on_one_line print =
  flat 1_000_000 (fun ppf -> Format.fprintf ppf "@[<h>%t@]" print)

let expression e = on_one_line (fun ppf -> exp 0 ppf e)

let ty ppf { ty; _ } =
  match ty with
  | Void -> text ppf "void"
  | Simple name -> text ppf name
  | Set name -> Format.fprintf ppf "set<%s>" name

let simple ppf s =
  match s with
  | Declare (t, name, None) -> Format.fprintf ppf "%a %s;" ty t name.text
  | Declare (t, name, Some e) ->
      Format.fprintf ppf "%a %s =@ %a;" ty t name.text (exp 0) e
  | Assign (target, e) ->
      Format.fprintf ppf "%a =@ %a;" (exp postfix) target (exp 0) e
  | Increase (target, e) ->
      Format.fprintf ppf "%a +=@ %a;" (exp postfix) target (exp 0) e
  | Decrease (target, e) ->
      Format.fprintf ppf "%a -=@ %a;" (exp postfix) target (exp 0) e
  | Increment target -> Format.fprintf ppf "%a++;" (exp postfix) target
  | Decrement target -> Format.fprintf ppf "%a--;" (exp postfix) target
  | Move (thread, where) ->
      Format.fprintf ppf "%a =>@ %a;" (exp postfix) thread (exp 0) where
  | Return None -> text ppf "return;"
  | Return (Some e) -> Format.fprintf ppf "return %a;" (exp 0) e
  | Break -> text ppf "break;"
  | Do e -> Format.fprintf ppf "%a;" (exp postfix) e
  | If _ | Foreach _ | Block _ -> ()

let parameter ppf { p_ty; p_name } =
  Format.fprintf ppf "%a %s" ty p_ty p_name.text

let parameters ppf given =
  Format.fprintf ppf "(@[<hov>%a@])" (separated parameter) given

let declared ppf ({ system; shared; is_lazy } : declared) =
  if system then text ppf "system ";
  if shared then text ppf "shared ";
  if is_lazy then text ppf "lazy "

let declarator ppf ((name : name), value) =
  match value with
  | None -> text ppf name.text
  | Some value -> Format.fprintf ppf "%s = %a" name.text (exp 0) value

let class_name = function
  | Core.Running -> "RUNNING"
  | Core.Ready -> "READY"
  | Core.Blocked -> "BLOCKED"
  | Core.Terminated -> "TERMINATED"

let until ppf = function
  | None -> ()
  | Some condition -> Format.fprintf ppf " until (%a)" (exp 0) condition
