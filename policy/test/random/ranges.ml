(* Each attribute stays within the interval found for it, on the machine, for
   random policies and any values of the system. Each operation on intervals
   holds all results of its operands' members. *)

open Dromos_policy_core
open Dromos_policy_semantics

let said_by_the_system = [| -1000; -7; -3; -1; 0; 1; 2; 3; 5; 8; 17; 1000 |]
let any_of values = values.(Random.State.int Watch.chance (Array.length values))

let owners m (a : Core.attribute) =
  let l = Machine.layout m in
  match a.owner with
  | Global -> 1
  | Of_thread -> l.threads
  | Of_core -> l.topology.cores
  | Of_group -> Array.length l.topology.groups
  | Of_domain -> Array.length l.topology.domains

let each m (a : Core.attribute) f =
  for owner = 0 to owners m a - 1 do
    f owner
  done

let integers (policy : Core.policy) =
  List.filter
    (fun (a : Core.attribute) -> a.ty = Int && not a.is_lazy)
    (Array.to_list policy.attributes)

let holds ({ least; most } : Interval.t) v =
  Option.fold ~none:true ~some:(fun l -> l <= v) least
  && Option.fold ~none:true ~some:(fun m -> v <= m) most

let within text m policy s by =
  List.iter
    (fun (a : Core.attribute) ->
      each m a (fun owner ->
          let v = Look.attribute m s a owner in
          if not (holds (Loads.bounds policy a) v) then
            Alcotest.failf "%s@.%s is %d, outside of its interval, after@.%s"
              text a.name v by))
    (integers policy)

let bounded = ref 0

let one text topology =
  let policy = Random_policy.policy text in
  let m = Machine.create ~runners:3 ~threads:5 topology policy in
  let s = Machine.initial m in
  List.iter
    (fun (a : Core.attribute) ->
      let { Loads.least; most } = Loads.bounds policy a in
      if least <> None || most <> None then incr bounded;
      if a.system then
        each m a (fun owner ->
            (* A sleep, a time and a draw are not negative. *)
            let said = any_of said_by_the_system in
            let least = Option.value ~default:said least in
            Look.set_attribute m s a owner (Int.max least said)))
    (integers policy);
  let kinds = Environment.kinds m ~during:Balancing in
  for _ = 1 to 300 do
    match Wander.moves m s kinds with
    | [] -> ()
    | all ->
        let move = Wander.pick all in
        let before = Array.copy s in
        Wander.apply m s move;
        within text m policy s (Wander.describe m before s move)
  done

let of_policies () =
  for n = 1 to 150 do
    let text =
      Random_policy.text Watch.chance ~name:(Printf.sprintf "random_%d" n)
    in
    List.iter (one text) [ Topology.flat 3; Topology.tree ~cores:4 2 ]
  done;
  Alcotest.(check bool) "some have bounds" true (!bounded > 150)

(* {1 Operations} *)

let interval () : Interval.t =
  let a = Random.State.int Watch.chance 41 - 20
  and wide = Random.State.int Watch.chance 9 in
  match Random.State.int Watch.chance 6 with
  | 0 -> { least = None; most = Some a }
  | 1 -> { least = Some a; most = None }
  | 2 -> Interval.unbounded
  | _ -> { least = Some a; most = Some (a + wide) }

let members i = List.filter (holds i) (List.init 81 (fun n -> n - 40))

let operations :
    (string * (int -> int -> int) * (Interval.t -> Interval.t -> Interval.t))
    list =
  [
    ("+", ( + ), Interval.sum);
    ("*", ( * ), Interval.product);
    ("&", ( land ), Interval.bit_and);
    ("|", ( lor ), Interval.bit_or);
    ("opposite", (fun a _ -> -a), fun a _ -> Interval.opposite a);
    ("square", (fun a _ -> a * a), fun a _ -> Interval.square a);
  ]
  @ List.concat_map
      (fun k ->
        [
          ( "/ " ^ string_of_int k,
            (fun a _ -> a / k),
            fun a _ -> Interval.quotient a (Interval.exactly k) );
          ( "% " ^ string_of_int k,
            (fun a _ -> a mod k),
            fun a _ -> Interval.remainder a (Interval.exactly k) );
        ])
      [ 1; 2; 3; 7; -1; -3; 100 ]

let of_operations () =
  for _ = 1 to 300 do
    let a = interval () and b = interval () in
    List.iter
      (fun (name, on_numbers, on_intervals) ->
        let result = on_intervals a b in
        List.iter
          (fun x ->
            List.iter
              (fun y ->
                if not (holds result (on_numbers x y)) then
                  Alcotest.failf "%d %s %d is %d, outside" x name y
                    (on_numbers x y))
              (members b))
          (members a))
      operations
  done

(* The results are as narrow as possible. A bound that does not fit is
   unknown. *)
let exact () =
  let is name (expected : Interval.t) (found : Interval.t) =
    let say = Option.fold ~none:"" ~some:string_of_int in
    Alcotest.(check (pair string string))
      name
      (say expected.least, say expected.most)
      (say found.least, say found.most)
  in
  let from a b : Interval.t = { least = Some a; most = Some b } in
  is "3..5 * -2..1" (from (-10) 5) (Interval.product (from 3 5) (from (-2) 1));
  is "a square of any" (Interval.at_least 0)
    (Interval.square Interval.unbounded);
  is "a square of -5..-2" (from 4 25) (Interval.square (from (-5) (-2)));
  is "any & 7" (from 0 7) (Interval.bit_and Interval.unbounded (from 7 7));
  is "0..5 | 8" (from 8 15) (Interval.bit_or (from 0 5) (from 8 8));
  is "any % 5" (from (-4) 4)
    (Interval.remainder Interval.unbounded (Interval.exactly 5));
  is "0.. % 5" (from 0 4)
    (Interval.remainder (Interval.at_least 0) (Interval.exactly 5));
  is "-9..9 / -2" (from (-4) 4)
    (Interval.quotient (from (-9) 9) (Interval.exactly (-2)));
  is "too large" (Interval.at_least 1)
    (Interval.product (from 1 (1 lsl 40)) (from 1 (1 lsl 40)))

let () =
  Watch.suite "policy intervals" (fun () ->
      Alcotest.run ~and_exit:false "policy intervals"
        [
          ( "intervals",
            [
              Watch.case "exact" exact;
              Watch.case "operations" of_operations;
              Watch.case "policies" of_policies;
            ] );
        ])
