open Dromos_policy_explore
open Dromos_policy_semantics
open Dromos_trace

let kinds =
  Timeline.
    [|
      { name = "runs"; colour = "#3b82c4"; means = "the core's running thread" };
      {
        name = "handler";
        colour = "#d98a29";
        means = "a step of a handler that runs on this core";
      };
    |]

let thread t = Printf.sprintf "t%d" t

(* "current: t1 | ready: t2 t3": the running thread and the queues that are not
   empty, under the policy's names. *)
let stands machine s c =
  let policy = (Machine.layout machine).policy in
  let queue (st : Core.state) =
    if st.state_class <> Ready then None
    else
      match Look.queue machine s c st with
      | [] -> None
      | threads ->
          Some
            (st.state_name ^ ": " ^ String.concat " " (List.map thread threads))
  in
  let queues = List.filter_map queue (Array.to_list policy.states) in
  let slot = (Query.running policy).state_name in
  let runs =
    Option.map (fun t -> slot ^ ": " ^ thread t) (Look.current machine s c)
  in
  match Option.to_list runs @ queues with
  | [] -> "idle"
  | parts -> String.concat " | " parts

(* The values of [what] over the states, as intervals [(from, until, value)]. *)
let intervals states what =
  let n = Array.length states in
  let rec go i since current found =
    if i = n then (since, n, current) :: found
    else
      let now = what states.(i) in
      if now = current then go (i + 1) since current found
      else go (i + 1) i now ((since, i, current) :: found)
  in
  List.rev (go 1 0 (what states.(0)) [])

(* The findings of a trace, at the end and on the cores concerned. In a breach
   the idle cores are wrong, and the overloaded cores are the cause. For a
   starving thread, the findings are its wait and the repeated part. *)
let findings (t : Trace.t) =
  let machine = t.instance.machine in
  let stop = float (List.length t.steps) in
  let in_the_end sort verb lane =
    let threads =
      match stands machine t.final lane with
      | "idle" -> ""
      | held -> ": " ^ held
    in
    let text = verb ^ " in the end" ^ threads in
    { Timeline.lane; start = stop; stop = stop +. 1.; sort; text }
  in
  match t.fault with
  | Breach { overloaded; idle } ->
      List.map (in_the_end Wrong "idle") idle
      @ List.map (in_the_end Cause "overloaded") overloaded
  | Starves { thread; since; from } ->
      let on_core start sort text =
        {
          Timeline.lane = 0;
          start = float start;
          stop = stop +. 1.;
          sort;
          text;
        }
      in
      [
        on_core since Wrong
          (Printf.sprintf "t%d is ready and never runs" thread);
        on_core from Cause "comes again for ever";
      ]
  | Conservation _ | Stuck ->
      List.init t.instance.bounds.cores (in_the_end Cause "stands")

let of_trace ?hint (t : Trace.t) =
  let machine = t.instance.machine in
  let cores = t.instance.bounds.cores in
  let steps = Array.of_list t.steps in
  let states =
    let after (s : Steps.t) = s.after in
    Array.append [| t.initial |] (Array.map after steps)
  in
  let lanes = List.init cores Fun.id in
  let spans =
    List.concat_map
      (fun c ->
        List.filter_map
          (fun (from, until, running) ->
            Option.map
              (fun thread_number ->
                {
                  Timeline.lane = c;
                  start = float from;
                  stop = float until;
                  kind = 0;
                  text = thread thread_number;
                  notes = [];
                })
              running)
          (intervals states (fun s -> Look.current machine s c)))
      lanes
  in
  let levels =
    List.map
      (fun c ->
        let points =
          List.map
            (fun (from, _, n) -> (float from, n))
            (intervals states (fun s -> Look.really machine s c))
        in
        { Timeline.lane = c; points })
      lanes
  in
  let changed before after =
    List.filter_map
      (fun c ->
        let now = stands machine after c in
        if stands machine before c = now then None else Some (c, now))
      lanes
  in
  let step i (s : Steps.t) =
    {
      Timeline.at = float (i + 1);
      lane = (if s.core >= 0 && s.core < cores then Some s.core else None);
      text = s.text;
      after = changed states.(i) s.after;
    }
  in
  let beginning =
    {
      Timeline.at = 0.;
      lane = None;
      text = "at first";
      after = List.map (fun c -> (c, stands machine t.initial c)) lanes;
    }
  in
  let mark i (s : Steps.t) =
    if s.core < 0 || s.core >= cores then None
    else
      Some
        { Timeline.lane = s.core; at = float (i + 1); kind = 1; text = s.text }
  in
  let fault = Trace.fault_text t.fault in
  {
    (Timeline.empty
       ~title:(t.instance.policy.policy_name ^ ": " ^ fault)
       ~unit_name:"steps")
    with
    facts =
      [
        ("property", Trace.title t); ("machine", Bounds.show t.instance.bounds);
      ]
      @ Trace.begins t
      @ [ ("in the end", fault) ]
      @ Option.fold ~none:[] ~some:(fun h -> [ ("why", h) ]) hint;
    lanes = Array.init cores (Printf.sprintf "core %d");
    kinds;
    spans;
    marks = List.filter_map Fun.id (List.mapi mark t.steps);
    levels;
    steps = beginning :: List.mapi step t.steps;
    findings = findings t;
    findings_title = fault;
  }
