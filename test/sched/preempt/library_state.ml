(* Modules of the standard library that keep state for a domain, used by fibers
   that share no data and are preempted by force all the time. *)

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

(* The fibers' output through one formatter, like a domain's own. *)
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

(* A function of the program, called by [Format], computes for long. *)
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

(* Several fibers force the values. *)
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

(* The files stay until the end: another call may reuse a free name. *)
let names () =
  let seen = Hashtbl.create 1000 in
  preempted (fun i j ->
      if j mod 10 = 0 then begin
        let name = Filename.temp_file "dromos" (string_of_int i) in
        Preemption.mask (fun () -> Hashtbl.replace seen name ())
      end);
  Hashtbl.iter (fun name () -> Sys.remove name) seen;
  Watch.check Alcotest.int "files" (fibers * rounds / 10) (Hashtbl.length seen)

(* All fibers share the input: each reads whole lines. *)
let scanning () =
  let text =
    String.concat "" (all (fun i j -> Printf.sprintf "%d %d end\n" i j))
  in
  let input = Scanf.Scanning.from_string text in
  let sum = Atomic.make 0 in
  preempted (fun _ _ ->
      let n =
        Scanf.bscanf input "%d %d end\n" (fun i j -> (1_000_000 * i) + j)
      in
      ignore (Atomic.fetch_and_add sum n : int));
  let expected =
    List.fold_left ( + ) 0 (all (fun i j -> (1_000_000 * i) + j))
  in
  Watch.check Alcotest.int "the sum" expected (Atomic.get sum)

(* Each call has a private position, as for [Arg.parse_argv]. *)
let arguments () =
  preempted (fun i j ->
      if j mod 10 = 0 then begin
        let a = ref 0 and rest = ref [] in
        Arg.parse_argv ~current:(ref 0)
          [| "test"; "-a"; string_of_int i; string_of_int j |]
          [ ("-a", Arg.Set_int a, "") ]
          (fun s -> rest := s :: !rest)
          "";
        if !a <> i || !rest <> [ string_of_int j ] then
          Alcotest.failf "%d %d: %d" i j !a
      end)

(* The domain's generator: no number is drawn twice, and none is left out. *)
let random_numbers () =
  let drawn = Array.make (fibers * rounds) 0 and next = Atomic.make 0 in
  let expected =
    Random.init 7;
    Array.init (fibers * rounds) (fun _ -> Random.bits ())
  in
  Random.init 7;
  preempted (fun _ _ ->
      let n = Random.bits () in
      drawn.(Atomic.fetch_and_add next 1) <- n);
  let sorted numbers = List.sort compare (Array.to_list numbers) in
  Watch.check Alcotest.bool "the same numbers" true
    (sorted expected = sorted drawn)

(* A common channel; each call writes a line. *)
let channel () =
  let name = Filename.temp_file "dromos" "channel" in
  Out_channel.with_open_text name (fun ch ->
      preempted (fun i j ->
          Out_channel.output_string ch (Printf.sprintf "line %d %d end\n" i j)));
  let text = In_channel.with_open_text name In_channel.input_all in
  Sys.remove name;
  same "channel"
    ("" :: all (Printf.sprintf "line %d %d end"))
    (List.sort compare (String.split_on_char '\n' text))

(* Str keeps the last match for the domain: two calls that belong together are
   masked. *)
let masked_matches () =
  let word = Str.regexp "line \\([0-9]+\\) \\([0-9]+\\)" in
  preempted (fun i j ->
      let text = Printf.sprintf "line %d %d end" i j in
      let first, second =
        Preemption.mask (fun () ->
            ignore (Str.search_forward word text 0 : int);
            (Str.matched_group 1 text, Str.matched_group 2 text))
      in
      if (first, second) <> (string_of_int i, string_of_int j) then
        Alcotest.failf "%s: %s and %s" text first second)

(* Each fiber's exception keeps the right backtrace. *)
let[@inline never] raises_here () = raise Exit

let backtraces () =
  preempted (fun _ j ->
      if j mod 10 = 0 then
        match raises_here () with
        | () -> ()
        | exception Exit ->
            let text = Printexc.get_backtrace () in
            if not (Said.contains text "raises_here") then
              Alcotest.failf "not its backtrace: %s" text)

(* A fiber inside such code for ever is preempted too. *)
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
    case "Scanf" scanning;
    case "Arg" arguments;
    case "Random" random_numbers;
    case "a channel" channel;
    case "Str, masked" masked_matches;
    case "Printexc" backtraces;
    case "an endless one" endless;
  ]
