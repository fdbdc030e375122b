(* The functions walk over statements. Expressions matter only for the calls in
   them. Functions are never recursive. *)

open Dromos_policy_core.Core
module Walk = Dromos_policy_core.Walk

let rec called (e : expression) =
  let inner = List.concat_map called (Walk.operands e) in
  match e.it with Call (f, _) -> f :: inner | _ -> inner

(* Called for each operand on every path, so [acts] builds no list and stops at
   the first acting call. *)
let rec acts (e : expression) =
  (match e.it with Call (f, _) -> f.effects.updates | _ -> false)
  || List.exists acts (Walk.operands e)

(* All results of [pick] over the statements of a block. With [~calls:true] the
   bodies of called functions are walked too. *)
let rec gather ~calls pick (block : block) =
  List.concat_map
    (fun s ->
      let inner =
        match s.what with
        | If (_, a, b) -> gather ~calls pick a @ gather ~calls pick b
        | Foreach { body; _ } -> gather ~calls pick body
        | _ -> []
      in
      let callees =
        if calls then
          List.concat_map
            (fun f -> gather ~calls pick f.func_body)
            (List.concat_map called (Walk.expressions s))
        else []
      in
      pick s @ inner @ callees)
    block

let distinct same l =
  List.fold_left (fun l x -> if List.exists (same x) l then l else x :: l) [] l
  |> List.rev

let assigned_locals block =
  gather ~calls:false
    (fun s -> match s.what with Set_local (l, _) -> [ l ] | _ -> [])
    block
  |> distinct (fun (a : local) b -> a.local_id = b.local_id)

let rec mentioned (e : expression) =
  match e.it with
  | Local l -> [ l.local_id ]
  | _ -> List.concat_map mentioned (Walk.operands e)

let returned block =
  gather ~calls:false
    (fun s -> match s.what with Return (Some e) -> [ e ] | _ -> [])
    block

let mentions s =
  gather ~calls:false
    (fun s -> List.concat_map mentioned (Walk.expressions s))
    [ s ]

let temporaries block =
  let rec from seen = function
    | [] -> []
    | s :: rest -> (
        let seen = mentions s @ seen in
        match s.what with
        | Set_local (l, _) when not (List.mem l.local_id seen) ->
            l :: from seen rest
        | _ -> from seen rest)
  in
  from [] block

let some pick block = gather ~calls:true pick block <> []
let moves = some (fun s -> match s.what with Move _ -> [ () ] | _ -> [])

let sets block =
  gather ~calls:true
    (fun s -> match s.what with Set (_, a, _) -> [ a ] | _ -> [])
    block
  |> distinct (fun a b -> a.id = b.id)
