(* Programs that run out of memory. A request from C code is refused with an exception,
   and the program may go on. In the middle of a collection nothing can be refused, and
   the program ends with a message. Each case runs this program again with few addresses
   (128 MiB for heaps). *)

open Check

let refused what f =
  match f () with
  | (_ : int) -> must (what ^ " is refused") false
  | exception Out_of_memory -> ()

(* {1 Asked for by C code} *)

let block () =
  let b = Bytes.create (4 lsl 20) in
  Bytes.set b 0 'a';
  Bytes.set b (Bytes.length b - 1) 'z';
  b

let whole b = Bytes.get b 0 = 'a' && Bytes.get b (Bytes.length b - 1) = 'z'

(* Blocks until memory is full, less two blocks. *)
let full () =
  let rec more l =
    match block () with b -> more (b :: l) | exception Out_of_memory -> l
  in
  match more [] with
  | _ :: _ :: rest ->
      Gc.full_major ();
      rest
  | _ ->
      must "there is room for two" false;
      []

let words = 1 lsl 21
let floats = Array.make 100_000 0.5
let text = String.make 300_000 'x'
let large = lazy (Array.make words 1_000_000_000)
let marshalled = lazy (Marshal.to_string (Lazy.force large) [])

(* Each function makes about 16 MB. *)
let makers =
  [
    ("Bytes.create", fun () -> Bytes.length (Bytes.create (words * 8)));
    ("Array.make", fun () -> Array.length (Array.make words 0));
    ("Array.create_float", fun () -> Array.length (Array.create_float words));
    ("Array.init", fun () -> Array.length (Array.init words Fun.id));
    ( "Array.concat",
      fun () -> Array.length (Array.concat (List.init 20 (fun _ -> floats))) );
    ( "String.concat",
      fun () -> String.length (String.concat "" (List.init 50 (fun _ -> text)))
    );
    ( "Bytes.extend",
      fun () -> Bytes.length (Bytes.extend Bytes.empty 0 (words * 8)) );
    ( "Buffer.add_string",
      fun () ->
        let b = Buffer.create 16 in
        repeat 50 (fun () -> Buffer.add_string b text);
        Buffer.length b );
    ("Weak.create", fun () -> Weak.length (Weak.create words));
    ( "Marshal.from_string",
      fun () -> Array.length (Marshal.from_string (Lazy.force marshalled) 0) );
    ("Array.copy", fun () -> Array.length (Array.copy (Lazy.force large)));
  ]

(* A refused caller may ask again: the runtime has collected meanwhile. *)
let possible (what, make) =
  let made () =
    match make () with (_ : int) -> true | exception Out_of_memory -> false
  in
  let at_once = made () in
  garbage 10;
  must (what ^ " is possible") (at_once || made ())

let by_c () =
  ignore (Lazy.force marshalled, Lazy.force large);
  List.iter
    (fun (what, make) ->
      possible (what, make);
      let kept = full () in
      refused what make;
      garbage 1_000;
      refused what make;
      must "whole values" (List.for_all whole kept))
    makers;
  List.iter possible makers

(* Allocates and keeps blocks until memory is full. In a domain that is not alone some
   blocks become shared meanwhile, and collecting shared blocks takes memory too. *)
let all_there_is () =
  let kept = Atomic.make [] in
  let rec more () =
    match Bytes.create 1_000_000 with
    | b ->
        Atomic.set kept (b :: Atomic.get kept);
        more ()
    | exception Out_of_memory -> Atomic.set kept []
  in
  more ();
  Gc.full_major ()

let by_two () =
  Domain.join (Domain.spawn all_there_is);
  all_there_is ();
  must "there is room again" (Bytes.length (Bytes.create 50_000_000) > 0)

(* {1 In collections} *)

let say what = prerr_endline ("in " ^ what)

(* [mib] MiB of small live objects. *)
let rec living mib l =
  if mib = 0 then l
  else living (mib - 1) (List.init 21_845 (fun i -> Some i) :: l)

let keep l = ignore (Sys.opaque_identity l)

(* The settings make the nursery larger than the free memory. *)
let in_young () =
  say "a young collection";
  keep (living 120 [])

(* More than half of the available memory is alive: the full collection keeps the objects
   in place. *)
let in_place () =
  let l = living 110 [] in
  Gc.full_major ();
  must "all of it" (List.for_all (fun l -> List.length l = 21_845) l)

(* Half of the objects are dead, in all places: the collection copies the rest. *)
let in_full () =
  let a = Array.init 4_400_000 Option.some in
  Array.iteri (fun i _ -> if i land 1 = 0 then a.(i) <- None) a;
  say "a full collection";
  Gc.full_major ();
  keep a

