open Types

type 'a answer =
  | Unknown : 'a answer
  | Value : 'a -> 'a answer
  | Fails : (exn * Printexc.raw_backtrace) -> 'a answer
  | Yields : unit answer
  | Waits : {
      reason : string;
      shielded : bool;
      cut : unit -> unit;
      block : 'a block;
    }
      -> 'a answer

type answers = { answer : 'a. fiber -> 'a Effect.t -> 'a answer }

let registered = Atomic.make []

let rec register answers =
  let known = Atomic.get registered in
  if not (Atomic.compare_and_set registered known (answers :: known)) then
    register answers

let rec first : type a. answers list -> fiber -> a Effect.t -> a answer =
 fun answers fiber eff ->
  match answers with
  | [] -> Unknown
  | { answer } :: others -> (
      match answer fiber eff with
      | Unknown -> first others fiber eff
      | known -> known)

(* The fiber is masked meanwhile: the handler has the fiber's stack, so the
   thread must not be parked. *)
let answer fiber eff =
  match Atomic.get registered with
  | [] -> Unknown
  | answers -> (
      match Masked.during fiber (first answers fiber) eff with
      | answer -> answer
      | exception e -> Fails (e, Printexc.get_raw_backtrace ()))

let add fiber guest =
  fiber.worker.run.keeps_domains <- true;
  fiber.guests <- guest :: fiber.guests

let begins_with fiber guest = fiber.guests <- [ guest ]
let[@inline] begin_anew fiber = if fiber.guests != [] then fiber.guests <- []

let forbids { guests; _ } =
  match guests with
  | [] -> false
  | guests -> List.exists (fun g -> g.library.forbids g.knows) guests

let stopped fiber =
  List.find_map (fun g -> g.library.stopped fiber g.knows) fiber.guests

let cancels { guests; _ } e =
  List.exists (fun g -> g.library.cancels g.knows e) guests

let around { guests; _ } block =
  List.fold_left (fun block g -> g.library.around g.knows block) block guests
