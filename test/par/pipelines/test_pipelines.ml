(* Pipelines: random ones against a loop, failures at each place, bounds, ends;
   on each hub with 1, 2 and 4 workers. *)

module Pipeline = Dromos.Pipeline
module Promise = Dromos.Promise

exception Boom of string * int

let ensure text ok = if not ok then failwith text

let everywhere f =
  List.iter
    (fun hub ->
      List.iter (fun workers -> Dromos.run ~workers ~hub f) [ 1; 2; 4 ])
    Dromos.Hub.all

let sometimes i = if i mod 7 = 0 then Dromos.yield ()

(* {1 Random pipelines} *)

type stage = Parallel | Filter | Serial | Exclusive

type plan = {
  items : int;
  tokens : int option;
  stages : stage list;
  fails : (int * int) list;
      (* item, stage; -1 is the source, the number after the stages the sink *)
  consumed : bool; (* by [consume], or otherwise by [iter] *)
}

let name_of = function
  | Parallel -> "parallel"
  | Filter -> "filter"
  | Serial -> "serial"
  | Exclusive -> "exclusive"

let print { items; tokens; stages; fails; consumed } =
  Printf.sprintf "%d items, tokens %s, %s, fails %s%s" items
    (match tokens with None -> "-" | Some n -> string_of_int n)
    (String.concat " > " (List.map name_of stages))
    (String.concat ","
       (List.map (fun (i, s) -> Printf.sprintf "%d@%d" i s) fails))
    (if consumed then ", consumed" else "")

let plans =
  let open QCheck2.Gen in
  let stage = oneofl [ Parallel; Filter; Serial; Exclusive ] in
  let* items = int_range 0 60 in
  let* tokens = opt (int_range 1 20) in
  let* stages = list_size (int_range 0 5) stage in
  let* fails =
    oneof
      [
        return [];
        list_size (int_range 1 3)
          (pair (int_range 0 (max 0 (items - 1))) (int_range (-1) 5));
      ]
  in
  let+ consumed = bool in
  { items; tokens; stages; fails; consumed }

let fail plan at i =
  if List.mem (i, at) plan.fails then raise (Boom ("item", i))

let keeps i = i mod 3 <> 0

(* An item is the same number in all stages, so that failures can be placed. Model
   and pipeline each return the end of the pipeline, the items of each serial
   stage, and the output. *)

let model plan =
  let serial = List.map (fun _ -> ref []) plan.stages in
  let out = ref [] in
  let rec stages at i = function
    | [] ->
        fail plan (List.length plan.stages) i;
        out := i :: !out
    | stage :: rest -> (
        if stage = Serial then begin
          let r = List.nth serial at in
          r := i :: !r
        end;
        fail plan at i;
        match stage with
        | Filter when not (keeps i) -> ()
        | _ -> stages (at + 1) i rest)
  in
  let ends =
    match
      for i = 0 to plan.items - 1 do
        fail plan (-1) i;
        stages 0 i plan.stages
      done
    with
    | () -> None
    | exception Boom (_, i) -> Some i
  in
  (ends, List.map ( ! ) serial, !out)

let play plan =
  let serial = List.map (fun _ -> ref []) plan.stages in
  let inside = List.map (fun _ -> Atomic.make 0) plan.stages in
  let out = ref [] and overlaps = Atomic.make 0 in
  let source =
    Seq.map
      (fun i ->
        sometimes i;
        fail plan (-1) i;
        i)
      (Seq.take plan.items (Seq.ints 0))
  in
  let alone at f i =
    let inside = List.nth inside at in
    if Atomic.fetch_and_add inside 1 > 0 then Atomic.incr overlaps;
    Fun.protect (fun () -> f i) ~finally:(fun () -> Atomic.decr inside)
  in
  let body at i =
    sometimes (i + at);
    fail plan at i;
    i
  in
  let add (at, pipe) stage =
    ( at + 1,
      match stage with
      | Parallel -> Pipeline.parallel (body at) pipe
      | Filter ->
          Pipeline.filter_map
            (fun i ->
              let i = body at i in
              if keeps i then Some i else None)
            pipe
      | Exclusive -> Pipeline.exclusive (alone at (body at)) pipe
      | Serial ->
          let r = List.nth serial at in
          Pipeline.serial
            (alone at (fun i ->
                 r := i :: !r;
                 body at i))
            pipe )
  in
  let n, pipe = List.fold_left add (0, Pipeline.from source) plan.stages in
  let sink i =
    fail plan n i;
    out := i :: !out
  in
  let { tokens; consumed; _ } = plan in
  let ends =
    match
      if consumed then Pipeline.consume ?tokens (Seq.iter sink) pipe
      else Pipeline.iter ?tokens sink pipe
    with
    | () -> None
    | exception Boom (_, i) -> Some i
  in
  ensure "one at a time" (Atomic.get overlaps = 0);
  ensure "all is over" (List.for_all (fun a -> Atomic.get a = 0) inside);
  (ends, List.map ( ! ) serial, !out)

