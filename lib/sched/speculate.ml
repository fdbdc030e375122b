(* [por] is a parallel binding of [left] with [right] as the body; the value of the
   binding says only that [left] has found no answer. If [left] finds an answer, it
   raises [Found], and the exception cancels the body. If the body finds an answer,
   the body does not ask for the value, and [left] is cancelled as not needed. *)

exception Found

let () =
  Dromos_fiber.Suppressed.not_a_failure (function Found -> true | _ -> false)

let por left right =
  let found = ref None in
  let search () =
    match left () with
    | None -> ()
    | Some _ as answer ->
        found := answer;
        raise_notrace Found
  in
  try
    Stealing.pval search (fun nothing ->
        match right () with
        | Some _ as answer -> answer
        | None ->
            nothing ();
            None)
  with Found -> !found

let rec leftmost_first = function
  | [] -> None
  | [ f ] -> f ()
  | f :: others -> por f (fun () -> leftmost_first others)

(* Bound in the functions of a [first]: the clock of the outermost [first] serves
   inner calls too. A task that outlives the outermost [first] still has the
   binding, so the value becomes [false] at the end. *)
let within : bool Atomic.t Fls.key = Fls.new_key ()

let has_turns () =
  match Fls.find_opt within with
  | Some lives -> Atomic.get lives
  | None -> false

let in_turns f =
  Dromos_service.Stack_room.ensure 4;
  let lives = Atomic.make true in
  Fun.protect
    (fun () -> Preemption.run ~mode:Polled (fun () -> Fls.let_ within lives f))
    ~finally:(fun () -> Atomic.set lives false)

let first = function
  | ([] | [ _ ]) as functions -> leftmost_first functions
  | functions when Dromos_fiber.Fiber.(current () == nobody) || has_turns () ->
      leftmost_first functions
  | functions -> in_turns (fun () -> leftmost_first functions)
