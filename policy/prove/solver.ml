(* SMT-LIB 2 over pipes. Each question is pushed, asked and popped; its symbols
   are declared inside. *)

type prover = { name : string; command : string list; package : string }

let z3 = { name = "z3"; command = [ "z3"; "-in"; "-smt2" ]; package = "z3" }

let cvc5 =
  {
    name = "cvc5";
    command =
      [ "cvc5"; "--lang=smt2"; "--incremental"; "--produce-models"; "--quiet" ];
    package = "cvc5";
  }

type failure =
  | Missing
  | Late of float
  | Crashed of { status : string; said : string }
  | Garbled of string

let shorten text =
  let text = String.trim text in
  if String.length text <= 120 then text else String.sub text 0 120 ^ " ..."

let explain prover failure =
  let p = prover.name in
  match failure with
  | Missing ->
      Printf.sprintf
        "%s is not installed (no %s in PATH): install the package %s" p
        (List.hd prover.command) prover.package
  | Late limit ->
      Printf.sprintf "%s gave no answer within %g s, and was stopped" p limit
  | Crashed { status; said } ->
      Printf.sprintf "%s died (%s)%s: try `%s --version`, or another version" p
        status
        (if String.trim said = "" then "" else ", saying: " ^ shorten said)
        (List.hd prover.command)
  | Garbled text ->
      Printf.sprintf
        "%s answered %S, which is no answer: is the %s in PATH the solver?" p
        (shorten text) (List.hd prover.command)

type model = (Term.var * int) list
type answer = Unsat | Sat of model | Undecided

type t = {
  pid : int;
  input : Unix.file_descr; (* its standard input *)
  output : Unix.file_descr;
  errors : Unix.file_descr;
  limit : float;
  pending : Buffer.t; (* read, and not yet looked at *)
  on_sigpipe : Sys.signal_behavior;
}

exception Failed of failure

let seconds () = Int64.to_float (Mtime.to_uint64_ns (Mtime_clock.now ())) /. 1e9

let executable program =
  let works file =
    match Unix.access file [ X_OK ] with
    | () -> not (Sys.is_directory file)
    | exception Unix.Unix_error _ -> false
  in
  if String.contains program '/' then works program
  else
    Option.value ~default:"" (Sys.getenv_opt "PATH")
    |> String.split_on_char ':'
    |> List.exists (fun dir -> works (Filename.concat dir program))

let close_all t =
  List.iter
    (fun fd -> try Unix.close fd with Unix.Unix_error _ -> ())
    [ t.input; t.output; t.errors ]

let rec wait pid =
  match Unix.waitpid [] pid with
  | _, status -> Some status
  | exception Unix.Unix_error (EINTR, _, _) -> wait pid
  | exception Unix.Unix_error _ -> None

let stop t =
  (try Unix.kill t.pid Sys.sigkill with Unix.Unix_error _ -> ());
  ignore (wait t.pid);
  close_all t;
  Sys.set_signal Sys.sigpipe t.on_sigpipe

(* It closed its output: how did it end, and what did it say? *)
let death t =
  let said = Bytes.create 2000 in
  let n =
    match Unix.select [ t.errors ] [] [] 0.2 with
    | [], _, _ -> 0
    | _ -> Unix.read t.errors said 0 2000
    | exception Unix.Unix_error _ -> 0
  in
  let said = Bytes.sub_string said 0 n in
  (* One that closed its output and lives on is not waited for. *)
  Unix.sleepf 0.01;
  let status =
    match Unix.waitpid [ WNOHANG ] t.pid with
    | 0, _ -> "it closed its output"
    | _, WEXITED n -> Printf.sprintf "exit status %d" n
    | _, (WSIGNALED s | WSTOPPED s) -> Printf.sprintf "signal %d" s
    | exception Unix.Unix_error _ -> "it is gone"
  in
  Crashed { status; said }

(* Waits until [fd] is ready for what [on] says; the deadline is for the whole
   question. *)
let rec ready t ~deadline ~on fd =
  let left = deadline -. seconds () in
  if left <= 0. then raise (Failed (Late t.limit));
  let reads, writes =
    match on with `Read -> ([ fd ], []) | `Write -> ([], [ fd ])
  in
  match Unix.select reads writes [] left with
  | [], [], _ -> raise (Failed (Late t.limit))
  | _ -> ()
  | exception Unix.Unix_error (EINTR, _, _) -> ready t ~deadline ~on fd

let send t ~deadline text =
  let length = String.length text in
  let rec from i =
    if i < length then begin
      ready t ~deadline ~on:`Write t.input;
      (* At most what a pipe takes at once, so that this never blocks. *)
      match Unix.write_substring t.input text i (min 4096 (length - i)) with
      | n -> from (i + n)
      | exception Unix.Unix_error _ -> raise (Failed (death t))
    end
  in
  from 0

let start ~limit prover =
  let program = List.hd prover.command in
  if not (executable program) then Error Missing
  else
    let child_input, input = Unix.pipe ~cloexec:true () in
    let output, child_output = Unix.pipe ~cloexec:true () in
    let errors, child_errors = Unix.pipe ~cloexec:true () in
    let on_sigpipe = Sys.signal Sys.sigpipe Signal_ignore in
    let close_childs () =
      List.iter Unix.close [ child_input; child_output; child_errors ]
    in
    match
      Unix.create_process program
        (Array.of_list prover.command)
        child_input child_output child_errors
    with
    | pid -> (
        close_childs ();
        let pending = Buffer.create 256 in
        let t = { pid; input; output; errors; limit; pending; on_sigpipe } in
        match
          send t
            ~deadline:(seconds () +. limit)
            "(set-option :produce-models true)\n(set-logic ALL)\n"
        with
        | () -> Ok t
        | exception Failed failure ->
            stop t;
            Error failure)
    | exception Unix.Unix_error (e, _, _) ->
        close_childs ();
        List.iter Unix.close [ input; output; errors ];
        Sys.set_signal Sys.sigpipe on_sigpipe;
        Error (Crashed { status = Unix.error_message e; said = "" })

let more t ~deadline =
  let bytes = Bytes.create 4096 in
  ready t ~deadline ~on:`Read t.output;
  match Unix.read t.output bytes 0 4096 with
  | 0 -> raise (Failed (death t))
  | n -> Buffer.add_subbytes t.pending bytes 0 n
  | exception Unix.Unix_error _ -> raise (Failed (death t))

