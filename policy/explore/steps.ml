type t = { core : int; runner : int; text : string; after : Machine.state }

(* The state after a step is the state before the next step. *)
let all (i : Instance.t) s move =
  let m = i.machine in
  let noted = ref [] in
  Instance.apply i s move ~note:(fun before r ->
      noted := (r, Array.copy before) :: !noted);
  let rec pair after steps = function
    | [] -> steps
    | (runner, before) :: earlier ->
        let step =
          {
            core = before.(Machine.frame m runner + Frame.self);
            runner;
            text = Machine.describe m before runner after;
            after;
          }
        in
        pair before (step :: steps) earlier
  in
  pair (Array.copy s) [] !noted

(* {1 In brief} *)

(* A row of steps that change nothing but locks: their number, the last step,
   the beginning of its text, and the cores for which these steps steal, latest
   first. *)
type looks = { count : int; last : t; who : string; served : int list }

let same_but_locks (l : Layout.t) a b =
  let lock i =
    i >= Layout.lock l 0
    && i < Layout.lock l l.topology.cores
    && (i - Layout.lock l 0) mod l.core_stride = 0
  in
  let rec from i = i = l.fixed || ((a.(i) = b.(i) || lock i) && from (i + 1)) in
  from 0

let step_of_looks (i : Instance.t) { count; last; who; served } =
  if count = 1 then last
  else
    let who =
      match List.sort_uniq Int.compare served with
      | [] | [ _ ] -> who
      | cores ->
          Printf.sprintf "core %d: %s for cores %s " last.core
            (Query.event_name (Promise.event i.promise))
            (Numbers.show cores)
    in
    { last with text = Printf.sprintf "%slooks around in %d steps" who count }

let brief (i : Instance.t) s move =
  let m = i.machine in
  let steps = ref [] and looks = ref None and under_way = ref None in
  let latest = ref (Array.copy s) in
  let flush () =
    Option.iter (fun l -> steps := step_of_looks i l :: !steps) !looks;
    looks := None
  in
  let made runner before after =
    let step after =
      {
        core = before.(Machine.frame m runner + Frame.self);
        runner;
        text = Machine.describe m before runner after;
        after;
      }
    in
    if same_but_locks (Machine.layout m) before after then
      let count, served =
        match !looks with Some l -> (l.count, l.served) | None -> (0, [])
      in
      let served =
        match (Machine.serves m before runner, served) with
        | Some c, d :: _ when c = d -> served
        | Some c, _ -> c :: served
        | None, _ -> served
      in
      let who = Machine.who m before runner in
      looks := Some { count = count + 1; last = step !latest; who; served }
    else begin
      flush ();
      latest := Array.copy after;
      steps := step !latest :: !steps
    end
  in
  let over after =
    Option.iter (fun (r, before) -> made r before after) !under_way
  in
  Instance.apply i s move ~note:(fun now r ->
      over now;
      under_way := Some (r, Array.copy now));
  over s;
  flush ();
  List.rev !steps

let play (i : Instance.t) s move =
  if i.quiet then brief i s move else all i s move
