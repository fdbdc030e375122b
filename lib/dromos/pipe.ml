open Dromos_fiber
module Mutex = Dromos_sync.Mutex

(* The state of one run of a pipe. *)
type run = {
  tokens : int;
  last : int Atomic.t; (* no greater number goes on; only ever lowered *)
}

(* In a run, makes the item of a number. Serial stages have a state for each run. *)
type 'a t = run -> int -> 'a

exception
  Over (* the source has no item of this number, or the item must not go on *)

exception Dropped (* by a filter; the number still takes its turns *)

let rec lower last n =
  let seen = Atomic.get last in
  if n < seen && not (Atomic.compare_and_set last seen n) then lower last n

let check run n = if n > Atomic.get run.last then raise_notrace Over

(* {1 Stages} *)

let from seq run =
  let gate = In_order.create run.tokens and rest = ref seq in
  let force n =
    if n >= Atomic.get run.last then raise_notrace Over;
    match !rest () with
    | Seq.Nil ->
        lower run.last n;
        raise_notrace Over
    | Seq.Cons (x, seq) ->
        rest := seq;
        x
  in
  fun n ->
    In_order.wait gate n;
    match force n with
    | x ->
        In_order.pass gate n;
        x
    | exception e ->
        let bt = Printexc.get_raw_backtrace () in
        lower run.last n;
        In_order.pass gate n;
        Printexc.raise_with_backtrace e bt

let parallel f pipe run =
  let make = pipe run in
  fun n ->
    let x = make n in
    check run n;
    f x

let filter_map f pipe run =
  let make = pipe run in
  fun n ->
    let x = make n in
    check run n;
    match f x with Some y -> y | None -> raise_notrace Dropped

(* A number that fails keeps its turn, so no later number enters the stage. *)
let serial f pipe run =
  let make = pipe run and gate = In_order.create run.tokens in
  fun n ->
    match make n with
    | x ->
        In_order.wait gate n;
        check run n;
        let y = f x in
        In_order.pass gate n;
        y
    | exception Dropped ->
        In_order.wait gate n;
        In_order.pass gate n;
        raise_notrace Dropped

let exclusive f pipe run =
  let make = pipe run in
  let lock = Mutex.create ~name:"a pipeline's exclusive stage" () in
  fun n ->
    let x = make n in
    Mutex.protect lock (fun () ->
        check run n;
        f x)

(* {1 Carriers} *)

(* [carry run make sink n] carries the item of number [n] through all stages and, in
   its turn, into the sink. The result: [true] if the carrier takes another number. The
   exception of the first failed item fails the scope of the carriers, which ends all
   of them. *)
let carry run make sink =
  let gate = In_order.create run.tokens in
  fun n ->
    match make n with
    | x ->
        In_order.wait gate n;
        (match sink x with
        | () -> In_order.pass gate n
        | exception e ->
            let bt = Printexc.get_raw_backtrace () in
            lower run.last n;
            Printexc.raise_with_backtrace e bt);
        true
    | exception Dropped ->
        In_order.wait gate n;
        In_order.pass gate n;
        true
    | exception Over -> false
    | exception e ->
        let bt = Printexc.get_raw_backtrace () in
        lower run.last n;
        In_order.wait gate n;
        Printexc.raise_with_backtrace e bt

(* More tokens do not make a computation faster, and each token takes memory. *)
let most_tokens = 1 lsl 16

let check_tokens ~call = function
  | Some n when n < 1 ->
      invalid_arg (Printf.sprintf "%s: ~tokens:%d is not positive" call n)
  | Some n -> Int.min n most_tokens
  | None -> (
      match Fiber.current () with
      | fiber when fiber == Fiber.nobody -> 1
      | fiber -> 4 * Fiber.workers fiber)

let start tokens = { tokens; last = Atomic.make max_int }

let iter ~call ~tokens f pipe =
  let tokens = check_tokens ~call tokens in
  let run = start tokens in
  let carry = carry run (pipe run) f in
  if Fiber.current () == Fiber.nobody then
    let rec go n = if carry n then go (n + 1) in
    go 0
  else begin
    Scope.run (fun scope -> Runners.endless scope ~most:tokens carry);
    Cancel.check (Fiber.current ())
  end

(* {1 Consumers} *)

(* [Par_seq] makes the items from the numbers. *)
let consume ~call ~tokens consume pipe =
  let tokens = check_tokens ~call tokens in
  let run = start tokens in
  let make = pipe run in
  let item n =
    match make n with
    | x -> Some x
    | exception (Dropped | Over) -> None
    | exception e ->
        let bt = Printexc.get_raw_backtrace () in
        lower run.last n;
        Printexc.raise_with_backtrace e bt
  in
  let numbers =
    Seq.take_while (fun n -> n <= Atomic.get run.last) (Seq.ints 0)
  in
  Par_seq.filter_map ~ahead:tokens item numbers consume