(* The first complete expression of what was read: an atom that is followed by
   white space, or balanced parentheses. None: not yet. *)
let complete text =
  let length = String.length text in
  let rec skip i =
    if i < length && (text.[i] = ' ' || text.[i] = '\n' || text.[i] = '\r') then
      skip (i + 1)
    else i
  in
  let from = skip 0 in
  let rec scan i depth quoted =
    if i >= length then None
    else
      match text.[i] with
      | ('|' | '"') as c -> (
          match quoted with
          | None -> scan (i + 1) depth (Some c)
          | Some q -> scan (i + 1) depth (if q = c then None else quoted))
      | _ when quoted <> None -> scan (i + 1) depth quoted
      | '(' -> scan (i + 1) (depth + 1) None
      | ')' when depth <= 1 -> Some (i + 1)
      | ')' -> scan (i + 1) (depth - 1) None
      | (' ' | '\n' | '\r') when depth = 0 -> Some i
      | _ -> scan (i + 1) depth None
  in
  if from >= length then None
  else
    Option.map
      (fun til ->
        (String.sub text from (til - from), String.sub text til (length - til)))
      (scan from 0 None)

let rec receive t ~deadline =
  match complete (Buffer.contents t.pending) with
  | Some (answer, rest) ->
      Buffer.clear t.pending;
      Buffer.add_string t.pending rest;
      answer
  | None ->
      (* An answer has a few kilobytes at most. *)
      if Buffer.length t.pending > 1_000_000 then
        raise (Failed (Garbled (Buffer.contents t.pending)));
      more t ~deadline;
      receive t ~deadline

(* ((name value) (name value) ..): the values, in the order that was asked for. *)
let values text =
  let text = String.map (function '\n' | '\r' | '\t' -> ' ' | c -> c) text in
  let inner s =
    let s = String.trim s in
    let n = String.length s in
    if n >= 2 && s.[0] = '(' && s.[n - 1] = ')' then
      String.sub s 1 (n - 2) ^ " "
    else raise (Failed (Garbled text))
  in
  let rec items s =
    match complete s with Some (x, rest) -> x :: items rest | None -> []
  in
  let value s =
    match items s with
    | [ "true" ] -> 1
    | [ "false" ] -> 0
    | [ atom ] when int_of_string_opt atom <> None -> int_of_string atom
    | [ negative ] -> (
        match items (inner negative) with
        | [ "-"; i ] when int_of_string_opt i <> None -> -int_of_string i
        | _ -> raise (Failed (Garbled text)))
    | _ -> raise (Failed (Garbled text))
  in
  List.map
    (fun pair ->
      match items (inner pair) with
      | [ _; v ] -> value (v ^ " ")
      | _ -> raise (Failed (Garbled text)))
    (items (inner text))

let declarations terms =
  let sort : Term.sort -> string = function Int -> "Int" | Bool -> "Bool" in
  List.map
    (fun (v : Term.var) ->
      Printf.sprintf "(declare-const %s %s)\n" (Term.smt_name v.name)
        (sort v.sort))
    (Term.variables terms)
  @ List.map
      (fun (f : Term.symbol) ->
        Printf.sprintf "(declare-fun %s (%s) %s)\n" (Term.smt_name f.symbol)
          (String.concat " " (List.init f.arity (fun _ -> "Int")))
          (sort f.result))
      (Term.symbols terms)

let question t terms =
  let deadline = seconds () +. t.limit in
  let asserts =
    List.map (fun c -> Printf.sprintf "(assert %s)\n" (Term.smt c)) terms
  in
  send t ~deadline
    (String.concat "" (("(push 1)\n" :: declarations terms) @ asserts)
    ^ "(check-sat)\n");
  let answer =
    match receive t ~deadline with
    | "unsat" -> Unsat
    | "unknown" -> Undecided
    | "sat" -> (
        match Term.variables terms with
        | [] -> Sat []
        | variables ->
            let names =
              List.map (fun (v : Term.var) -> Term.smt_name v.name) variables
            in
            send t ~deadline
              (Printf.sprintf "(get-value (%s))\n" (String.concat " " names));
            let text = receive t ~deadline in
            let values = values text in
            if List.compare_lengths values variables <> 0 then
              raise (Failed (Garbled text));
            Sat (List.combine variables values))
    | other -> raise (Failed (Garbled other))
  in
  send t ~deadline "(pop 1)\n";
  answer

let ask t terms =
  match question t terms with
  | answer -> Ok answer
  | exception Failed failure ->
      stop t;
      Error failure
