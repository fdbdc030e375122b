open Dromos_policy_semantics
open Dromos_policy_explore
module Builder = Policy_builder

let gcwc = Promise.Gcwc
let unblock = Promise.Lcwc Unblock
let new_ = Promise.Lcwc New

let bounds ?(varied = false) (cores, threads, events) =
  { Bounds.cores; threads; events; varied }

let check ?fault ?series shape promise =
  Explore.check ?fault ~seconds:30. ?series (Builder.policy shape) promise

let show r = Format.asprintf "%a" Explore.pp r

let holds ?(from = (2, 3, 2)) ?(upto = (3, 4, 1)) ?varied shape promise () =
  let series = [ bounds from; bounds ?varied upto ] in
  let r = check ~series shape promise in
  match r.verdict with
  | Holds when List.length r.covered = 2 -> ()
  | _ -> Alcotest.fail (show r)

(* The trace is run again. Its length and machine are at most those of the trace
   that a person has checked. *)
let violated ?fault ~at ~most shape promise () =
  let r = check ?fault shape promise in
  match r.verdict with
  | Violated t ->
      (match Trace.replay t with
      | Ok () -> ()
      | Error what -> Alcotest.failf "%s@.%s" what (show r));
      let b = t.instance.bounds in
      if (b.cores, b.threads, b.events) > at || List.length t.steps > most then
        Alcotest.fail (show r)
  | _ -> Alcotest.fail (show r)

let ule = Builder.ule
let threshold n = { ule with filter = n }

let work_stealing =
  In_channel.with_open_bin "../../policies/work_stealing.policy"
    In_channel.input_all

(* [wanted] in place of the body of [event]'s handler. *)
let instead event wanted =
  let body = Printf.sprintf "On %s {\n      e.target => ready;" event in
  match Str.bounded_split_delim (Str.regexp_string body) work_stealing 2 with
  | [ before; after ] ->
      Printf.sprintf "%sOn %s {\n%s%s" before event wanted after
  | _ -> Alcotest.failf "work_stealing.policy has no plain %s" event

(* If no core is idle the handler moves its thread to no core. The event is the
   last one: no later step looks for the thread. *)
let lost event promise () =
  let text = instead event "e.target => any(idle_cores).ready;" in
  let policy = Random_policy.policy text in
  let found = function
    | Search.Violated { fault = Conservation what; _ } -> what
    | Violated _ -> "another fault"
    | Holds -> "nothing"
    | Out_of_time | Out_of_room -> "no end"
  in
  List.iter
    (fun (hurry, b) ->
      let i = Instance.make ~hurry policy promise (bounds b) in
      Alcotest.(check string)
        (Bounds.show (bounds b))
        "t2 is lost: it is in no queue, and on no core"
        (found (Search.run i).outcome))
    [ (true, (2, 3, 0)); (false, (2, 3, 0)) ]

(* A changed trace is refused. *)
let tampered () =
  match (check (threshold 3) gcwc).verdict with
  | Violated t ->
      let refused what t =
        match Trace.replay t with
        | Ok () -> Alcotest.failf "%s: accepted" what
        | Error (_ : string) -> ()
      in
      refused "without its last move"
        { t with moves = List.rev (List.tl (List.rev t.moves)) };
      refused "another fault" { t with fault = Stuck };
      refused "another text"
        {
          t with
          steps = List.map (fun s -> { s with Steps.text = "nothing" }) t.steps;
        };
      let initial = Array.copy t.initial in
      initial.(Layout.blocked) <- 3;
      refused "another beginning" { t with initial }
  | _ -> Alcotest.fail "threshold 3 holds"

let mem key json = Yojson.Safe.Util.member key json

let json () =
  match (check (threshold 3) gcwc).verdict with
  | Violated t ->
      let j = Trace.to_json t in
      let list key = Yojson.Safe.Util.to_list (mem key j) in
      Alcotest.(check int)
        "steps" (List.length t.steps)
        (List.length (list "steps"));
      Alcotest.(check int) "cores" 2 (List.length (list "initial"));
      Alcotest.(check bool)
        "says which cores" true
        (mem "overloaded" j = `List [ `Int 0 ]
        && mem "idle" j = `List [ `Int 1 ])
  | _ -> Alcotest.fail "threshold 3 holds"

