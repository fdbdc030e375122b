(* A cycle begins, and the other domain ends, while this one does not look up. Then it
   is alone, and its variables may lead to what is private: what only that leads to
   has to outlive the cycle. Run with a net that is far away (DROMOS_HEAP=g=1G): for that
   the other would wait till this one looks up. *)

external hold_till_alone : unit -> unit = "hold_till_alone" [@@noalloc]

let list = List.init 20_000
let none = []
let shared = Atomic.make (list Fun.id)

(* frozen when the other domain is spawned *)
let go = Atomic.make false
let slots = Array.init 64 (fun _ -> Atomic.make none)

(* 48 MB, so that a cycle is due. *)
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
      Check.must "what a variable leads to" (mine.(0) = list Fun.id))
