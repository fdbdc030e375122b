(* The figures as text: a small reader of Prometheus' format, which refuses the
   texts that Prometheus would refuse. *)

open Common

type sample = { name : string; labels : (string * string) list; value : float }

let fail line why = Alcotest.failf "%s: %S" why line

let is_name text =
  text <> ""
  && (match text.[0] with '0' .. '9' -> false | _ -> true)
  && String.for_all
       (function
         | 'a' .. 'z' | 'A' .. 'Z' | '0' .. '9' | '_' | ':' -> true | _ -> false)
       text

(* After the opening quote: returns the value, and the rest after the closing
   quote. *)
let quoted line from =
  let buffer = Buffer.create 16 in
  let rec go i =
    if i >= String.length line then fail line "no closing quote"
    else
      match line.[i] with
      | '"' -> (Buffer.contents buffer, i + 1)
      | '\\' ->
          (match line.[i + 1] with
          | 'n' -> Buffer.add_char buffer '\n'
          | ('\\' | '"') as c -> Buffer.add_char buffer c
          | _ -> fail line "an escape");
          go (i + 2)
      | c ->
          Buffer.add_char buffer c;
          go (i + 1)
  in
  go from

let sample line =
  let brace = String.index line '{' in
  let equals = String.index line '=' in
  let label = String.sub line (brace + 1) (equals - brace - 1) in
  let text, next = quoted line (equals + 2) in
  if not (is_name label && String.sub line next 2 = "} ") then
    fail line "labels";
  let value = String.sub line (next + 2) (String.length line - next - 2) in
  {
    name = String.sub line 0 brace;
    labels = [ (label, text) ];
    value =
      (match float_of_string_opt value with
      | Some v -> v
      | None -> fail line "a value");
  }

(* HELP, TYPE, then the samples of the metric; each metric once. *)
let rec read seen samples = function
  | [] | [ "" ] -> List.rev samples
  | line :: rest when String.starts_with ~prefix:"# HELP " line -> (
      match (String.split_on_char ' ' line, rest) with
      | "#" :: "HELP" :: name :: _ :: _, kind :: rest ->
          if List.mem name seen then fail line "twice";
          if not (is_name name) then fail line "a name";
          let counter = String.ends_with ~suffix:"_total" name in
          Alcotest.(check string)
            "type"
            (Printf.sprintf "# TYPE %s %s" name
               (if counter then "counter" else "gauge"))
            kind;
          read (name :: seen) samples rest
      | _ -> fail line "HELP")
  | line :: rest -> (
      let s = sample line in
      match seen with
      | name :: _ when name = s.name -> read seen (s :: samples) rest
      | _ -> fail line "not under its HELP")

let parse text =
  bool "ends with a newline" true (String.ends_with ~suffix:"\n" text);
  read [] [] (String.split_on_char '\n' text)

let value samples name runtime =
  match
    List.find_opt
      (fun s -> s.name = name && s.labels = [ ("runtime", runtime) ])
      samples
  with
  | Some s -> s.value
  | None -> Alcotest.failf "no %s of %S" name runtime

let odd_name = "a \"b\" \\ c\nd, {e}=é"

let text () =
  Runtime.with_ ~name:odd_name ~hub ~workers ~queue:10
    ~on_unhandled:(fun _ _ -> ())
    (fun t ->
      for i = 1 to 10 do
        int "value" i (Runtime.run t (fun () -> i))
      done;
      Runtime.post t (fun () -> failwith "on purpose");
      Runtime.stop t;
      let samples = parse (Runtime.to_prometheus t) in
      let equal name expected =
        Alcotest.(check (float 0.))
          name expected
          (value samples ("dromos_runtime_" ^ name) odd_name)
      in
      let s = at_rest "text" t in
      equal "tasks_accepted_total" 11.;
      equal "tasks_finished_total" 10.;
      equal "tasks_failed_total" 1.;
      equal "tasks_cancelled_total" 0.;
      equal "tasks_queued" 0.;
      equal "queue_limit" 10.;
      equal "workers" (float_of_int workers);
      equal "kernel_tasks_total" (float_of_int s.scheduler.tasks);
      bool "it ran" true
        (value samples "dromos_runtime_wait_seconds_total" odd_name > 0.))

let several () =
  let make name = Runtime.create ~name ~hub ~workers:1 () in
  let a = make "a" and b = make "b" and again = make "a" in
  Runtime.run b ignore;
  let samples = parse (Runtime.to_prometheus_all ~prefix:"x" [ a; b ]) in
  let finished = value samples "x_tasks_finished_total" in
  Alcotest.(check (float 0.)) "a" 0. (finished "a");
  Alcotest.(check (float 0.)) "b" 1. (finished "b");
  bool "no bound" true
    (List.for_all (fun s -> s.name <> "x_queue_limit") samples);
  let refuses what f =
    match f () with
    | (_ : string) -> Alcotest.failf "not refused: %s" what
    | exception Invalid_argument text ->
        bool (what ^ " in " ^ text) true (Said.contains text what)
  in
  refuses "\"a\"" (fun () -> Runtime.to_prometheus_all [ a; b; again ]);
  refuses "a b" (fun () -> Runtime.to_prometheus ~prefix:"a b" a);
  refuses "9" (fun () -> Runtime.to_prometheus ~prefix:"9" a);
  List.iter (fun t -> Runtime.stop t) [ a; b; again ]

(* The sum is right in every snapshot, while tasks come, fail and are
   cancelled. *)
let under_load () =
  runtime ~queue:50
    ~on_unhandled:(fun _ _ -> ())
    (fun t ->
      let over = Atomic.make false in
      let submit () =
        for i = 1 to 3000 do
          if i mod 3 = 0 then Runtime.post t (fun () -> failwith "on purpose")
          else if i mod 7 = 0 then
            let cancel =
              Dromos.Event.sync (Runtime.start_event t Dromos.yield ignore)
            in
            ignore (cancel () : bool)
          else Runtime.post t Dromos.yield
        done
      in
      let threads = List.init 3 (fun _ -> Thread.create submit ()) in
      let reader =
        Domain.spawn (fun () ->
            let n = ref 0 in
            while not (Atomic.get over) do
              incr n;
              let s = sums "snapshot" t in
              bool "bound" true (0 <= s.queued && s.queued <= 50);
              bool "running" true (s.running >= 0)
            done;
            !n)
      in
      List.iter Thread.join threads;
      Atomic.set over true;
      bool "looked" true (Domain.join reader > 0);
      Runtime.stop t;
      let s = at_rest "load" t in
      int "accepted" 9000 s.accepted;
      int "failed" 3000 s.failed)

let case = Watch.case

let cases =
  [
    case "text" text; case "several" several; case "sums under load" under_load;
  ]