(* States that differ only by names are packed the same. *)
let packing () =
  for _ = 1 to 60 do
    let shape = Builder.random Watch.chance in
    let promise = if shape.by_group then Promise.Hcwc else gcwc in
    let i = Instance.make (Builder.policy shape) promise (bounds (4, 5, 2)) in
    let packed s =
      let n = Pack.pack i.pack s in
      Bytes.sub (Pack.bytes i.pack) 0 n
    in
    let any = ref None and n = ref 0 in
    Instance.starts i (fun s ->
        incr n;
        if Random.State.int Watch.chance !n = 0 then any := Some (Array.copy s));
    let s = Option.get !any in
    let again = Machine.initial i.machine in
    let rec walk left =
      let moves = ref [] in
      let b = packed s in
      Pack.unpack i.pack b 0 again;
      again.(Layout.budget) <- s.(Layout.budget);
      if packed again <> b then
        Alcotest.failf "%s: packed, unpacked and packed again it differs"
          (Builder.show shape);
      if not (Instance.over i s) then begin
        Instance.moves i s (fun m -> moves := m :: !moves);
        match !moves with
        | [] -> ()
        | l when left > 0 ->
            let move =
              List.nth l (Random.State.int Watch.chance (List.length l))
            in
            Instance.apply i s move;
            Option.iter (fun w -> Alcotest.fail w) (Look.broken i.machine s);
            walk (left - 1)
        | _ -> ()
      end
    in
    walk 200
  done

(* The search without any optimization: whole states, each step a move. *)
let naive (i : Instance.t) ~most =
  let seen = Hashtbl.create 4096 and waiting = Queue.create () in
  let add s =
    let key = Marshal.to_string s [ Marshal.No_sharing ] in
    if not (Hashtbl.mem seen key) then begin
      Hashtbl.add seen key ();
      Queue.add s waiting
    end
  in
  Instance.starts i (fun s -> add (Array.copy s));
  let rec go () =
    if Hashtbl.length seen > most then None
    else
      match Queue.take_opt waiting with
      | None -> Some false
      | Some s ->
          if Instance.over i s then
            if Trace.fault_of i s <> None then Some true else go ()
          else begin
            Instance.moves i s (fun move ->
                let next = Array.copy s in
                Instance.apply i next move;
                add next);
            go ()
          end
  in
  go ()

let outcome : Search.outcome -> string = function
  | Holds -> "holds"
  | Violated _ -> "violated"
  | Out_of_time -> "no end in time"
  | Out_of_room -> "too many states"

(* The moves left out make no difference to the verdict. *)
let nothing_is_missed () =
  let compared = ref 0 and violated = ref 0 in
  let one policy said bounds promise =
    let plain = Instance.make ~hurry:false policy promise bounds in
    match naive plain ~most:12_000 with
    | None -> ()
    | Some wrong -> (
        incr compared;
        if wrong then incr violated;
        let found i = (Search.run i).outcome in
        let quick = found (Instance.make policy promise bounds) in
        let slow = found plain in
        match (quick, slow) with
        | Holds, Holds when not wrong -> ()
        | Violated t, Violated u when wrong ->
            List.iter
              (fun t ->
                Result.iter_error
                  (fun what -> Alcotest.failf "%s@.replay: %s" said what)
                  (Trace.replay t))
              [ t; u ]
        | _ ->
            Alcotest.failf
              "%s@.%s, %s: the search says %s, without joined steps %s, and a \
               naive one %s (DROMOS_TEST_SEED=%d)"
              said (Promise.name promise) (Bounds.show bounds) (outcome quick)
              (outcome slow)
              (if wrong then "violated" else "holds")
              Watch.seed)
  in
  let all policy said =
    List.iter
      (fun b -> List.iter (one policy said (bounds b)) (Promise.all policy))
      [ (2, 3, 0); (2, 3, 1); (3, 4, 0) ]
  in
  for _ = 1 to 25 do
    let shape = Builder.random Watch.chance in
    all (Builder.policy shape) (Builder.show shape);
    let text = Random_policy.text Watch.chance ~name:"random" in
    all (Random_policy.policy text) text
  done;
  Printf.printf "%d searches compared, %d of them with a violation\n%!"
    !compared !violated;
  if !compared < 60 || !violated < 10 then
    Alcotest.fail "hardly anything was compared"

let speed () =
  let i = Instance.make (Builder.policy ule) gcwc (bounds (3, 4, 1)) in
  let r = Search.run i in
  Printf.printf "%d states, %.0f a second\n%!" r.states
    (float r.states /. r.seconds);
  Alcotest.(check bool) "holds" true (r.outcome = Holds)

