type outcome = Holds | Violated of Trace.t | Out_of_time | Out_of_room
type t = { outcome : outcome; states : int; seconds : float }

exception Stop of outcome

type run = {
  i : Instance.t;
  visited : Visited.t;
  now : Machine.state;  (** the state that is being expanded *)
  next : Machine.state;  (** the state after one of its moves *)
  look : unit -> unit;  (** stops the search if the time or the room is over *)
}

let add run s ~parent =
  let length = Pack.pack run.i.pack s in
  ignore
    (Visited.add run.visited (Pack.bytes run.i.pack) length
       ~budget:s.(Layout.budget) ~parent
      : bool)

let violated run state fault =
  let v = run.visited in
  let rec back state path =
    if state < 0 then path
    else
      back (Visited.parent v state)
        ({
           Trace.block = Visited.block v state;
           offset = Visited.offset v state;
           length = Visited.length v state;
           budget = Visited.budget v state;
         }
        :: path)
  in
  raise (Stop (Violated (Trace.of_path run.i (back state []) fault)))

let expand run state =
  let i = run.i in
  Pack.unpack i.pack
    (Visited.block run.visited state)
    (Visited.offset run.visited state)
    run.now;
  run.now.(Layout.budget) <- Visited.budget run.visited state;
  if Instance.over i run.now then
    Option.iter (violated run state) (Trace.fault_of i run.now)
  else begin
    let moves = ref 0 in
    Instance.moves i run.now (fun move ->
        incr moves;
        run.look ();
        Instance.copy i run.now run.next;
        (* In a quiet instance one move may be thousands of steps. *)
        if i.quiet then
          Instance.apply i run.next move ~note:(fun _ _ -> run.look ())
        else Instance.apply i run.next move;
        add run run.next ~parent:state);
    if !moves = 0 then violated run state Stuck
  end

let run ?(until = infinity) ?(most = 4_000_000) (i : Instance.t) =
  let began = Sys.time () in
  let v = Visited.create () in
  (* Reading the clock costs as much as a move of a small policy. A move of a
     large policy costs as much as hundreds of reads. *)
  let looks = ref 0 in
  let look () =
    if !looks land 31 = 0 && Sys.time () >= until then raise (Stop Out_of_time);
    incr looks;
    if Visited.count v > most then raise (Stop Out_of_room)
  in
  let run =
    {
      i;
      look;
      visited = v;
      now = Machine.initial i.machine;
      next = Machine.initial i.machine;
    }
  in
  let outcome =
    match
      Instance.starts i (fun s ->
          look ();
          add run s ~parent:(-1));
      let state = ref (Visited.next v (-1)) in
      while !state >= 0 do
        look ();
        expand run !state;
        state := Visited.next v !state
      done
    with
    | () -> Holds
    | exception Stop outcome -> outcome
  in
  {
    outcome;
    states = Visited.count run.visited;
    seconds = Sys.time () -. began;
  }
