(* Writes the page of well-known schedulers. The first comment of each file
   describes the original. Lines "x" and "-> y" tell how the policy expresses x,
   and further lines the differences. *)

open Dromos_policy_elaborate
open Dromos_policy_verdict

let head =
  "# Schedulers that people know, as policies\n\n\
   Schedulers of kernels, runtimes and papers, rewritten as policies\n\
   ([`policy/policies/known`](../../policy/policies/known)), beside the ways of\n\
   the originals. Written by the tests from the files' own first comments, \
   with the verdicts of\n\
   `dromos policy check`; they fail when it is no longer true (`dune \
   promote`).\n\n\
   *Within k*, *exempt*: as in [verdicts.md](verdicts.md). Where bounded \
   waiting is\n\
   UNKNOWN, a queue is saved by a boost in `tick` alone: the bound that is \
   asked for\n\
   counts runs of `schedule`, of which any number may come between two ticks.\n"

let tail =
  {|
## What cannot be said

| in the original | why not here | instead |
|---|---|---|
| a dispatch queue of the machine or of a domain (scx_simple's shared queue, scx_central, scx_layered) | each queue is kept under its core's lock, which is what the proofs rest on; it is refused in one line | queues by core, and stealing one thread at a time; stamps keep the machine's order (`global_fifo`) |
| one core that decides for all (scx_central), kicking another core | a handler acts on its own core, except for placement and stealing | `balancing`, which is `synchronized` |
| a slice for each thread, tickless cores | ticks come at one rate; a policy counts them | a counter in `tick`, by `system` attributes |
| timers, and quotas that let cores idle (bandwidth control as Linux has it) | a core that idles while a thread waits is what is proved absent | a queue that is served last (`bandwidth`) |
| what `exit` of a core re-places | the machine takes its threads away | `attach` says where they go |
| queues without locks (rayon, Hendler and Shavit) | a matter of the hub, not of the policy | [the kernel](../architecture.md) |
|}

let lines file =
  In_channel.with_open_bin file In_channel.input_all
  |> String.split_on_char '\n'

let comment file =
  let rec take = function
    | line :: rest when String.starts_with ~prefix:"//" line ->
        String.sub line 2 (String.length line - 2) :: take rest
    | _ -> []
  in
  take (lines file)

type line = Prose of string | Theirs of string | Ours of string

let line s =
  let after prefix =
    if String.starts_with ~prefix s then
      let n = String.length prefix in
      Some (String.sub s n (String.length s - n))
    else None
  in
  match (after "     -> ", after "   ") with
  | Some ours, _ -> Ours ours
  | None, Some theirs -> Theirs theirs
  | None, None -> Prose (String.trim s)

(* [inside]: a table has begun. *)
let rec print inside = function
  | Theirs theirs :: Ours ours :: rest ->
      if not inside then
        print_endline "| in the original | in the policy |\n|---|---|";
      Printf.printf "| %s | %s |\n" theirs ours;
      print true rest
  | (Theirs s | Ours s) :: _ -> failwith ("half a row: " ^ s)
  | Prose s :: rest ->
      print_endline s;
      print false rest
  | [] -> ()

let section file =
  let name = Filename.remove_extension (Filename.basename file) in
  Printf.printf "\n## %s\n\n" name;
  print false (List.map line (comment file));
  let folder =
    match Filename.basename (Filename.dirname file) with
    | "known" -> "policies/known"
    | _ -> "policies"
  in
  Printf.printf "\n[`%s.policy`](../../policy/%s/%s.policy)\n" name folder name

let kernel =
  "\nOn [the machine of the kernel](semantics.md#the-machine-of-the-kernel):\n"

let written file =
  match Elaborate.file file with
  | Error _ -> failwith (file ^ " is no policy")
  | Ok { policy; _ } -> policy

let on_the_kernel file =
  match Dromos_policy_kernel_machine.Allowed.policy (written file) with
  | Ok policy -> policy
  | Error (_, why) -> failwith (file ^ ": " ^ why)

let verdict policy =
  print_endline
    (Verdict.row (Verdict.check ~limit:60. ~seconds:8. ~second:0.2 policy))

let () =
  let files = List.sort String.compare (List.tl (Array.to_list Sys.argv)) in
  print_endline head;
  print_endline Verdict.header;
  List.iter (fun file -> verdict (written file)) files;
  print_endline kernel;
  print_endline Verdict.header;
  List.iter (fun file -> verdict (on_the_kernel file)) files;
  List.iter section files;
  print_string tail
