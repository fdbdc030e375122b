open Reporter

(* Threads that are in the program's function; few. *)
let inside : int list Atomic.t = Atomic.make []

let rec change f =
  let old = Atomic.get inside in
  if not (Atomic.compare_and_set inside old (f old)) then change f

let rec without id = function
  | [] -> []
  | first :: rest -> if first = id then rest else first :: without id rest

let quoted s =
  if not (String.is_valid_utf_8 s) then Printf.sprintf "%S" s
  else begin
    let b = Buffer.create (String.length s + 2) in
    let add = function
      | '"' -> Buffer.add_string b "\\\""
      | ('\000' .. '\031' | '\127' | '\\') as c ->
          Buffer.add_string b (Char.escaped c)
      | c -> Buffer.add_char b c
    in
    Buffer.add_char b '"';
    String.iter add s;
    Buffer.add_char b '"';
    Buffer.contents b
  end

let of_failure ({ what; runtime; error; backtrace } as failure) =
  let whose =
    match runtime with
    | None -> ""
    | Some name -> Printf.sprintf "runtime %s: " (quoted name)
  in
  let text =
    Printf.sprintf "dromos: %s%s raised %s\n%s" whose what
      (Printexc.to_string error)
      (Printexc.raw_backtrace_to_string backtrace)
  in
  { level = Error; about = Failure failure; text }

let function_of_program = "The function given to Reporter.set"

(* The function must not wait: it might wait for the thread on which it is
   called. *)
let call f report =
  let what () = function_of_program in
  match Dromos_suspend.Callback.call ~what f report with
  | () -> ()
  | exception error ->
      let backtrace = Printexc.get_raw_backtrace () in
      let what = function_of_program and runtime = None in
      to_stderr report;
      to_stderr (of_failure { what; runtime; error; backtrace })

let hand_over report =
  let f = Reporter.current () and id = Thread.id (Thread.self ()) in
  if f == to_stderr || List.mem id (Atomic.get inside) then to_stderr report
  else begin
    change (List.cons id);
    call f report;
    change (without id)
  end

let tell level about text = hand_over { level; about; text }

let failure ~what ?runtime error backtrace =
  hand_over (of_failure { what; runtime; error; backtrace })
