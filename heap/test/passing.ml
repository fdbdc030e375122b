(* Domains pass objects with a finaliser, a weak pointer or memory outside the heap to
   each other. Global collections run between, and each may give an object to another
   domain's heap. *)

open Check

let domains = 4
let rounds = 500

(* Each domain puts an object into a place, takes the object of another domain from there,
   keeps taken objects for a while, and sometimes runs a full collection. *)
let exchange ~make ~right =
  let places = Array.init 8 (fun _ -> Atomic.make None) in
  in_all domains (fun d () ->
      let kept = Queue.create () in
      for i = 1 to rounds do
        let n = (i * domains) + d in
        let place = places.(n * 7 land 7) in
        (match Atomic.exchange place (Some (n, make n)) with
        | None -> ()
        | Some (m, x) -> Queue.push (m, x) kept);
        if Queue.length kept > 20 then ignore (Queue.pop kept : int * _);
        Queue.iter (fun (m, x) -> right m x) kept;
        garbage 1000;
        if i mod 100 = d * 20 then Gc.full_major ()
      done)

let bigarrays () =
  let open Bigarray in
  let make n =
    let a = Array1.create int c_layout 100 in
    Array1.fill a n;
    a
  in
  exchange ~make ~right:(fun n a ->
      must "its numbers" (a.{0} = n && a.{99} = n))

(* The data of a key is right, and alive as long as the key. *)
let ephemerons () =
  let make n =
    let key = ref (string_of_int n) in
    (key, Ephemeron.K1.make key (string_of_int n))
  in
  exchange ~make ~right:(fun n (key, e) ->
      must "the key" (!key = string_of_int n);
      match Ephemeron.K1.query e key with
      | Some s -> must "its data" (s = string_of_int n)
      | None -> must "there is data" false)

(* The weak array stays with its maker; the keys travel among domains. *)
let weak_keys () =
  let weak = Array.init domains (fun _ -> Weak.create 64) in
  let turn = Array.init domains (fun _ -> Atomic.make 0) in
  let make n =
    let key = ref (string_of_int n) in
    let d = n mod domains in
    Weak.set weak.(d) (Atomic.fetch_and_add turn.(d) 1 land 63) (Some key);
    key
  in
  let right n key =
    must "the key" (!key = string_of_int n);
    let w = weak.(n mod domains) in
    for i = 0 to 63 do
      match Weak.get w i with
      | None -> ()
      | Some k -> must "a number" (int_of_string_opt !k <> None)
    done
  in
  exchange ~make ~right

let finalisers () =
  let first = Atomic.make 0 and last = Atomic.make 0 in
  let make n =
    let v = ref (string_of_int n) in
    Gc.finalise
      (fun v ->
        must "its value" (!v = string_of_int n);
        Atomic.incr first)
      v;
    Gc.finalise_last (fun () -> Atomic.incr last) v;
    v
  in
  exchange ~make ~right:(fun n v -> must "not yet" (!v = string_of_int n));
  Gc.full_major ();
  Gc.full_major ();
  let all = domains * rounds in
  must "each once" (Atomic.get first = all && Atomic.get last = all)

(* A domain ends while a second domain's collection finds the finalised values of the
   first dead. *)
let orphans () =
  let called = Atomic.make 0 in
  let attach () =
    for _ = 1 to 100 do
      Gc.finalise_last (fun () -> Atomic.incr called) (ref called)
    done
  in
  for _ = 1 to 100 do
    let other = Domain.spawn attach in
    Gc.full_major ();
    Domain.join other
  done;
  Gc.full_major ();
  Gc.full_major ();
  must "all of them" (Atomic.get called = 10_000)

(* Each spawn registers C roots, and each end of a domain removes them, while other
   domains scan the roots. *)
let roots () =
  let over = Atomic.make false in
  let others =
    List.init 3 (fun _ ->
        Domain.spawn (fun () ->
            while not (Atomic.get over) do
              garbage 100;
              Gc.minor ()
            done))
  in
  for i = 1 to 300 do
    let some =
      List.init 4 (fun k -> (k, Domain.spawn (fun () -> ref (i + k))))
    in
    List.iter (fun (k, d) -> must "its result" (!(Domain.join d) = i + k)) some
  done;
  Atomic.set over true;
  List.iter Domain.join others

let () =
  case "bigarrays handed on" bigarrays;
  case "ephemerons handed on" ephemerons;
  case "weak keys handed on" weak_keys;
  case "finalisers of what is handed on" finalisers;
  case "finalisers of domains that ended" orphans;
  case "roots of C, coming and going" roots
