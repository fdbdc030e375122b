module type Model = sig
  type rules
  type scenario
  type state

  val initial : scenario -> state
  val next : rules -> scenario -> state -> (Label.t * state) list
  val canonical : state -> state
  val key : state -> string
  val broken : rules -> state -> string option
  val at_rest : state -> bool
end

type verdict =
  | Holds
  | Broken of { what : string; trace : string list }
  | Limit

type result = { verdict : verdict; states : int; seconds : float }

(* Each state found so far: its key, and the index of the state before. *)
type met = {
  known : (string, unit) Hashtbl.t;
  mutable keys : string array;
  mutable from : int array;
  mutable count : int;
}

let add met key from =
  if met.count = Array.length met.keys then begin
    let grown a x = Array.append a (Array.make (Array.length a) x) in
    met.keys <- grown met.keys "";
    met.from <- grown met.from 0
  end;
  Hashtbl.add met.known key ();
  met.keys.(met.count) <- key;
  met.from.(met.count) <- from;
  met.count <- met.count + 1;
  met.count - 1

let rec path met i l =
  if i = 0 then l else path met met.from.(i) (met.keys.(i) :: l)

module Make (M : Model) = struct
  (* Runs the steps of the trace again, without renumbering, so that an object
     keeps its name along the trace. *)
  let replay rules scenario keys =
    let step (s, lines) key =
      let leads (_, s') = M.key (M.canonical s') = key in
      let label, s = List.find leads (M.next rules scenario s) in
      (s, Label.show label :: lines)
    in
    let start = (M.initial scenario, []) in
    List.rev (snd (List.fold_left step start keys))

  let run ?(limit = max_int) rules scenario =
    let began = Sys.time () in
    let met =
      {
        known = Hashtbl.create 4096;
        keys = Array.make 1024 "";
        from = Array.make 1024 0;
        count = 0;
      }
    in
    let queue = Queue.create () in
    let verdict = ref Holds in
    let found i what =
      let trace = replay rules scenario (path met i []) in
      verdict := Broken { what; trace };
      Queue.clear queue
    in
    let meet from s =
      let s = M.canonical s in
      let key = M.key s in
      if !verdict = Holds && not (Hashtbl.mem met.known key) then begin
        let i = add met key from in
        match M.broken rules s with
        | Some what -> found i what
        | None when i >= limit ->
            verdict := Limit;
            Queue.clear queue
        | None -> Queue.add (i, s) queue
      end
    in
    meet 0 (M.initial scenario);
    while not (Queue.is_empty queue) do
      let i, s = Queue.pop queue in
      let next = M.next rules scenario s in
      if next = [] && not (M.at_rest s) then found i "a domain waits for ever";
      List.iter (fun (_, s') -> meet i s') next
    done;
    { verdict = !verdict; states = met.count; seconds = Sys.time () -. began }
end
