(* A cycle begins, and the second domain ends, while the first domain reaches no poll
   point. The first domain is then alone, and its variables may lead to private objects;
   objects reachable only from those must outlive the cycle. Run with a distant safety net
   (DROMOS_HEAP=g=1G): the net would make the second domain wait until the first one
   polls. *)

external hold_till_alone : unit -> unit = "hold_till_alone" [@@noalloc]

let list = List.init 20_000
let none = []
let shared = Atomic.make (list Fun.id)

(* The atomics are shared objects once the second domain is spawned. *)
let go = Atomic.make false
let slots = Array.init 64 (fun _ -> Atomic.make none)

(* 48 MB, enough to make a cycle due. *)
let publish () =
  while not (Atomic.get go) do
    Domain.cpu_relax ()
  done;
  for k = 1 to 4000 do
    Atomic.set slots.(k land 63) (List.init 500 (fun i -> i + k))
  done

let take () =
  ignore (Domain.spawn publish);
  let mine = Array.make 1 none in
  mine.(0) <- Atomic.get shared;
  Atomic.set shared none;
  Atomic.set go true;
  hold_till_alone ();
  mine

let mine = take ()

let () =
  Check.case "a cycle in a program that is alone since" (fun () ->
      for k = 1 to 20 do
        let lists = List.init 20 (fun i -> list (fun j -> i + j + k)) in
        ignore (Sys.opaque_identity lists)
      done;
      Check.must "an object that a variable leads to" (mine.(0) = list Fun.id))
