open Core

let read_of_wakers policy =
  let found = ref [] in
  Visits.policy policy ~statement:ignore ~expression:(fun e ->
      match e.it with
      | Read (Some { it = Waker; _ }, a) ->
          found := Expressions.looks_at a @ !found
      | _ -> ());
  !found

let among m relevant events =
  let policy = (Machine.layout m).policy and code = Machine.code m in
  let set = Hashtbl.create 16
  and used = Hashtbl.create 16
  and late = Hashtbl.create 16 in
  let handed_over = Flow.handed_over code in
  let add table it = if it < 0 then Hashtbl.replace table it () in
  let note at =
    let sets = Flow.defined_at code at and uses = Flow.used_at code at in
    List.iter (add set) sets;
    List.iter (add used) uses;
    if handed_over.(at) then List.iter (add late) (sets @ uses)
  in
  Array.iteri
    (fun at _ ->
      if List.exists (fun e -> Machine.within m e at) events then note at)
    code;
  let remembered =
    Machine.source_lock m = Each_move
    || Array.exists (fun (a : attribute) -> a.ty = Thread) policy.attributes
  and of_wakers = read_of_wakers policy in
  let exchanged (a : attribute) =
    let it = Frame.attribute a in
    Relevant.kept relevant a && Hashtbl.mem set it && Hashtbl.mem used it
    &&
    match a.owner with
    | Global | Of_group | Of_domain -> true
    | Of_core -> false
    | Of_thread -> remembered || List.mem it of_wakers || Hashtbl.mem late it
  in
  List.filter exchanged (Array.to_list policy.attributes)
