type ('op, 'result) event = {
  op : 'op;
  start : int;
  mutable finish : int;
  mutable result : 'result option;
}

type ('op, 'result) t = {
  mutable clock : int;
  mutable events : ('op, 'result) event list;
}

let create () = { clock = 0; events = [] }

let now t =
  t.clock <- t.clock + 1;
  t.clock

let call t op f =
  let event = { op; start = now t; finish = max_int; result = None } in
  t.events <- event :: t.events;
  let result = f () in
  event.finish <- now t;
  event.result <- Some result;
  result

exception Not_linearizable of string

(* [e] may come first if every other pending operation ended after [e] began. *)
let rec explains apply state = function
  | [] -> true
  | pending ->
      List.exists
        (fun e ->
          List.for_all (fun other -> e.start < other.finish) pending
          &&
          let result, state = apply state e.op in
          Some result = e.result
          && explains apply state (List.filter (fun o -> o != e) pending))
        pending

let check t ~init ~apply ~show =
  if not (explains apply init t.events) then
    let lines =
      List.rev_map
        (fun e ->
          Printf.sprintf "[%d,%d] %s" e.start e.finish
            (show e.op (Option.get e.result)))
        t.events
    in
    raise (Not_linearizable (String.concat "; " lines))
