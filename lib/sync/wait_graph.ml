exception Deadlock of string

(* The first line of a report, without ["dromos: "] and the final colon. *)
let headline text =
  let line = List.hd (String.split_on_char '\n' text) in
  let line =
    if String.starts_with line ~prefix:"dromos: " then
      String.sub line 8 (String.length line - 8)
    else line
  in
  if String.ends_with line ~suffix:":" then
    String.sub line 0 (String.length line - 1)
  else line

(* The whole text has been printed already. *)
let () =
  Printexc.register_printer (function
    | Deadlock text -> Some ("Dromos.Deadlock: " ^ headline text)
    | _ -> None)

(* {1 The setting} *)

type mode = Report | Raise | Ignore

let mode =
  match Sys.getenv_opt "DROMOS_DEADLOCK" with
  | None | Some ("" | "report") -> Ok Report
  | Some "raise" -> Ok Raise
  | Some ("ignore" | "0") -> Ok Ignore
  | Some text -> Error text

(* {1 The graph} *)

type lock = { reason : string; owner : unit -> Owner.t }

type wait = {
  id : Owner.t;
  lock : lock;
  mutable over : bool; (* set by the task, before it takes the wait out *)
}

module By_id = Map.Make (Int)

type waits = unit -> unit

let words = Array.init 4096 (fun _ -> Atomic.make By_id.empty)
let word id = words.(id land 4095)

(* Cycles that stand and have been reported. If several tasks find a cycle at
   once, one task reports the cycle. *)
let reported : wait list list Atomic.t = Atomic.make []

let rec change word f =
  let seen = Atomic.get word in
  if not (Atomic.compare_and_set word seen (f seen)) then change word f

let add wait = change (word wait.id) (By_id.add wait.id wait)

(* A signal handler of the same thread may have put its own wait into the graph
   under the same [id]: leave the handler's wait in place. *)
let take_out wait =
  let drop = function
    | Some other when other == wait -> None
    | (Some _ | None) as other -> other
  in
  change (word wait.id) (By_id.update wait.id drop)

let remove wait =
  wait.over <- true;
  take_out wait

(* A wait may end while [let_go] has emptied its word. [put_back] then finds
   that the wait is over, and drops the wait. *)
let put_back word id wait =
  if not wait.over then begin
    change word (By_id.add id wait);
    if wait.over then take_out wait
  end

(* [take] gets the function that puts the waits back. Until [back] returns the
   function, no other reference of ours leads to the waits. *)
let let_go ~take ~back =
  let aside cell empty put_back =
    let seen = Atomic.exchange cell empty in
    if seen == empty then ignore
    else
      let gone = take (fun () -> put_back seen) in
      fun () -> (back gone) ()
  in
  let cycles =
    aside reported [] (fun seen -> change reported (List.append seen))
  in
  let word word = aside word By_id.empty (By_id.iter (put_back word)) in
  let backs = cycles :: List.map word (Array.to_list words) in
  fun () -> List.iter (fun back -> back ()) backs

let find id = By_id.find_opt id (Atomic.get (word id))
let waits_for id = Option.map (fun wait -> wait.lock) (find id)

(* {1 Cycles} *)

type edge = { wait : wait; holder : Owner.t }

(* Follows the path from [wait]; the result is the cycle through [wait], if any.
   The path may run into another cycle, which was reported when it was closed.
   To stop there, [mark] is a holder met before, renewed after 1, 2, 4, .. steps
   (Brent's algorithm); the path ends when it meets [mark] again. *)
let cycle wait =
  let rec follow path wait' ~mark ~steps ~power =
    let holder = wait'.lock.owner () in
    let path = { wait = wait'; holder } :: path in
    if holder = wait.id then Some (List.rev path)
    else if holder = Owner.nobody || holder = mark then None
    else
      match find holder with
      | None -> None
      | Some next when steps = power ->
          follow path next ~mark:holder ~steps:0 ~power:(2 * power)
      | Some next -> follow path next ~mark ~steps:(steps + 1) ~power
  in
  follow [] wait ~mark:Owner.nobody ~steps:0 ~power:1

let stands { wait; holder } =
  match find wait.id with
  | Some same -> same == wait && wait.lock.owner () = holder
  | None -> false

let rec claim waits =
  let seen = Atomic.get reported in
  let same known = List.for_all (fun wait -> List.memq wait known) waits in
  let stands = List.for_all (fun wait -> not wait.over) in
  (not (List.exists same seen))
  && (Atomic.compare_and_set reported seen (waits :: List.filter stands seen)
     || claim waits)

let found wait =
  match cycle wait with
  | Some edges
    when List.for_all stands edges && claim (List.map (fun e -> e.wait) edges)
    ->
      Some edges
  | Some _ | None -> None

(* {1 The report} *)

let details = Atomic.make (fun (_ : Owner.t list) (_ : Owner.t) -> ("", ""))
let set_details f = Atomic.set details f
let most = 50

let line describe { wait; holder } =
  let name id = Owner.pp ~name:(fst (describe id)) id in
  Printf.sprintf "  %s waits on %s%s; held by %s" (name wait.id)
    wait.lock.reason
    (snd (describe wait.id))
    (name holder)

let text ~shielded edges =
  let n = List.length edges in
  let listed = List.filteri (fun i _ -> i < most) edges in
  let describe =
    (Atomic.get details) (List.map (fun edge -> edge.wait.id) edges)
  in
  let rest =
    if n > most then [ Printf.sprintf "  and %d more" (n - most) ] else []
  in
  let head =
    Printf.sprintf
      "dromos: a deadlock: %d tasks wait for locks that they hold among each \
       other:"
      n
  and advice =
    match mode with
    | Ok Raise when shielded ->
        "The last one must get its mutex back before it may raise \
         (Condition.wait), so no task raises Dromos.Deadlock."
    | Ok Raise -> "DROMOS_DEADLOCK=raise: the last one raises Dromos.Deadlock."
    | Ok (Report | Ignore) | Error _ ->
        "The rest of the program goes on. With DROMOS_DEADLOCK=raise the last \
         one raises Dromos.Deadlock; DROMOS_DEADLOCK=ignore turns the search \
         off."
  in
  (head :: List.map (line describe) listed) @ rest @ [ advice ]
  |> List.map (fun line -> line ^ "\n")
  |> String.concat ""

(* The number of reports is limited: a program that breaks its cycles itself may
   close very many. *)
let printed = Atomic.make 0
let most_printed = 100

let print text =
  let n = Atomic.fetch_and_add printed 1 in
  if n < most_printed then Dromos_service.Message.tell Error Deadlock text
  else if n = most_printed then
    Dromos_service.Message.tell Error Deadlock
      "dromos: further deadlocks of locks are not printed\n"

let look ~shielded wait =
  match found wait with
  | None -> ()
  | Some edges ->
      let text = text ~shielded edges in
      print text;
      if mode = Ok Raise && not shielded then raise (Deadlock text)

let waiting ?(shielded = false) self lock f =
  if self = Owner.nobody || mode = Ok Ignore then f ()
  else begin
    let wait = { id = self; lock; over = false } in
    add wait;
    match
      look ~shielded wait;
      f ()
    with
    | v ->
        remove wait;
        v
    | exception e ->
        let bt = Printexc.get_raw_backtrace () in
        remove wait;
        Printexc.raise_with_backtrace e bt
  end
