(* Modules of the standard library that keep state for a domain, used by fibers that
   share nothing and are preempted by force all the time. *)

module Rr = Dromos.Sched.Round_robin
module Preemption = Dromos.Sched.Preemption

let rounds = 3000
let fibers = 8

let preempted f =
  Dromos.run ~workers:1 (fun () ->
      Rr.run (fun () ->
          Preemption.run ~quantum:0.0005 (fun () ->
              Dromos.Scope.run (fun _ ->
                  for i = 1 to fibers do
                    Rr.spawn (fun () ->
                        for j = 1 to rounds do
                          f i j
                        done)
                  done))))

(* What the fibers print through one formatter, as through a domain's own. *)
let printed print =
  let text = Buffer.create 100_000 in
  let ppf = Format.formatter_of_buffer text in
  preempted (print ppf);
  Format.pp_print_flush ppf ();
  String.split_on_char '\n' (Buffer.contents text) |> List.sort compare

let all line =
  List.init (fibers * rounds) (fun n ->
      line (1 + (n / rounds)) (1 + (n mod rounds)))
  |> List.sort compare

let same what expected got =
  if expected <> got then
    Alcotest.failf "%s: %d lines, %d expected, or not the same" what
      (List.length got) (List.length expected)

let lines () =
  same "lines"
    ("" :: all (Printf.sprintf "line %d %d end"))
    (printed (fun ppf i j -> Format.fprintf ppf "@[<h>line %d %d end@]@." i j))

let boxes () =
  let indented i j =
    [ Printf.sprintf "line %d" i; Printf.sprintf "  %d end" j ]
  in
  let expected =
    List.concat
      (List.init (fibers * rounds) (fun n ->
           indented (1 + (n / rounds)) (1 + (n mod rounds))))
  in
  same "boxes"
    (List.sort compare ("" :: expected))
    (printed (fun ppf i j ->
         Format.fprintf ppf "@[<v 2>line %d@ %d end@]@." i j))

(* A function of the program's, called by [Format]: computes for long. *)
let given () =
  let pp ppf n =
    let x = ref 0 in
    for i = 1 to 2000 do
      x := !x lxor (i * 3)
    done;
    ignore (Sys.opaque_identity !x);
    Format.pp_print_int ppf n
  in
  same "functions given to it"
    ("" :: all (Printf.sprintf "%d:%d"))
    (printed (fun ppf i j -> Format.fprintf ppf "@[<h>%a:%a@]@." pp i pp j))

(* Forced by several fibers. *)
let lazies () =
  let make n =
    lazy
      (let x = ref n in
       for i = 1 to 5000 do
         x := !x lxor (i * 3)
       done;
       ignore (Sys.opaque_identity !x);
       n)
  in
  let values = Array.init (rounds + 1) make in
  preempted (fun _ j ->
      Watch.check Alcotest.int "the value" j (Lazy.force values.(j)))

let names () =
  let seen = Hashtbl.create 1000 in
  preempted (fun i j ->
      if j mod 10 = 0 then begin
        let name = Filename.temp_file "dromos" (string_of_int i) in
        Sys.remove name;
        Preemption.mask (fun () -> Hashtbl.replace seen name ())
      end);
  Watch.check Alcotest.int "files" (fibers * rounds / 10) (Hashtbl.length seen)

(* One that never leaves such code is preempted all the same. *)
let endless () =
  let stop = ref false in
  let forever =
    lazy
      (while not !stop do
         ignore (Sys.opaque_identity 0)
       done)
  in
  Dromos.run ~workers:1 (fun () ->
      Rr.run (fun () ->
          Preemption.run ~quantum:0.0005 (fun () ->
              Rr.spawn (fun () -> Lazy.force forever);
              Dromos.sleep 0.001;
              stop := true)))

let cases =
  let case = Watch.case in
  [
    case "Format: lines" lines;
    case "Format: boxes" boxes;
    case "Format: functions given to it" given;
    case "lazy values" lazies;
    case "Filename" names;
    case "an endless one" endless;
  ]
