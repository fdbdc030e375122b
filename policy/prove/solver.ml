(* The process speaks SMT-LIB 2 over pipes. Each question is pushed, asked and
   popped; its symbols are declared inside the push. *)

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
        "%s answered `%s`, which is no answer: is the %s in PATH the solver?" p
        (shorten text) (List.hd prover.command)

type model = (Term.var * int) list
type answer = Unsat | Sat of model | Undecided

type t = {
  child : Child.t;
  mutable limit : float; (* the limit of the question under way *)
  pending : Buffer.t; (* output that was read and not yet parsed *)
  on_sigpipe : Sys.signal_behavior;
}

exception Failed of failure

let seconds = Effort.now

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

let stop t =
  Child.stop t.child;
  Sys.set_signal Sys.sigpipe t.on_sigpipe

(* The solver has closed its output. [death] finds out how the process ended,
   and reads the last message from the standard error. *)
let death t =
  let said = Bytes.create 2000 in
  let n =
    match Unix.select [ t.child.errors ] [] [] 0.2 with
    | [], _, _ -> 0
    | _ -> Unix.read t.child.errors said 0 2000
    | exception Unix.Unix_error _ -> 0
  in
  let said = Bytes.sub_string said 0 n in
  (* If the process closed its output and still runs, [death] does not wait. *)
  Unix.sleepf 0.01;
  let status =
    match Unix.waitpid [ WNOHANG ] t.child.pid with
    | 0, _ -> "it closed its output"
    | _, WEXITED n -> Printf.sprintf "exit status %d" n
    | _, (WSIGNALED s | WSTOPPED s) -> Printf.sprintf "signal %d" s
    | exception Unix.Unix_error _ -> "it is gone"
  in
  Crashed { status; said }

(* Waits until [fd] is ready for reading or writing, as [on] says. The deadline
   is that of the whole question. *)
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
      ready t ~deadline ~on:`Write t.child.input;
      (* A pipe ready for writing takes at least this many bytes, so the write
         does not block. *)
      match
        Unix.write_substring t.child.input text i (min 4096 (length - i))
      with
      | n -> from (i + n)
      | exception Unix.Unix_error _ -> raise (Failed (death t))
    end
  in
  from 0

let start ~limit prover =
  if not (executable (List.hd prover.command)) then Error Missing
  else
    let on_sigpipe = Sys.signal Sys.sigpipe Signal_ignore in
    match Child.start prover.command with
    | Error status ->
        Sys.set_signal Sys.sigpipe on_sigpipe;
        Error (Crashed { status; said = "" })
    | Ok child -> (
        let t = { child; limit; pending = Buffer.create 256; on_sigpipe } in
        match
          send t
            ~deadline:(seconds () +. limit)
            "(set-option :produce-models true)\n(set-logic ALL)\n"
        with
        | () -> Ok t
        | exception Failed failure ->
            stop t;
            Error failure)

let chunk = 65536

let more t ~deadline =
  let bytes = Bytes.create chunk in
  ready t ~deadline ~on:`Read t.child.output;
  match Unix.read t.child.output bytes 0 chunk with
  | 0 -> raise (Failed (death t))
  | n -> Buffer.add_subbytes t.pending bytes 0 n
  | exception Unix.Unix_error _ -> raise (Failed (death t))

let is_white c = c = ' ' || c = '\n' || c = '\r' || c = '\t'

(* The first complete expression from [i] on: its begin and its end. An
   expression is an atom followed by white space, or balanced parentheses. None
   if the expression is not complete yet. *)
let complete text i =
  let length = String.length text in
  let rec skip i =
    if i < length && is_white text.[i] then skip (i + 1) else i
  in
  let from = skip i in
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
      | c when depth = 0 && is_white c -> Some i
      | _ -> scan (i + 1) depth None
  in
  Option.map (fun til -> (from, til)) (scan from 0 None)

(* Reads the next answer. An answer that does not end is refused: the limit
   grows with the number of values, since the values of many variables make a
   long answer; every other answer is a few kilobytes at most. *)
let rec receive t ~deadline ~values =
  let text = Buffer.contents t.pending in
  match complete text 0 with
  | Some (from, til) ->
      Buffer.clear t.pending;
      Buffer.add_substring t.pending text til (String.length text - til);
      String.sub text from (til - from)
  | None ->
      if String.length text > 1_000_000 + (1_000 * values) then
        raise (Failed (Garbled text));
      more t ~deadline;
      receive t ~deadline ~values

let is_number s = s <> "" && String.for_all (fun c -> c >= '0' && c <= '9') s

(* Solvers have numbers that do not fit into an integer here. *)
let number s = Option.value ~default:max_int (int_of_string_opt s)

(* Parses ((name value) (name value) ..): the values, in the order of the
   question. *)
let values text =
  let garbled () = raise (Failed (Garbled text)) in
  let items s =
    let n = String.length s in
    if n < 2 || s.[0] <> '(' || s.[n - 1] <> ')' then garbled ();
    let inner = String.sub s 1 (n - 2) ^ " " in
    let rec from i =
      match complete inner i with
      | Some (from_, til) -> String.sub inner from_ (til - from_) :: from til
      | None -> []
    in
    from 0
  in
  let value = function
    | "true" -> 1
    | "false" -> 0
    | atom when is_number atom -> number atom
    | negative -> (
        match items negative with
        | [ "-"; i ] when is_number i -> -number i
        | _ -> garbled ())
  in
  List.map
    (fun pair -> match items pair with [ _; v ] -> value v | _ -> garbled ())
    (items text)

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

let asked terms =
  let out = Buffer.create 4096 in
  let text = Buffer.add_string out in
  text "(push 1)\n";
  List.iter text (declarations terms);
  List.iter
    (fun c ->
      text "(assert ";
      Term.add_smt out c;
      text ")\n")
    terms;
  text "(check-sat)\n";
  Buffer.contents out

let question t ~limit terms =
  t.limit <- limit;
  let deadline = seconds () +. limit in
  let text = asked terms in
  send t ~deadline text;
  let answer =
    match receive t ~deadline ~values:0 with
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
            let text = receive t ~deadline ~values:(List.length variables) in
            let values = values text in
            if List.compare_lengths values variables <> 0 then
              raise (Failed (Garbled text));
            Sat (List.combine variables values))
    | other -> raise (Failed (Garbled other))
  in
  send t ~deadline "(pop 1)\n";
  answer

let ask t ~limit terms =
  match question t ~limit terms with
  | answer -> Ok answer
  | exception Failed failure ->
      stop t;
      Error failure
