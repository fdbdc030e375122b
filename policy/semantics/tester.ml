open Core

type outcome = { steps : int; wrong : (string * string list) option }

exception Wrong of string

type run = {
  chance : Random.State.t;
  m : Machine.t;
  s : Machine.state;
  kinds : event list;
  mutable history : string list;
  mutable taken : int;
}

let pick run = function
  | [] -> None
  | l -> Some (List.nth l (Random.State.int run.chance (List.length l)))

let check run =
  match Look.broken run.m run.s with
  | None -> ()
  | Some what -> raise (Wrong what)

let runners run which =
  List.filter which (List.init (Machine.runners run.m) Fun.id)

let step_one run r =
  let before = Array.copy run.s in
  run.s.(Layout.draw) <-
    Random.State.int run.chance (Machine.ways run.m run.s r);
  Machine.step run.m run.s r;
  run.taken <- run.taken + 1;
  run.history <- Machine.describe run.m before r run.s :: run.history;
  check run

(* Handlers that hold their core's lock begin with taking it. *)
let begin_one run r event ~self ~target =
  Machine.start run.m run.s ~runner:r event ~self ~target;
  if
    Machine.busy run.m run.s r
    && Machine.holds_back run.m run.s r
    && Machine.ready run.m run.s r
  then step_one run r
  else check run

let possible run =
  let found = ref [] in
  let cores = (Machine.layout run.m).topology.cores in
  let any () = Random.State.int run.chance cores in
  Environment.starts run.m ~kinds:run.kinds run.s (fun event ~self ~target ->
      let self = if self < 0 then any () else self in
      found := (event, self, target) :: !found);
  Environment.due run.m run.s (fun c -> found := (Schedule, c, c) :: !found);
  if Machine.may_begin run.m run.s Balancing then begin
    let c = any () in
    found := (Balancing, c, c) :: !found
  end;
  !found

let begin_some run =
  match pick run (possible run) with
  | None -> ()
  | Some (event, self, target) -> (
      (* Runner 0 balances. The other runners take the rest, and balancing
         too. *)
      let free r =
        (not (Machine.busy run.m run.s r)) && (r > 0 || event = Balancing)
      in
      match runners run free with
      | [] -> ()
      | r :: _ -> begin_one run r event ~self ~target)

let movable run =
  runners run (fun r ->
      Machine.busy run.m run.s r && Machine.ready run.m run.s r)

let finish run =
  let rec go left =
    match pick run (movable run) with
    | Some r when left > 0 ->
        step_one run r;
        go (left - 1)
    | Some _ -> raise (Wrong "a handler does not end")
    | None ->
        if runners run (Machine.busy run.m run.s) <> [] then
          raise (Wrong "all wait for locks")
  in
  go 100_000

let run chance ?(prepare = ignore) m ~steps =
  let run =
    {
      chance;
      m;
      s = Machine.initial m;
      kinds = Environment.kinds m ~during:Balancing;
      history = [];
      taken = 0;
    }
  in
  prepare run.s;
  let wrong =
    match
      for _ = 1 to steps do
        match movable run with
        | [] -> begin_some run
        | l ->
            if Random.State.int chance 4 = 0 then begin_some run
            else Option.iter (step_one run) (pick run l)
      done;
      finish run
    with
    | () -> None
    | exception Wrong what ->
        Some (what, List.rev (List.filteri (fun i _ -> i < 25) run.history))
  in
  { steps = run.taken; wrong }