(* Serial stages before the failing stage may have seen later items. *)
let agrees plan (ends, serial, out) (ends', serial', out') =
  let rec is_suffix a b =
    List.compare_lengths a b <= 0
    && (List.equal Int.equal a b
       || match b with [] -> false | _ :: b -> is_suffix a b)
  in
  ends = ends' && out = out'
  &&
  if plan.fails = [] then List.equal ( = ) serial serial'
  else List.for_all2 is_suffix serial serial'

let random () =
  let test =
    QCheck2.Test.make ~count:40 ~name:"pipelines" ~print plans (fun plan ->
        let expected = model plan in
        ensure "outside a run" (agrees plan expected (play plan));
        everywhere (fun () ->
            ensure "in a run" (agrees plan expected (play plan)));
        true)
  in
  QCheck2.Test.check_exn ~rand:(Random.State.make [| Watch.seed |]) test

(* {1 Failures} *)

let[@inline never] boom at i = raise (Boom (at, i))

(* Item [bad] raises at [place]; later items wait for ever in the parallel stage,
   earlier items yield in each stage. *)
let failures () =
  Printexc.record_backtrace true;
  everywhere (fun () ->
      List.iter
        (fun place ->
          List.iter
            (fun bad ->
              let inside = Atomic.make 0 and out = ref [] and most = ref 0 in
              let never = Promise.create () in
              let stage at i =
                Atomic.incr inside;
                Fun.protect
                  ~finally:(fun () -> Atomic.decr inside)
                  (fun () ->
                    if i = bad && at = place then boom at i;
                    if i < bad then Dromos.yield ();
                    if i > bad && at = "parallel" then Promise.await never;
                    i)
              in
              let make i =
                if i = bad && place = "source" then boom place i;
                most := Int.max !most i;
                i
              in
              let pipe =
                Pipeline.(
                  from (Seq.map make (Seq.ints 0))
                  |> serial (stage "serial")
                  |> parallel (stage "parallel")
                  |> exclusive (stage "exclusive")
                  |> filter_map (fun i -> Some (stage "filter" i)))
              in
              (match
                 Pipeline.iter ~tokens:6
                   (fun i -> out := stage "sink" i :: !out)
                   pipe
               with
              | () -> ensure "no failure" false
              | exception Boom (at, i) ->
                  let trace = Printexc.get_backtrace () in
                  ensure "which" (at = place && i = bad);
                  ensure
                    ("backtrace of " ^ place ^ ":\n" ^ trace)
                    (Said.contains trace "test_pipelines.ml"));
              ensure "those before" (!out = List.rev (List.init bad Fun.id));
              ensure "clean-up" (Atomic.get inside = 0);
              ensure "not too many" (!most < bad + 6))
            [ 0; 1; 9 ])
        [ "source"; "serial"; "parallel"; "exclusive"; "filter"; "sink" ])

(* An item behind a failed item begins no further stage, although no
   cancellation stops it: with one worker, the item continues after the failure
   for sure. *)
let behind () =
  let look stage hub =
    let inside = Promise.create () and go = Promise.create () in
    let began = ref false in
    let first i =
      if i = 1 then begin
        Promise.await inside;
        Fun.protect (fun () -> boom "first" i) ~finally:(Promise.resolve go)
      end;
      if i = 2 then begin
        Promise.resolve inside ();
        Promise.await go
      end;
      i
    in
    let second i = if i > 1 then began := true in
    (match
       Dromos.run ~workers:1 ~hub (fun () ->
           Pipeline.(
             from (Seq.take 3 (Seq.ints 0))
             |> parallel first |> stage second |> iter ignore))
     with
    | () -> ensure "no failure" false
    | exception Boom ("first", 1) -> ());
    ensure "begins no stage" (not !began)
  in
  List.iter
    (fun stage -> List.iter (look stage) Dromos.Hub.all)
    [
      Pipeline.parallel;
      Pipeline.serial;
      Pipeline.exclusive;
      (fun f -> Pipeline.filter_map (fun i -> Some (f i)));
    ]

(* A later item fails first, an earlier item afterwards: the earlier item's
   failure is raised. *)
let leftmost () =
  everywhere (fun () ->
      let later = Promise.create () in
      let f i =
        match i with
        | 1 ->
            Promise.await later;
            boom "early" i
        | 3 ->
            Promise.resolve later ();
            boom "late" i
        | i -> i
      in
      match
        Pipeline.(from (Seq.ints 0) |> parallel f |> iter ~tokens:8 ignore)
      with
      | () -> ensure "no failure" false
      | exception Boom ("early", 1) -> ())

(* {1 Bounds} *)

let bounded workers () =
  let live = Atomic.make 0 and most = Atomic.make 0 in
  let rec note n =
    let seen = Atomic.get most in
    if n > seen && not (Atomic.compare_and_set most seen n) then note n
  in
  let n = 1_000_000 in
  let make i =
    note (1 + Atomic.fetch_and_add live 1);
    i
  in
  let next = ref 0 in
  let sink i =
    ensure "in order" (i = !next);
    incr next;
    Atomic.decr live
  in
  Dromos.run ~workers (fun () ->
      Pipeline.(
        from (Seq.map make (Seq.take n (Seq.ints 0)))
        |> parallel Fun.id |> serial Fun.id |> iter ~tokens:16 sink));
  ensure "all" (!next = n && Atomic.get live = 0);
  ensure (Printf.sprintf "%d live" (Atomic.get most)) (Atomic.get most <= 16)

(* A stage holds exactly as many waiting items as there are tokens. *)
let all_tokens () =
  everywhere (fun () ->
      let inside = Atomic.make 0 and gate = Promise.create () in
      let wait i =
        if Atomic.fetch_and_add inside 1 = 9 then
          ignore (Promise.try_resolve gate (Ok ()) : bool);
        Promise.await gate;
        ensure "at most" (Atomic.fetch_and_add inside (-1) <= 10);
        i
      in
      let sum =
        Pipeline.(
          from (Seq.take 200 (Seq.ints 0))
          |> parallel wait |> fold ~tokens:10 ( + ) 0)
      in
      ensure "sum" (sum = 199 * 100))

(* {1 Sources and sinks} *)

let streams () =
  everywhere (fun () ->
      let input = Dromos.Stream.create 2 and output = Dromos.Stream.create 2 in
      let got =
        Dromos.Scope.run (fun scope ->
            Dromos.Scope.fork scope (fun () ->
                for i = 1 to 100 do
                  Dromos.Stream.add input i
                done;
                Dromos.Stream.close input);
            Dromos.Scope.fork scope (fun () ->
                Pipeline.(
                  of_stream input |> parallel (( * ) 2) |> to_stream output);
                Dromos.Stream.close output);
            List.rev (Dromos.Stream.fold (Fun.flip List.cons) [] output))
      in
      ensure "through streams" (got = List.init 100 (fun i -> 2 * (i + 1)));
      let left = ref 50 and calls = ref 0 in
      let next () =
        incr calls;
        if !left = 0 then None
        else begin
          decr left;
          Some !left
        end
      in
      let pipe = Pipeline.(of_function next |> parallel string_of_int) in
      ensure "a function"
        (Pipeline.to_list pipe = List.init 50 (fun i -> string_of_int (49 - i)));
      ensure "called no more" (!calls = 51);
      (* The pipeline runs a second time. *)
      let pipe = Pipeline.(from (Seq.take 30 (Seq.ints 0)) |> serial succ) in
      ensure "again" (Pipeline.to_list pipe = Pipeline.to_list pipe);
      ensure "empty" (Pipeline.(to_list (from Seq.empty)) = []))

(* An endless source whose consumer takes some items; a source that waits long
   for items, and is closed. *)
let limits () =
  everywhere (fun () ->
      let made = ref 0 and inside = Atomic.make 0 in
      let never = Promise.create () in
      let slow i =
        Atomic.incr inside;
        Fun.protect
          (fun () -> if i >= 20 then Promise.await never else i)
          ~finally:(fun () -> Atomic.decr inside)
      in
      let source =
        Seq.map
          (fun i ->
            incr made;
            i)
          (Seq.ints 0)
      in
      let ten =
        Pipeline.(
          from source |> parallel slow |> serial Fun.id
          |> consume ~tokens:30 (fun s -> List.of_seq (Seq.take 10 s)))
      in
      ensure "ten" (ten = List.init 10 Fun.id);
      ensure "not much more" (!made <= 40);
      ensure "all are over" (Atomic.get inside = 0);
      (* A limit in the sequence. *)
      let some =
        Pipeline.(from (Seq.take 10 source) |> parallel slow |> to_list)
      in
      ensure "limited" (some = List.init 10 Fun.id))

(* {1 Cancellation} *)

let cancelled () =
  everywhere (fun () ->
      for round = 1 to 30 do
        let inside = Atomic.make 0 and seen = Atomic.make 0 in
        let stage i =
          Atomic.incr inside;
          Fun.protect
            (fun () ->
              Atomic.incr seen;
              if i mod 3 = 0 then Dromos.yield ();
              i)
            ~finally:(fun () -> Atomic.decr inside)
        in
        (match
           Dromos.Scope.run (fun scope ->
               Dromos.Scope.fork scope (fun () ->
                   while Atomic.get seen < 10 * round do
                     Dromos.yield ()
                   done;
                   Dromos.Scope.cancel scope);
               Pipeline.(
                 from (Seq.ints 0)
                 |> parallel stage |> serial stage |> exclusive stage
                 |> parallel stage
                 |> iter
                      ~tokens:(1 + (round mod 9))
                      (fun i -> ignore (stage i : int))))
         with
        | () -> ensure "not cancelled" false
        | exception Dromos.Cancelled -> ());
        ensure "all are over" (Atomic.get inside = 0)
      done;
      (* A wait without end in each kind of stage, and at the source. *)
      let never = Promise.create () in
      let waits i = if i = 5 then Promise.await never else i in
      List.iter
        (fun stage ->
          match
            Dromos.timeout 0.005 (fun () ->
                Pipeline.(from (Seq.ints 0) |> stage |> iter ~tokens:8 ignore))
          with
          | () -> ensure "not cancelled" false
          | exception Dromos.Timeout -> ())
        [
          Pipeline.parallel waits;
          Pipeline.serial waits;
          Pipeline.exclusive waits;
          (fun pipe -> Pipeline.(parallel Fun.id (serial waits pipe)));
        ];
      match
        Dromos.timeout 0.005 (fun () ->
            Pipeline.(
              of_stream (Dromos.Stream.create 1) |> iter (fun (_ : int) -> ())))
      with
      | () -> ensure "not cancelled" false
      | exception Dromos.Timeout -> ())

(* Tasks started by the stages are over when the call is; the storage is the
   caller's. *)
let tasks_and_storage () =
  let key = Dromos.Fls.new_key () in
  everywhere (fun () ->
      Dromos.Fls.set key 7;
      let wrong = Atomic.make 0 and tasks = Atomic.make 0 in
      let stage i =
        if Dromos.Fls.find_opt key <> Some 7 then Atomic.incr wrong;
        Dromos.Fls.set key i;
        Promise.await
          (Dromos.async (fun () ->
               Dromos.yield ();
               ignore
                 (Dromos.async (fun () ->
                      Dromos.yield ();
                      Atomic.incr tasks))));
        i
      in
      Pipeline.(
        from (Seq.take 50 (Seq.ints 0)) |> parallel stage |> iter ignore);
      ensure "storage" (Atomic.get wrong = 0 && Dromos.Fls.find_opt key = Some 7);
      ensure "tasks" (Atomic.get tasks = 50))

let misuse () =
  let invalid part f =
    match f () with
    | () -> ensure part false
    | exception Invalid_argument text -> ensure text (Said.contains text part)
  in
  let pipe = Pipeline.from (Seq.take 3 (Seq.ints 0)) in
  let all () =
    invalid "Pipeline.iter: ~tokens:0" (fun () ->
        Pipeline.iter ~tokens:0 ignore pipe);
    invalid "Pipeline.fold: ~tokens:-1" (fun () ->
        Pipeline.fold ~tokens:(-1) (fun () _ -> ()) () pipe);
    invalid "Pipeline.consume: ~tokens:0" (fun () ->
        Pipeline.consume ~tokens:0 (Seq.iter ignore) pipe)
  in
  all ();
  everywhere all;
  everywhere (fun () ->
      let escaped = Pipeline.consume Fun.id pipe in
      invalid "after the end" (fun () -> ignore (escaped ())));
  ensure "huge"
    (Dromos.run (fun () -> Pipeline.to_list ~tokens:max_int pipe) = [ 0; 1; 2 ])

let () =
  Watch.suite "pipelines" (fun () ->
      let case = Watch.case in
      Alcotest.run ~and_exit:false "pipelines"
        [
          ( "Pipeline",
            [
              case "random ones" random;
              case "failures" failures;
              case "behind a failure" behind;
              case "the leftmost failure" leftmost;
              case "bounded, 1 worker" (bounded 1);
              case "bounded, 2 workers" (bounded 2);
              case "bounded, 4 workers" (bounded 4);
              case "all tokens" all_tokens;
              case "streams and functions" streams;
              case "limits" limits;
              case "cancelled" cancelled;
              case "tasks and storage" tasks_and_storage;
              case "misuse" misuse;
            ] );
        ])