(* The heaps of two domains, while the second domain runs. *)
let in_global () =
  let ready = Atomic.make false and over = Atomic.make false in
  let until flag =
    while not (Atomic.get flag) do
      garbage 100
    done
  in
  in_all 2 (fun i () ->
      let l = living 45 [] in
      if i = 0 then begin
        until ready;
        say "a global collection";
        Gc.full_major ();
        Atomic.set over true
      end
      else begin
        Atomic.set ready true;
        until over
      end;
      keep l)

(* {1 Memory of C}. [without_c] takes nearly all of it. *)

let rec take bytes l =
  if bytes < 4096 then l
  else
    match Bigarray.(Array1.create char c_layout bytes) with
    | b -> take bytes (b :: l)
    | exception Out_of_memory -> take (bytes / 2) l

let without_c f () =
  let l = take (32 lsl 20) [] in
  f ();
  keep l

let shared = Atomic.make []

let publish () =
  in_all 2 (fun _ ->
      without_c (fun () ->
          repeat 10 (fun () ->
              Atomic.set shared (List.init 200_000 Option.some))))

let remember () =
  let a = Array.make 3_000_000 None in
  Gc.full_major ();
  without_c
    (fun () ->
      for i = 0 to Array.length a - 1 do
        a.(i) <- Some i
      done)
    ()

let finalise () =
  without_c
    (fun () ->
      for i = 1 to 1_000_000 do
        Gc.finalise ignore (ref i)
      done)
    ()

let spawn () =
  without_c
    (fun () ->
      match List.init 20 (fun _ -> Domain.spawn (fun () -> garbage 1_000)) with
      | ds -> List.iter Domain.join ds
      | exception Failure _ -> ())
    ()

let thread () =
  without_c
    (fun () ->
      match List.init 20 (fun _ -> Thread.create garbage 1_000) with
      | ts -> List.iter Thread.join ts
      | exception (Out_of_memory | Sys_error _ | Failure _) -> ())
    ()

type _ Effect.t += Wait : unit Effect.t

let suspended () =
  let kept = ref None in
  let effc : type a.
      a Effect.t -> ((a, unit) Effect.Deep.continuation -> unit) option =
    function
    | Wait ->
        Some
          (fun (k : (a, unit) Effect.Deep.continuation) ->
            kept := Some (Obj.repr k))
    | _ -> None
  in
  let rec deep n =
    if n = 0 then Effect.perform Wait
    else (
      deep (n - 1);
      garbage 1)
  in
  Effect.Deep.try_with deep 1_000 { effc };
  !kept

let fibers () =
  let rec more l n =
    match suspended () with
    | k -> more (k :: l) (n + 1)
    | exception (Out_of_memory | Stack_overflow) -> n
  in
  let some = more [] 0 in
  garbage 10;
  let again = more [] 0 in
  must (Printf.sprintf "%d, and %d" some again) (some > 100 && again > some / 2)

let rec bottomless n = string_of_int n :: bottomless (n + 1)

let stack () =
  repeat 3 (fun () ->
      match List.length (bottomless 0) with
      | (_ : int) -> must "there is no bottom" false
      | exception Stack_overflow -> garbage 1_000)

(* {1 All cases} *)

type ending = Goes_on | Ends  (** ends with a message *) | Either

let cases =
  [
    ("asked for by C code", "", Goes_on, by_c);
    ("asked for by two domains", "", Goes_on, by_two);
    ("a young collection", "n=100M", Ends, in_young);
    ("a full collection", "n=256k,l=1G", Ends, in_full);
    ("live objects that grow", "", Goes_on, in_place);
    ("a global collection", "n=256k,l=1G,g=1G", Ends, in_global);
    ("a publication", "", Either, publish);
    ("stores that are remembered", "", Either, remember);
    ("finalisers", "", Either, finalise);
    ("new domains", "", Either, spawn);
    ("new threads", "", Either, thread);
    ("fibers", "", Goes_on, fibers);
    ("a deep stack", "", Goes_on, stack);
  ]

let limited settings =
  Printf.sprintf "export DROMOS_HEAP=%s; ulimit -c 0; ulimit -v 400000" settings

let holds (name, settings, ending, _) =
  let status, text = Child.again ~before:(limited settings) name in
  let ended =
    status = WSIGNALED Sys.sigabrt
    && Said.contains (String.lowercase_ascii text) "out of memory"
  in
  let went_on = status = WEXITED 0 in
  must
    (Printf.sprintf "%s: %s, %s" name (Child.said status) text)
    (match ending with
    | Goes_on -> went_on
    | Ends -> ended && Said.contains text ("in " ^ name)
    | Either -> went_on || ended)

let () =
  match Sys.argv with
  | [| _; name |] ->
      let _, _, _, f = List.find (fun (n, _, _, _) -> n = name) cases in
      f ()
  | _ ->
      List.iter
        (fun ((name, _, _, _) as c) ->
          case ("no memory: " ^ name) (fun () -> holds c))
        cases
