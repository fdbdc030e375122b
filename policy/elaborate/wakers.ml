open Dromos_policy_core
open Dromos_policy_syntax

let is_waker (e : Core.expression) = e.it = Core.Waker

(* The places where the waker stands and is not merely read or compared. The
   boolean is true if the waker is an argument of a function, also of a function
   that computes a lazy attribute. *)
let rec misused (e : Core.expression) =
  match e.it with
  | Core.Waker -> [ (e.at, false) ]
  | Core.Call (_, arguments) ->
      List.concat_map
        (fun a -> if is_waker a then [ (a.Core.at, true) ] else misused a)
        arguments
  | Core.Read (Some waker, _) when is_waker waker -> []
  | Core.Valid waker when is_waker waker -> []
  | Core.Operation ((Core.Eq | Core.Ne), a, b) ->
      List.concat_map misused
        (List.filter (fun side -> not (is_waker side)) [ a; b ])
  | _ -> List.concat_map misused (Walk.operands e)

let only_read (at, given) =
  Fault.error at "the waker is only read"
    ~hint:
      (if given then
         "no function or lazy attribute is computed of it, since another core \
          may be at work on it: read what these need here, as `e.waker.x`"
       else
         "write `e.waker.x`, `valid(e.waker)` or `e.waker == t`: another core \
          may be at work on it")

let stands_in (h : Core.handler) =
  let found = ref [] in
  Walk.block h.handler_body ~statement:ignore
    ~expression:(fun (e : Core.expression) ->
      if is_waker e then found := e.at :: !found);
  List.rev !found

let handler (h : Core.handler) =
  match h.event with
  | Core.New | Core.Unblock ->
      let places = ref [] in
      Walk.block h.handler_body ~expression:ignore ~statement:(fun s ->
          places := List.concat_map misused (Walk.expressions s) :: !places);
      List.map only_read (List.concat (List.rev !places))
  | event ->
      List.map
        (fun at ->
          Fault.error at
            (Printf.sprintf "`%s` has no waker" (Events.text event))
            ~hint:"only `new` and `unblock` are another thread's doing")
        (stands_in h)

let check (policy : Core.policy) = List.concat_map handler policy.handlers
