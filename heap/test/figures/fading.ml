(* Weak pointers and finalisers of shared objects: the concurrent collection clears the
   pointers and calls the functions, without a stop of the world. Live objects stay,
   whichever domain reads a weak pointer to them, at any moment. Run with a distant safety
   net (DROMOS_HEAP=g=1G), since on a busy machine domains may share much before they
   answer. *)

let must = Check.must
let now () = Option.get (Dromos_heap.stats ())
let domains = 3
let list k = List.init 20 (fun i -> (k, i))

let is_list k l =
  List.length l = 20
  && List.for_all Fun.id (List.mapi (fun i (k', i') -> k' = k && i' = i) l)

(* Shares and drops lists until [n] more cycles have ended. Shares fewer lists while the
   other domains get no processor time to answer. *)
let shared = Atomic.make []

let await_cycles n =
  let rec share n left (last : Dromos_heap.stats) =
    let s = now () in
    must "cycles come" (left > 0);
    if s.cycles > last.cycles then share (n - 1) left s
    else if n > 0 then begin
      if s.entangled - last.entangled < 40 lsl 20 then
        Atomic.set shared (List.init 1000 (fun i -> (left, i)))
      else begin
        Unix.sleepf 0.001;
        Gc.minor ()
      end;
      share n (left - 1) last
    end
  in
  share n 100_000 (now ());
  Atomic.set shared []

let wait_while f =
  while f () do
    Unix.sleepf 0.0005;
    Check.garbage 10
  done

(* Domains wait and poll while domain 0 runs [last]: a finaliser is called by the domain
   that attached the function. *)
let in_all_and_then f last =
  let over = Atomic.make false and ready = Atomic.make 0 in
  Check.in_all domains (fun me () ->
      let x = f me in
      Atomic.incr ready;
      if me > 0 then wait_while (fun () -> not (Atomic.get over))
      else begin
        wait_while (fun () -> Atomic.get ready < domains);
        Fun.protect last ~finally:(fun () -> Atomic.set over true)
      end;
      ignore (Sys.opaque_identity x))

let without_stopping f () =
  let before = (now ()).global.count in
  f ();
  must "the world goes on" ((now ()).global.count = before)

