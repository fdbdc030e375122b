module Ivar = Dromos_base.Ivar

type 'a t =
  | Returned of { value : 'a }
  | Awaited of { ivar : (Pool.context, 'a) Ivar.t }

let return value = Returned { value }

let async ctx task =
  let ivar = Ivar.create () in
  let code ctx =
    let value = task ctx in
    ignore (Ivar.set ctx ivar value)
  in
  Pool.async ctx code;
  Awaited { ivar }

let rec wait_for ctx ivar =
  match Ivar.peek ivar with
  | Some value -> value
  | None ->
      Pool.wait_ivar ctx ivar;
      wait_for ctx ivar

let wait ctx t =
  match t with Returned r -> r.value | Awaited a -> wait_for ctx a.ivar

let peek t =
  match t with Returned r -> Some r.value | Awaited a -> Ivar.peek a.ivar

let iter ctx t task =
  let start ctx value = Pool.async ctx (fun ctx -> task ctx value) in
  match t with
  | Returned r -> start ctx r.value
  | Awaited a -> (
      match Ivar.wait a.ivar start with
      | None -> ()
      | Some value -> start ctx value)

let map ctx t task =
  let ivar = Ivar.create () in
  let code ctx value =
    let mapped = task ctx value in
    ignore (Ivar.set ctx ivar mapped)
  in
  iter ctx t code;
  Awaited { ivar }
