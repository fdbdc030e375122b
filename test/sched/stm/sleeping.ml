(* Sleepers against a model: the waiting instances, newest first.

   On two domains, only atomic calls are made: there is no work when an instance
   comes, and vprocs stay idle or busy. Where sleepers are cancelled, one domain
   wakes and all vprocs are idle, since a call that wakes several sleepers wakes
   them one by one. *)

let vprocs = 4

type cmd =
  | Sleep of int  (** by an instance for the given vproc *)
  | Cancel of int  (** cancels the nth arrival *)
  | Wake_one
  | Wake_able of int  (** a set of vprocs *)
  | Work of bool  (** sets whether an arriving instance finds work *)
  | Idle of int * bool

let show_cmd = function
  | Sleep v -> Printf.sprintf "Sleep %d" v
  | Cancel n -> Printf.sprintf "Cancel %d" n
  | Wake_one -> "Wake_one"
  | Wake_able set -> Printf.sprintf "Wake_able %d" set
  | Work b -> Printf.sprintf "Work %b" b
  | Idle (v, b) -> Printf.sprintf "Idle (%d, %b)" v b

(* {1 Real sleepers} *)

type place = {
  sleepers : Sleepers.t;
  them : Vproc.t list;
  mutable work : bool;
  came : bool Atomic.t list Atomic.t;
      (** the instances that wait or have waited, last first *)
}

(* The vprocs woken by the present domain. *)
let woken = Domain.DLS.new_key (fun () -> ref [])

let note v =
  let by_me = Domain.DLS.get woken in
  by_me := Vproc.id v :: !by_me

let waking f =
  let by_me = Domain.DLS.get woken in
  by_me := [];
  f ();
  List.sort compare !by_me

let rec come p waits =
  let seen = Atomic.get p.came in
  if not (Atomic.compare_and_set p.came seen (waits :: seen)) then come p waits

let resumer (type a) v waits : a Dromos_suspend.resumer =
 fun result ->
  Atomic.compare_and_set waits true false
  && begin
       if Result.is_ok result then note v else failwith "woken with an error";
       true
     end

(* True if the instance waits now. *)
let sleep p v =
  let waits = Atomic.make true and unless () = p.work in
  come p waits;
  let open Effect.Deep in
  match_with
    (fun () ->
      Sleepers.sleep ~at:v p.sleepers ~reason:"" ~unless;
      Atomic.set waits false;
      false)
    ()
    {
      retc = Fun.id;
      exnc = raise;
      effc =
        (fun (type a) (e : a Effect.t) ->
          match e with
          | Dromos_suspend.Suspend block ->
              Some
                (fun (k : (a, bool) continuation) ->
                  match block (resumer v waits) with
                  | Some found -> continue k found
                  | None -> true)
          | _ -> None);
    }

let cancel p n =
  let all = List.rev (Atomic.get p.came) in
  match List.nth_opt all n with
  | Some waits -> Atomic.compare_and_set waits true false
  | None -> false

(* {1 The model} *)

