(* One domain: objects that the collector must keep, move, free, and report through
   finalisers and weak pointers. *)

open Check

let strings n = Array.init n (fun i -> (i, string_of_int i, float_of_int i))

let right what a =
  Array.iteri
    (fun i (j, s, x) ->
      must what (i = j && s = string_of_int i && x = float_of_int i))
    a

let arrays () =
  let a = strings 50_000 in
  right "fresh" a;
  Gc.minor ();
  right "after a young collection" a;
  Gc.full_major ();
  right "after full ones" a;
  let big = Array.make 300_000 [] in
  Array.iteri (fun i _ -> big.(i) <- [ i ]) big;
  Array.fill big 0 1000 [ -1 ];
  Array.blit big 1000 big 2000 1000;
  garbage 50_000;
  Gc.full_major ();
  for i = 0 to 299_999 do
    let n =
      if i < 1000 then -1 else if i >= 2000 && i < 3000 then i - 1000 else i
    in
    must "large array" (big.(i) = [ n ])
  done

(* Old objects point to young objects. *)
let remembered () =
  let table = Hashtbl.create 16 in
  for round = 1 to 20 do
    for i = 0 to 2000 do
      Hashtbl.replace table i (string_of_int (i * round))
    done;
    garbage 2000;
    for i = 0 to 2000 do
      must "hash table" (Hashtbl.find table i = string_of_int (i * round))
    done
  done

(* Young and old arrays, filled with young and old values. *)
let filled () =
  List.iter
    (fun n ->
      let a = Array.make n [] in
      for round = 1 to 10 do
        if round = 3 then Gc.full_major ();
        let l = [ string_of_int round ] in
        if round land 1 = 0 then Gc.minor ();
        Array.fill a 0 n l;
        garbage 2000;
        if round land 3 = 0 then Gc.minor ();
        Array.iter
          (fun x -> must "filled" (x == l && x = [ string_of_int round ]))
          a
      done)
    [ 1; 100; 10_000 ]

(* Most of a large table stays, and a part is replaced. Full collections leave the table
   in place; new values must survive, and replaced values must die. *)
let lasting () =
  let n = 60_000 in
  let t = Array.init n (fun i -> (i, [ string_of_int i ])) in
  let w = Weak.create n in
  Array.iteri (fun i (_, l) -> Weak.set w i (Some l)) t;
  for round = 1 to 12 do
    for k = 0 to (n / 20) - 1 do
      let i = (k * 20) + round in
      t.(i) <- (i, string_of_int i :: (if round = 6 then [] else snd t.(i)))
    done;
    Gc.full_major ();
    Array.iteri
      (fun i (j, l) ->
        must "lasting" (i = j && List.for_all (( = ) (string_of_int i)) l);
        must "weakly too" (Weak.check w i || List.length l = 1))
      t
  done;
  let gone = ref 0 in
  for i = 0 to n - 1 do
    if not (Weak.check w i) then incr gone
  done;
  must "the dropped objects" (!gone = n / 20)

(* A part of the objects that a full collection leaves in place dies there, and the next
   collection finds more of them dead. The collector calls finalisers and clears weak
   pointers as for moved objects. *)
let thinned () =
  let n = 20_000 in
  let first = ref 0 and last = ref 0 in
  let t = Array.init n (fun i -> Some (i, string_of_int i)) in
  let data =
    Array.map
      (fun x ->
        let ((i, s) as pair) = Option.get x in
        Gc.finalise (fun (j, _) -> if i = j then incr first) pair;
        Gc.finalise_last (fun () -> incr last) s;
        Ephemeron.K1.make pair (ref i))
      t
  in
  let drop rest =
    Array.iteri (fun i _ -> if i mod 10 <> rest then t.(i) <- None) t
  in
  let look left =
    repeat 2 Gc.full_major;
    Array.iteri
      (fun i e ->
        match t.(i) with
        | Some ((j, s) as pair) ->
            must "the rest" (i = j && s = string_of_int i);
            must "its data"
              (Option.map ( ! ) (Ephemeron.K1.query e pair) = Some i)
        | None -> ())
      data;
    must "finalised" (!first = n - left && !last = n - left)
  in
  look n;
  for i = 0 to (n / 10) - 1 do
    t.(10 * i) <- None
  done;
  look (n - (n / 10));
  drop 7;
  look (n / 10);
  drop 10;
  look 0

let marshal () =
  let a = strings 100_000 in
  let b : (int * string * float) array =
    Marshal.from_string (Marshal.to_string a []) 0
  in
  right "unmarshalled" b;
  Gc.minor ();
  garbage 10_000;
  Gc.full_major ();
  right "unmarshalled, moved" b

let weak () =
  let w = Weak.create 100 and kept = ref [] in
  for i = 0 to 99 do
    let v = ref i in
    if i land 1 = 0 then kept := v :: !kept;
    Weak.set w i (Some v)
  done;
  garbage 10_000;
  Gc.full_major ();
  for i = 0 to 99 do
    match Weak.get w i with
    | Some r -> must "weak, alive" (i land 1 = 0 && !r = i)
    | None -> must "weak, dead" (i land 1 = 1)
  done;
  must "kept" (List.length (Sys.opaque_identity !kept) = 50)