(* Keys of a table that all domains use. The last keys of each domain are alive. The
   program's argument sets the number of keys. *)
let each = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 800
let last = 40
let number me k = (k * domains) + me

module Set = Weak.Make (struct
  type t = int * (int * int) list

  let equal (a, _) (b, _) = a = b
  let hash (a, _) = Hashtbl.hash a
end)

let weak_set () =
  let set = Set.create 100 and lock = Mutex.create () in
  let kept = Array.init domains (fun _ -> Array.make last (0, [])) in
  let find x = Mutex.protect lock (fun () -> Set.find_opt set x) in
  in_all_and_then
    (fun me ->
      for k = 1 to each do
        let n = number me k in
        let x = Mutex.protect lock (fun () -> Set.merge set (n, list n)) in
        kept.(me).(k mod last) <- x;
        (match find (number me (k - 7), []) with
        | Some (m, l) -> must "a found object" (is_list m l)
        | None -> must "a live object is found" (k <= 7));
        match find (number ((me + 1) mod domains) (k - 200), []) with
        | Some (m, l) -> must "an object that may be dead" (is_list m l)
        | None -> ()
      done)
    (fun () ->
      await_cycles 3;
      let count = Mutex.protect lock (fun () -> Set.count set) in
      must "the dead have gone" (count <= (domains * last) + 10);
      Array.iter
        (Array.iter (fun x ->
             must "the living stay"
               (match find x with Some y -> x == y | None -> false)))
        kept)

(* The data of each binding holds its key. *)
module Table = Ephemeron.K1.Make (struct
  type t = int ref

  let equal a b = !a = !b
  let hash a = Hashtbl.hash !a
end)

let ephemerons () =
  let table = Table.create 100 and lock = Mutex.create () in
  let kept = Array.init domains (fun _ -> Array.make last (ref (-1))) in
  let find x = Mutex.protect lock (fun () -> Table.find_opt table x) in
  let has_data n = function
    | Some (key, l) -> !key = n && is_list n l
    | None -> false
  in
  in_all_and_then
    (fun me ->
      for k = 1 to each do
        let n = number me k in
        let key = ref n in
        Mutex.protect lock (fun () -> Table.replace table key (key, list n));
        kept.(me).(k mod last) <- key;
        if k > 7 then
          must "a live key has its data"
            (let n = number me (k - 7) in
             has_data n (find (ref n)));
        let n = number ((me + 1) mod domains) (k - 200) in
        let found = find (ref n) in
        must "an object that may be dead" (found = None || has_data n found)
      done)
    (fun () ->
      await_cycles 3;
      let stats =
        Mutex.protect lock (fun () ->
            Table.clean table;
            Table.stats_alive table)
      in
      must "the dead have gone" (stats.num_bindings <= (domains * last) + 10);
      Array.iter
        (Array.iter (fun key ->
             match find key with
             | Some (key', l) ->
                 must "the living stay" (key == key' && is_list !key l)
             | None -> must "the living have data" false))
        kept)

(* Each domain has a weak set of its own, with values that all domains share. *)
let own_sets () =
  let slots = Array.init 64 (fun k -> Atomic.make (k, list k)) in
  let counts = Array.make domains 0 in
  let here = Atomic.make 0 in
  let all_reach n =
    Atomic.incr here;
    wait_while (fun () -> Atomic.get here < n * domains)
  in
  Check.in_all domains (fun me () ->
      let set = Set.create 100 in
      for k = 1 to each do
        let n = number me k in
        Atomic.set slots.(n land 63) (n, list n);
        let x = Set.merge set (Atomic.get slots.(n * 5 land 63)) in
        must "a merged object" (is_list (fst x) (snd x))
      done;
      all_reach 1;
      if me = 0 then await_cycles 3;
      all_reach 2;
      counts.(me) <- Set.count set);
  Array.iter (fun n -> must "the dead have gone" (n <= 64 + 10)) counts

(* Values of all ages: each function runs once, with an intact value, also if one value
   holds a second one. *)
let finalisers () =
  let slots = Array.init 64 (fun _ -> Atomic.make (-1, [], None)) in
  let firsts = Atomic.make 0 and lasts = Atomic.make 0 in
  let again = Array.init domains (fun _ -> Array.make (each + 1) false) in
  in_all_and_then
    (fun me ->
      for k = 1 to each do
        let n = number me k in
        let before, _, _ = Atomic.get slots.(n * 3 land 63) in
        let x = (n, list n, Some before) in
        Gc.finalise
          (fun (m, l, _) ->
            must "whole" (m = n && is_list m l);
            must "once" (not again.(me).(k));
            again.(me).(k) <- true;
            Atomic.incr firsts)
          x;
        Gc.finalise_last (fun () -> Atomic.incr lasts) x;
        Atomic.set slots.(n land 63) x
      done)
    (fun () ->
      let all = domains * each in
      (* The other domains may not have called their functions yet when a cycle ends. *)
      let rec await what counter least tries =
        if Atomic.get counter < least then begin
          must what (tries > 0);
          await_cycles 1;
          Unix.sleepf 0.001;
          await what counter least (tries - 1)
        end
      in
      await "finalised" firsts (all - 64 - (2 * domains)) 1000;
      await "and then" lasts (all - 64 - (4 * domains)) 1000;
      Array.iter
        (fun s ->
          let n, l, _ = Atomic.get s in
          must "the living are not" (n < 0 || is_list n l);
          must "indeed" (n < 0 || not again.(n mod domains).(n / domains)))
        slots)

(* One array of weak pointers: all domains set, read, copy and move its elements. *)
let races () =
  let n = 256 in
  let weak = Weak.create n in
  let whole = function
    | None -> ()
    | Some (k, l) -> must "a read value is whole" (is_list k l)
  in
  Check.in_all domains (fun me () ->
      let mine = Array.make 16 (0, list 0) in
      for k = 1 to 4 * each do
        let at j = ((k * j) + (me * 31)) land (n - 1) in
        if k land 3 = 0 then begin
          let x = (k, list k) in
          mine.(k land 15) <- x;
          Weak.set weak (at 7) (Some x)
        end;
        let got = Weak.get weak (at 5) in
        whole got;
        if k land 7 = 1 then Option.iter (fun x -> mine.(k land 15) <- x) got;
        whole (Weak.get_copy weak (at 11));
        if k land 15 = 3 then
          Weak.blit weak (at 13 land 127) weak (at 3 land 127) 8;
        if k land 31 = 5 then Weak.set weak (at 17) None;
        ignore (Weak.check weak (at 19) : bool);
        Array.iter
          (fun (k, l) -> must "a kept value is whole" (is_list k l))
          mine
      done)

(* Ephemerons whose keys and data all domains change. *)
let changed () =
  let module E = Obj.Ephemeron in
  let n = 64 in
  let es = Array.init n (fun _ -> E.create 2) in
  let whole = function
    | None -> ()
    | Some x ->
        let k, l = (Obj.obj x : int * (int * int) list) in
        must "a read value is whole" (is_list k l)
  in
  Check.in_all domains (fun me () ->
      let mine = Array.init 16 (fun _ -> Obj.repr (0, list 0)) in
      for k = 1 to 4 * each do
        let e j = es.(((k * j) + (me * 13)) land (n - 1)) in
        let fresh () = Obj.repr (k, list k) in
        if k land 3 = 0 then begin
          let x = fresh () in
          mine.(k land 15) <- x;
          E.set_key (e 3) ((k lsr 2) land 1) x;
          E.set_data (e 3) (fresh ())
        end;
        whole (E.get_key (e 5) 0);
        whole (E.get_data (e 7));
        whole (E.get_key_copy (e 11) 1);
        (match E.get_data (e 13) with
        | Some x when k land 7 = 1 -> mine.(k land 15) <- x
        | _ -> ());
        if k land 15 = 3 then E.blit_data (e 17) (e 19);
        if k land 15 = 7 then E.blit_key (e 9) 0 (e 21) 0 2;
        if k land 31 = 5 then E.unset_key (e 23) 0;
        Array.iter (fun x -> whole (Some x)) mine
      done)

let () =
  Check.case "a weak set that all use" (without_stopping weak_set);
  Check.case "ephemerons that all use" (without_stopping ephemerons);
  Check.case "each one's weak set of what all share" (without_stopping own_sets);
  Check.case "finalisers of what is shared" (without_stopping finalisers);
  Check.case "weak pointers that all read and set" races;
  Check.case "ephemerons that all change" changed