let case = Watch.case

let () =
  Watch.suite "policy explore" (fun () ->
      Alcotest.run ~and_exit:false "policy explore"
        [
          ( "holds",
            [
              case "ULE-CWC, GCWC" (holds ule gcwc);
              case "ULE-CWC, LCWC of new" (holds ~upto:(4, 5, 1) ule new_);
              case "ULE-CWC, LCWC of unblock"
                (holds ~upto:(4, 5, 1) ule unblock);
              case "two queues, by counts"
                (holds { ule with queues = 2; counts = true } gcwc);
              case "an idle core near, else the least loaded"
                (holds { ule with placement = Idle_or_least } unblock);
              case "interrupts exempt"
                (holds ~upto:(2, 3, 1) ~varied:true
                   { ule with placement = Last_core; exempt_interrupts = true }
                   unblock);
              case "threshold 3, given rounds: never mended"
                (violated ~at:(2, 3, 0) ~most:10
                   { (threshold 3) with rounds = Some 3 }
                   gcwc);
              case "steals once, given rounds: mended"
                (holds ~upto:(3, 4, 1)
                   { ule with repeated = false; rounds = Some 1 }
                   gcwc);
              case "interrupts to their last core, given a round: mended"
                (holds ~upto:(3, 4, 1)
                   { ule with placement = Last_core; rounds = Some 1 }
                   unblock);
            ] );
          ( "violated",
            [
              case "threshold 3"
                (violated ~at:(2, 3, 0) ~most:6 (threshold 3) gcwc);
              case "gives up after the first core"
                (violated ~at:(3, 4, 1) ~most:24
                   { ule with until = `Always }
                   gcwc);
              case "steals once"
                (violated ~at:(3, 4, 1) ~most:25
                   { ule with repeated = false }
                   gcwc);
              case "interrupts to their last core, new"
                (violated ~at:(2, 3, 0) ~most:4
                   { ule with placement = Last_core }
                   new_);
              case "interrupts to their last core, unblock"
                (violated ~at:(2, 3, 0) ~most:4
                   { ule with placement = Last_core }
                   unblock);
              case "the same, given a round that mends nothing"
                (violated ~at:(2, 3, 0) ~most:4
                   { (threshold 3) with placement = Last_core; rounds = Some 1 }
                   unblock);
              case "only in the domain"
                (violated ~at:(3, 4, 0) ~most:5
                   { ule with placement = In_domain }
                   unblock);
            ] );
          ( "threads that the last event loses",
            [
              case "new" (lost "new" new_);
              case "unblock" (lost "unblock" unblock);
            ] );
          ( "thieves",
            let newly_idle synchronized =
              { ule with newly_idle = Some synchronized }
            in
            let twice = { ule with synchronized = false } in
            [
              case "two balancers" (violated ~at:(3, 4, 1) ~most:44 twice gcwc);
              case "newly idle"
                (violated ~at:(3, 4, 1) ~most:44 (newly_idle false) gcwc);
              case "newly idle, by groups"
                (violated ~at:(3, 3, 1) ~most:60
                   { (newly_idle false) with by_group = true }
                   Promise.Hcwc);
              case "newly idle, synchronized" (holds (newly_idle true) gcwc);
              case "only newly idle is synchronized"
                (violated ~at:(3, 4, 1) ~most:44
                   { (newly_idle true) with synchronized = false }
                   gcwc);
              case "two balancers, no event"
                (holds ~upto:(4, 5, 0) ~from:(3, 4, 0) twice gcwc);
              case "not while a thread is placed"
                (holds ~upto:(3, 4, 1) (newly_idle false) unblock);
            ] );
          ( "seeded faults",
            [
              case "a core is skipped"
                (violated ~fault:Skip_core ~at:(2, 3, 0) ~most:10 ule gcwc);
              case "U is forgotten"
                (violated ~fault:Forget_unblocked ~at:(3, 4, 2) ~most:60 ule
                   gcwc);
              case "a thread is lost"
                (violated ~fault:Lose_thread ~at:(3, 4, 1) ~most:60
                   { ule with filter = 1; take = 1; until = `Never }
                   gcwc);
            ] );
          ( "machinery",
            [
              case "traces that were tampered with" tampered;
              case "json" json;
              case "packing" packing;
              case "nothing is missed" nothing_is_missed;
              case "speed" speed;
            ] );
        ])