module Spec (Size : sig
  val busy : int -> bool
end) =
struct
  type nonrec cmd = cmd

  type state = {
    waiting : (int * int) list;  (** instance and vproc, newest first *)
    next : int;
    work : bool;
    idle : bool list;
  }

  type sut = place

  let show_cmd = show_cmd
  let ids = List.init vprocs Fun.id
  let idle_at_first = List.map (fun v -> not (Size.busy v)) ids

  let init_state =
    { waiting = []; next = 0; work = false; idle = idle_at_first }

  let init_sut () =
    {
      sleepers = Sleepers.create ();
      them = List.map (fun id -> { Vproc.id; idle = not (Size.busy id) }) ids;
      work = false;
      came = Atomic.make [];
    }

  let cleanup _ = ()
  let precond _ _ = true
  let vproc = QCheck.Gen.int_bound (vprocs - 1)
  let sleeps = (5, QCheck.Gen.map (fun v -> Sleep v) vproc)
  let cancels = (3, QCheck.Gen.(map (fun n -> Cancel n) (int_bound 9)))

  let wakes =
    [
      (3, QCheck.Gen.return Wake_one);
      ( 3,
        QCheck.Gen.(
          map (fun set -> Wake_able set) (int_bound ((1 lsl vprocs) - 1))) );
    ]

  let others =
    QCheck.Gen.
      [
        (1, map (fun b -> Work b) bool);
        (1, map2 (fun v b -> Idle (v, b)) vproc bool);
      ]

  let among cmds (_ : state) =
    QCheck.make ~print:show_cmd (QCheck.Gen.frequency cmds)

  let arb_cmd state = among ((sleeps :: cancels :: wakes) @ others) state

  let set_of = function
    | Wake_one -> -1
    | Wake_able set -> set
    | Sleep _ | Cancel _ | Work _ | Idle _ -> 0

  (* Wakes an idle instance, and all busy ones. *)
  let wake set state =
    let may (_, v) = set land (1 lsl v) <> 0 in
    let able, unable = List.partition may state.waiting in
    match List.partition (fun (_, v) -> List.nth state.idle v) able with
    | one :: idle, busy -> (one :: busy, idle @ unable)
    | [], busy -> (busy, unable)

  let next_state cmd state =
    match cmd with
    | Sleep v ->
        let waiting =
          if state.work then state.waiting else (state.next, v) :: state.waiting
        in
        { state with waiting; next = state.next + 1 }
    | Cancel n ->
        let stays (who, _) = who <> n in
        { state with waiting = List.filter stays state.waiting }
    | Wake_one | Wake_able _ ->
        { state with waiting = snd (wake (set_of cmd) state) }
    | Work work -> { state with work }
    | Idle (v, b) ->
        let set w was = if w = v then b else was in
        { state with idle = List.mapi set state.idle }

  let run cmd p =
    let open STM in
    match cmd with
    | Sleep v -> Res (bool, sleep p (List.nth p.them v))
    | Cancel n -> Res (bool, cancel p n)
    | Wake_one -> Res (list int, waking (fun () -> Sleepers.wake_one p.sleepers))
    | Wake_able set ->
        let able v = set land (1 lsl Vproc.id v) <> 0 in
        Res (list int, waking (fun () -> Sleepers.wake_able p.sleepers ~able))
    | Work b -> Res (unit, (p.work <- b))
    | Idle (v, b) -> Res (unit, ((List.nth p.them v).idle <- b))

  let postcond cmd state res =
    let open STM in
    match (cmd, res) with
    | Sleep _, Res ((Bool, _), waits) -> waits = not state.work
    | Cancel n, Res ((Bool, _), won) -> won = List.mem_assoc n state.waiting
    | (Wake_one | Wake_able _), Res ((List Int, _), woken) ->
        let chosen = fst (wake (set_of cmd) state) in
        woken = List.sort compare (List.map snd chosen)
    | (Work _ | Idle _), Res ((Unit, _), ()) -> true
    | _, _ -> false
end

module Mixed = Spec (struct
  let busy v = v >= 2
end)

module All_idle = Spec (struct
  let busy _ = false
end)

module Sequential = STM_sequential.Make (Mixed)
module Two_wake = STM_domain.Make (Mixed)
module One_wakes = STM_domain.Make (All_idle)

let two_wake =
  let cmds = Mixed.(among (sleeps :: wakes)) in
  QCheck.Test.make ~count:30 ~name:"two domains, both sleep and wake"
    (Two_wake.arb_triple 6 6 cmds cmds cmds) (fun programs ->
      Util.repeat 10 Two_wake.agree_prop_par programs)

let one_wakes =
  let open All_idle in
  let first = among (sleeps :: cancels :: wakes) in
  let sleeper = among [ sleeps; cancels ] and waker = among wakes in
  QCheck.Test.make ~count:30 ~name:"two domains, one cancels and one wakes"
    (One_wakes.arb_triple_asym 6 6 first sleeper waker) (fun programs ->
      Util.repeat 10 One_wakes.agree_prop_par_asym programs)

let tests =
  [ Sequential.agree_test ~count:1000 ~name:"one thread"; two_wake; one_wakes ]
