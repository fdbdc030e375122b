let operands (e : Core.expression) =
  match e.it with
  | Core.Int_value _ | Core.Bool_value _ | Core.Member _ | Core.No_thread
  | Core.No_core | Core.No_group | Core.No_domain | Core.Local _ | Core.Self
  | Core.Target | Core.Waker
  | Core.Read (None, _)
  | Core.All_cores | Core.Idle_cores | Core.Active_cores | Core.Filtered ->
      []
  | Core.Read (Some a, _)
  | Core.Cload a
  | Core.Runnable a
  | Core.Count (a, _)
  | Core.Threads_in (a, _)
  | Core.Cores_of a
  | Core.Groups_of a
  | Core.Domains_of a
  | Core.First (a, _)
  | Core.Any a
  | Core.Empty a
  | Core.Valid a
  | Core.Not a
  | Core.Minus a ->
      [ a ]
  | Core.In (a, b)
  | Core.Operation (_, a, b)
  | Core.Those { among = a; holds = b; _ } ->
      [ a; b ]
  | Core.If_else (a, b, c) -> [ a; b; c ]
  | Core.Call (_, arguments) -> arguments

let rec expression f e =
  f e;
  List.iter (expression f) (operands e)

let expressions (s : Core.statement) =
  match s.what with
  | Core.Set_local (_, e) | Core.Set (None, _, e) | Core.Do e -> [ e ]
  | Core.Set (Some it, _, e) -> [ it; e ]
  | Core.Move { thread; core; _ } -> [ thread; core ]
  | Core.If (e, _, _) -> [ e ]
  | Core.Foreach { among; _ } -> [ among ]
  | Core.Break -> []
  | Core.Return e -> Option.to_list e
  | Core.Steal_for { group; core } -> Option.to_list group @ [ core ]

let rec block ~expression:f ~statement statements =
  let one (s : Core.statement) =
    statement s;
    List.iter (expression f) (expressions s);
    match s.what with
    | Core.If (_, yes, no) ->
        block ~expression:f ~statement yes;
        block ~expression:f ~statement no
    | Core.Foreach { body; _ } -> block ~expression:f ~statement body
    | _ -> ()
  in
  List.iter one statements

let updates e =
  let found = ref false in
  expression
    (fun e ->
      match e.it with
      | Core.Call (f, _) when f.effects.updates -> found := true
      | _ -> ())
    e;
  !found

let in_order = function [] | [ _ ] -> false | es -> List.exists updates es