(* Weak arrays die young, beside promoted objects: the remembered set must forget dead
   weak arrays. *)
let weak_garbage () =
  let kept = ref [] in
  for i = 1 to 20_000 do
    let w = Weak.create 3 in
    Weak.set w 0 (Some (ref i));
    kept := (i, string_of_int i) :: (if i mod 1000 = 0 then [] else !kept);
    List.iteri
      (fun k (j, s) -> if k < 3 then must "untouched" (s = string_of_int j))
      !kept
  done

module Table = Ephemeron.K1.Make (struct
  type t = string

  let equal = String.equal
  let hash = Hashtbl.hash
end)

(* The data holds its own key; the ephemeron must not keep the key alive through the
   data. *)
let ephemerons () =
  let t = Table.create 16 in
  let keys = Array.init 200 string_of_int in
  Array.iteri (fun i k -> Table.add t k (i, [ k ])) keys;
  Array.fill keys 0 100 "";
  Gc.full_major ();
  garbage 10_000;
  Gc.full_major ();
  Table.clean t;
  must "half of the keys" (Table.length t = 100);
  for i = 100 to 199 do
    must "data" (fst (Table.find t keys.(i)) = i)
  done

let finalisers () =
  let first = ref 0 and last = ref 0 in
  for i = 1 to 1000 do
    Gc.finalise
      (fun r ->
        must "its value" (!r = i);
        incr first)
      (ref i);
    Gc.finalise_last (fun () -> incr last) (Bytes.create 10)
  done;
  Gc.full_major ();
  Gc.full_major ();
  must "each once" (!first = 1000 && !last = 1000);
  match
    Gc.finalise (fun _ -> failwith "there") (ref 0);
    Gc.full_major ()
  with
  | () -> must "raised" false
  | exception Failure text -> must "raised" (text = "there")

(* 1 GB of memory outside the heap, if no collection freed any of it. *)
let customs () =
  for _ = 1 to 20_000 do
    ignore
      (Sys.opaque_identity
         (Bigarray.Array1.create Bigarray.char Bigarray.c_layout 50_000))
  done;
  must "bigarrays are freed" (kib "VmHWM" < 400_000)

(* Unmarshalled bigarrays, in small blocks and in one large block. *)
let customs_read () =
  let small = Bigarray.Array1.create Bigarray.char Bigarray.c_layout 50_000 in
  Bigarray.Array1.fill small 'x';
  let read n from =
    let s = Marshal.to_string from [] in
    for _ = 1 to n do
      ignore (Sys.opaque_identity (Marshal.from_string s 0 : Obj.t));
      garbage 100
    done
  in
  read 20_000 (Obj.repr small);
  read 2_000 (Obj.repr (Array.init 10 (fun _ -> small), Array.make 1000 ""));
  must "bigarrays that were read are freed" (kib "VmHWM" < 400_000)

let statistics () =
  let before = Gc.minor_words () in
  garbage 1000;
  must "words are counted" (Gc.minor_words () -. before >= 3000.);
  let s = Gc.stat () in
  must "collections are counted"
    (s.minor_collections > 0 && s.major_collections > 0);
  must "the heap has a size"
    (s.heap_words > 0 && s.top_heap_words >= s.heap_words);
  must "each word is one of three"
    (s.heap_words = s.live_words + s.free_words + s.fragments);
  must "free blocks"
    (s.free_blocks > 0 && s.heap_chunks > 0 && s.largest_free > 0
    && s.largest_free <= s.free_words);
  let rec deep n =
    if n = 0 then (Gc.quick_stat ()).stack_size
    else Sys.opaque_identity (deep (n - 1))
  in
  must "the stack has a size" (deep 10_000 - deep 0 >= 10_000);
  let text = Filename.temp_file "gc" "stat" in
  Out_channel.with_open_text text Gc.print_stat;
  let lines = In_channel.with_open_text text In_channel.input_lines in
  Sys.remove text;
  must "is printed"
    (List.exists (String.starts_with ~prefix:"live_words:") lines);
  match Gc.Memprof.start ~sampling_rate:1. Gc.Memprof.null_tracker with
  | _ -> must "memprof" false
  | exception Failure _ -> ()

let limits () =
  (match Array.make max_int 0 with
  | _ -> must "no such array" false
  | exception Invalid_argument _ -> ());
  let rec deep n = if n = 0 then 0 else 1 + deep (n - 1) in
  must "deep" (deep 100_000 = 100_000)

let forked () =
  match Unix.fork () with
  | 0 ->
      garbage 100_000;
      Gc.full_major ();
      Unix._exit 7
  | pid -> must "the child ended well" (snd (Unix.waitpid [] pid) = WEXITED 7)

let () =
  case "arrays" arrays;
  case "old to young" remembered;
  case "arrays that are filled" filled;
  case "lasting objects" lasting;
  case "objects that last less and less" thinned;
  case "marshal" marshal;
  case "weak" weak;
  case "weak, dying young" weak_garbage;
  case "ephemerons" ephemerons;
  case "finalisers" finalisers;
  case "memory outside" customs;
  case "memory outside, unmarshalled" customs_read;
  case "statistics" statistics;
  case "limits" limits;
  case "fork" forked
