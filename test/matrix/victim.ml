open Step

type state = Before | Waiting | Race | Served

let each what f =
  List.map
    (fun (state, text) -> (Printf.sprintf "%s cancelled %s" what text, f state))
    [
      (Before, "before it waits");
      (Waiting, "while it waits");
      (Race, "as it is served");
      (Served, "after it was served");
    ]

let run ?(plain = false) env state party program ~server =
  let own = Random.State.bool env.Env.chance in
  let program cancel =
    let* () = call (fun () -> if state = Before && own then cancel ()) in
    program
  in
  let start =
    if plain then Env.start_cancellable_plain else Env.start_cancellable
  in
  let victim = start env party "victim" program in
  let serving =
    match state with
    | Before ->
        if not own then Env.cancel victim;
        None
    | Waiting ->
        Env.settle env;
        Env.cancel victim;
        None
    | Race ->
        if own then Env.settle env;
        let serving = server ignore in
        Env.jitter env;
        Env.cancel victim;
        Some serving
    | Served ->
        Env.settle env;
        Some (server (fun () -> Env.cancel victim))
  in
  let result = Env.join victim in
  (Env.cancelled victim result, serving)
