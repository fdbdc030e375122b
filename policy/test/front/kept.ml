(* The checks ensure that no thread is lost. Damaged policies that pass the
   checks without a warning are run at random, and every state is checked. *)

open Dromos_policy_core
open Dromos_policy_syntax
open Dromos_policy_elaborate
open Dromos_policy_semantics

let seed =
  match Sys.getenv_opt "DROMOS_TEST_SEED" with
  | Some seed -> int_of_string seed
  | None ->
      Random.self_init ();
      Random.bits ()

let chance = Random.State.make [| seed |]
let pick array = array.(Random.State.int chance (Array.length array))

let sources =
  Array.of_list
    (List.map
       (fun file -> In_channel.with_open_bin file In_channel.input_all)
       (List.tl (Array.to_list Sys.argv)))

(* {1 Damage} *)

let split text =
  Str.full_split (Str.regexp "//[^\n]*\\|[A-Za-z_.]+\\|[0-9]+\\|[^ \n]") text
  |> List.map (function Str.Text s | Str.Delim s -> s)
  |> Array.of_list

let statements =
  [|
    "e.target => ready;"; "e.target => blocked;"; "e.target => terminated;";
    "e.target => timeshare;"; "t => current;"; "t => dst.ready;"; "return;";
    "if (e.target.load > 1) "; "else "; "foreach (t in ready) "; "t => ready;";
    "if (!valid(t)) "; "if (valid(t)) "; "t => lifo;"; "e.target => lifo;";
    "foreach (x in q2) x => q0;"; "thread x = first(ready); x => ready;";
    "foreach (x in ready) { x => current; }"; "current => ready;";
    "t = lifo;"; "t = e.target;"; "foreach (t in lifo) ";
  |]
[@@ocamlformat "disable"]

(* Lines are swapped, copied, left out, or added. *)
let damage text =
  let lines = Array.of_list (String.split_on_char '\n' text) in
  let code = Random.State.int chance (Array.length lines) in
  (match Random.State.int chance 5 with
  | 0 -> lines.(code) <- ""
  | 1 -> lines.(code) <- pick lines
  | 2 -> lines.(code) <- lines.(code) ^ "\n" ^ pick statements
  | 3 -> lines.(code) <- pick statements ^ lines.(code)
  | _ ->
      let words = split lines.(code) in
      if words <> [||] then begin
        words.(Random.State.int chance (Array.length words)) <-
          pick (split text);
        lines.(code) <- String.concat "" (Array.to_list words)
      end);
  String.concat "\n" (Array.to_list lines)

let rec damaged n text = if n = 0 then text else damaged (n - 1) (damage text)

(* {1 Runs} *)

let loads machine state =
  let l = Machine.layout machine in
  match Query.load l.policy with
  | None -> ()
  | Some a ->
      for t = 0 to l.threads - 1 do
        Look.set_attribute machine state a t (1 + Random.State.int chance 3)
      done

let wrong policy =
  let topology = pick [| Topology.flat 2; Topology.tree ~cores:4 2 |] in
  let machine = Machine.create ~runners:3 ~threads:4 topology policy in
  let outcome = Tester.run chance machine ~steps:300 ~prepare:(loads machine) in
  outcome.wrong

let report what text steps =
  Printf.printf "FAIL %s\n%s\n%s\n" what text (String.concat "\n" steps);
  exit 1

(* A case found by damage: loads below 0, whose core words were reported wrong
   while a thread moved there. *)
let below_zero () =
  let loads = Str.regexp_string "t.load = weight" in
  let has text =
    try Str.search_forward loads text 0 >= 0 with Not_found -> false
  in
  match List.find_opt has (Array.to_list sources) with
  | None -> failwith "no policy sets loads by weights any more"
  | Some text -> (
      let text = Str.global_replace loads "t.load =-weight" text in
      match Result.map Elaborate.policy (Parse.string text) with
      | Ok (Ok { policy; _ }) ->
          for _ = 1 to 50 do
            match wrong policy with
            | None -> ()
            | Some (what, steps) -> report what text steps
          done
      | _ -> failwith "loads below 0 are refused")

let () =
  Printf.printf "seed %d\n%!" seed;
  below_zero ();
  let passed = ref 0 and tries = ref 0 in
  let until = Unix.gettimeofday () +. 8. in
  while Unix.gettimeofday () < until do
    incr tries;
    let text = damaged (Random.State.int chance 4) (pick sources) in
    match Result.map Elaborate.policy (Parse.string text) with
    | Error _ | Ok (Error _) | Ok (Ok { warnings = _ :: _; _ }) -> ()
    | Ok (Ok { policy; warnings = [] }) -> (
        incr passed;
        match wrong policy with
        | None -> ()
        | Some (what, steps) -> report what text steps)
  done;
  Printf.printf "PASS %d of %d damaged policies pass, and keep their threads\n"
    !passed !tries;
  if !passed < 10 then exit 1
