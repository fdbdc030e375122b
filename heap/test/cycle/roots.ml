(* A fiber stores a value in a C root and waits. A cycle that begins then must mark
   everything reachable only from the root. *)

external set_root : 'a -> unit = "set_root"
external get_root : unit -> 'a = "get_root"

let list = List.init 20_000
let shared = Atomic.make (list Fun.id)
let slots = Array.init 64 (fun _ -> Atomic.make [])
let cycles () = (Option.get (Dromos_heap.stats ())).cycles

let[@inline never] leave () =
  let mine = Array.make 1 [] in
  mine.(0) <- Atomic.get shared;
  Atomic.set shared [];
  set_root mine

let publish rounds =
  for k = 1 to rounds do
    Atomic.set slots.(k land 63) (List.init 500 (fun i -> i + k))
  done

let await flag =
  while not (Atomic.get flag) do
    Domain.cpu_relax ()
  done

(* Waits for two cycles, since the first may have begun before. The function runs on a
   second worker, so the awaiting fiber leaves its worker. *)
let begun = Atomic.make false
let left = Atomic.make false

let two_cycles () =
  Atomic.set begun true;
  await left;
  let before = cycles () in
  while cycles () < before + 2 do
    publish 100
  done

let in_run () =
  let ended = Dromos.async two_cycles in
  await begun;
  leave ();
  Atomic.set left true;
  Dromos.await ended;
  publish 4000;
  let mine : int list array = get_root () in
  Check.must "an object that C's root leads to" (mine.(0) = list Fun.id)

(* The first fiber of a run gets a heap of its own if the program has other domains. *)
let beside_another f =
  let stop = Atomic.make false in
  let other = Domain.spawn (fun () -> await stop) in
  f ();
  Atomic.set stop true;
  Domain.join other

let () =
  Check.case "a fiber that waits, and left something to C" (fun () ->
      beside_another (fun () -> Dromos.run ~workers:2 in_run))
