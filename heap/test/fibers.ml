(* Suspended fibers: a dropped fiber must free its stack, and a kept fiber must keep the
   values on its stack alive. *)

open Check

type _ Effect.t += Wait : int Effect.t

(* Runs [body] until it performs [Wait], and returns the continuation. A resumed [body]
   returns a value computed from data of before and after the wait. *)
let suspended body =
  let kept = ref None in
  let effc : type a.
      a Effect.t -> ((a, string) Effect.Deep.continuation -> string) option =
    function
    | Wait ->
        Some
          (fun (k : (int, string) Effect.Deep.continuation) ->
            kept := Some k;
            "")
    | _ -> None
  in
  ignore (Effect.Deep.try_with body () { effc } : string);
  Option.get !kept

let small i () =
  let text = string_of_int i in
  let n = Effect.perform Wait in
  text ^ string_of_int n

(* The stack grows to some hundred kilobytes. *)
let deep i () =
  let rec go n =
    if n = 0 then string_of_int (i + Effect.perform Wait)
    else
      let s = go (n - 1) in
      if n land 1023 = 0 then s ^ "." else s
  in
  go 5_000

let bounded f =
  let before = kib "VmRSS" in
  f ();
  must "memory stays" (kib "VmRSS" - before < 100_000)

let drop body n =
  for i = 1 to n do
    ignore (Sys.opaque_identity (suspended (body i)))
  done

(* 300 MB of stacks for [small], 500 MB for [deep]. *)
let dropped () = bounded (fun () -> drop small 500_000)
let dropped_deep () = bounded (fun () -> drop deep 2_000)

let in_domains f =
  let others = List.init 2 (fun _ -> Domain.spawn f) in
  f ();
  List.iter Domain.join others

let dropped_in_domains () =
  bounded (fun () -> in_domains (fun () -> drop small 150_000))

(* The continuations are published, so other domains could reach them. *)
let dropped_published () =
  let place = Atomic.make None in
  bounded (fun () ->
      in_domains (fun () ->
          for i = 1 to 100_000 do
            Atomic.set place (Some (suspended (small i)))
          done))

let right i k = must "its own" (Effect.Deep.continue k 7 = string_of_int i ^ "7")

let kept () =
  let ks = Array.init 2_000 (fun i -> suspended (small i)) in
  let deep = suspended (deep 1) in
  drop small 100_000;
  Gc.full_major ();
  Array.iteri right ks;
  must "a deep one" (Effect.Deep.continue deep 1 = "2....");
  drop small 1_000

let kept_in_domains () =
  in_domains (fun () ->
      for _ = 1 to 5 do
        let ks = Array.init 500 (fun i -> suspended (small i)) in
        drop small 1_000;
        Gc.full_major ();
        Array.iteri right ks
      done)

(* A suspended fiber keeps a continuation of a second suspended fiber on its stack. *)
let nested () =
  let inner = ref [] in
  let outer i () =
    let k = suspended (small i) in
    inner := k :: !inner;
    let n = Effect.perform Wait in
    Gc.full_major ();
    Effect.Deep.continue k n
  in
  let ks = Array.init 50 (fun i -> suspended (outer i)) in
  drop small 10_000;
  Gc.full_major ();
  Array.iteri right ks

(* Each thread has a stack of its own. *)
let threads () =
  let run i =
    Thread.create
      (fun () ->
        let k = suspended (small i) in
        Thread.yield ();
        drop small 1_000;
        Gc.full_major ();
        right i k)
      ()
  in
  List.iter Thread.join (List.init 10 run)

let () =
  case "fibers that are dropped" dropped;
  case "deep ones" dropped_deep;
  case "in several domains" dropped_in_domains;
  case "published ones" dropped_published;
  case "fibers that are kept" kept;
  case "fibers that are kept, in several domains" kept_in_domains;
  case "fibers in fibers" nested;
  case "fibers in threads" threads
