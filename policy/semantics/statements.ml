open Core
open Scope
open Emit

(* If the load of a counted thread changes, [cload] changes by the same
   amount. *)
let assign t (owner : Code.expression option) (a : attribute)
    (e : Code.expression) =
  let l = t.layout in
  let set_word =
    match owner with
    | None ->
        let word = Layout.word l a 0 in
        fun s f -> s.(word) <- e.value s f
    | Some o ->
        let base = Layout.word l a 0 in
        let stride = Layout.word l a 1 - base in
        let back = if a.owner = Of_thread then 1 else 0 in
        let is_load =
          Query.load t.policy == Some a
          || (a.owner = Of_thread && a.name = "load")
        in
        fun s f ->
          let i = o.value s f - back in
          if i >= 0 then begin
            let word = base + (i * stride) in
            let v = e.value s f in
            if is_load then begin
              let p = s.(Layout.where l i) in
              if Layout.in_structure l p then begin
                let c = Layout.cload l (Layout.core_of l p) in
                s.(c) <- s.(c) + v - s.(word)
              end
            end;
            s.(word) <- v
          end
  in
  let uses = match owner with None -> e.uses | Some o -> o.uses @ e.uses in
  pure t ~uses ~defines:[ Frame.attribute a ] set_word

let rec block t statements = List.iter (statement t) statements

and statement t { what; _ } =
  match what with
  | Set_local (x, e) -> set t (register t x) (Expressions.compile t e)
  | Set (None, a, e) -> assign t None a (Expressions.compile t e)
  | Set (Some o, a, e) -> (
      match Expressions.operands t [ o; e ] with
      | [ o; e ] -> assign t (Some o) a e
      | _ -> assert false)
  | Move { thread; core; state } -> (
      match Expressions.operands t [ thread; core ] with
      | [ thread; core ] -> Moves.compile t ~thread ~core state
      | _ -> assert false)
  | If (e, yes, no) ->
      let test = Expressions.compile t e in
      if_ t test (fun () -> block t yes) (fun () -> block t no)
  | Foreach { each; among; order; body } ->
      Expressions.over t ~among ~order (fun r stop ->
          set t (register t each) (read r);
          block { t with stop = Some stop } body)
  | Break -> Option.iter (fun l -> Assembler.emit t.asm (Jump l)) t.stop
  | Return e ->
      Option.iter
        (fun e ->
          let v = Expressions.compile t e in
          Option.iter (fun r -> set t r v) t.result)
        e;
      Assembler.emit t.asm (Jump t.leave)
  | Steal_for { group; core } -> (
      match group with
      | None ->
          Stealing.compile t ~group:None ~core:(Expressions.compile t core)
      | Some group -> (
          match Expressions.operands t [ group; core ] with
          | [ group; core ] -> Stealing.compile t ~group:(Some group) ~core
          | _ -> assert false))
  | Do e ->
      let (_ : Code.expression) = Expressions.compile t e in
      ()
