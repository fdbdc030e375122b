(* Domains hand each other values of every kind. A stored object that
   further domains can reach must stay in place while its owner collects. *)

open Check

let domains = 4
let rounds = 2000
let in_all f = Check.in_all domains f
let check_of n s = must "its own string" (s = string_of_int n)

(* Treiber's stack. *)
let stack () =
  let top = Atomic.make [] in
  let rec push x =
    let old = Atomic.get top in
    if not (Atomic.compare_and_set top old (x :: old)) then push x
  in
  let rec pop () =
    match Atomic.get top with
    | [] -> None
    | x :: rest as old ->
        if Atomic.compare_and_set top old rest then Some x else pop ()
  in
  in_all (fun d () ->
      let mine = ref [] in
      for i = 1 to rounds do
        let n = (i * domains) + d in
        push (n, [ string_of_int n; string_of_int (n + 1) ]);
        garbage 5;
        match pop () with
        | Some (m, [ a; b ]) ->
            check_of m a;
            check_of (m + 1) b;
            if i land 7 = 0 then mine := (m, a) :: !mine
        | Some _ -> must "two strings" false
        | None -> ()
      done;
      List.iter (fun (m, a) -> check_of m a) !mine)

(* Plain races on references to references, and on closures. *)
let races () =
  let cells = Array.init 64 (fun i -> ref (ref (string_of_int i))) in
  let functions = Array.make 64 string_of_int in
  in_all (fun d () ->
      for i = 1 to rounds do
        let k = i * (d + 3) land 63 in
        let inner = !(cells.(k)) in
        garbage 3;
        must "a number" (int_of_string_opt !inner <> None);
        if i land 3 = 0 then cells.(k) := ref (string_of_int i)
        else inner := string_of_int (i + 7);
        functions.(k) <-
          (let text = string_of_int i in
           let both = [| text; text ^ "q" |] in
           fun n -> if n = 0 then both.(0) else both.(1));
        must "a string" (String.length (functions.(k * 7 land 63) 1) >= 1)
      done)

(* One domain suspends a fiber, a second domain resumes the fiber and reads the values on
   its stack. *)
type _ Effect.t += Wait : int Effect.t

let fibers () =
  let slots = Array.init 8 (fun _ -> Atomic.make None) in
  let put slot k =
    match Atomic.exchange slot (Some k) with
    | None -> ()
    | Some other -> ignore (Effect.Deep.continue other 1 : string)
  in
  let start slot =
    let local = List.init 5 string_of_int in
    let body () =
      let before = List.map (fun s -> s ^ "0") local in
      let n = Effect.perform Wait in
      garbage 10;
      must "its stack" (List.nth before 4 = "40");
      string_of_int (n + List.length before)
    in
    let effc : type a.
        a Effect.t -> ((a, string) Effect.Deep.continuation -> string) option =
      function
      | Wait ->
          Some
            (fun (k : (int, string) Effect.Deep.continuation) ->
              put slot k;
              "0")
      | _ -> None
    in
    ignore (Effect.Deep.try_with body () { effc } : string)
  in
  in_all (fun d () ->
      for i = 1 to rounds do
        let slot = slots.((i + d) land 7) in
        match Atomic.exchange slot None with
        | Some k ->
            let s = Effect.Deep.continue k i in
            must "resumed" (int_of_string s = i + 5)
        | None -> start slot
      done)

let spawning () =
  for i = 1 to 60 do
    let text = string_of_int i in
    let ds =
      List.init 3 (fun d ->
          Domain.spawn (fun () ->
              garbage 500;
              (text, Array.init 100 (fun k -> string_of_int (k + d)))))
    in
    garbage 500;
    List.iteri
      (fun d (t, a) ->
        check_of i t;
        Array.iteri (fun k s -> check_of (k + d) s) a)
      (List.map Domain.join ds)
  done;
  match Domain.join (Domain.spawn (fun () -> failwith (string_of_int 5))) with
  | () -> must "raised" false
  | exception Failure s -> check_of 5 s

let local_storage () =
  let key = Domain.DLS.new_key (fun () -> Hashtbl.create 8) in
  in_all (fun d () ->
      for i = 1 to rounds do
        let t = Domain.DLS.get key in
        Hashtbl.replace t (i land 255) (string_of_int (i + d));
        if i > 255 then
          check_of (i + d - 255) (Hashtbl.find t ((i - 255) land 255))
      done)

let weak () =
  let finalised = Atomic.make 0 in
  in_all (fun d () ->
      let w = Weak.create 10 and mine = ref [] in
      for r = 1 to 100 do
        for i = 0 to 9 do
          let v = ref (d, r, i) in
          if i = 3 then mine := v :: !mine;
          Weak.set w i (Some v)
        done;
        Gc.finalise (fun _ -> Atomic.incr finalised) (ref r);
        garbage 300
      done;
      Gc.full_major ();
      match Weak.get w 3 with
      | Some { contents = d', 100, 3 } ->
          must "its own" (d = d' && List.length !mine = 100)
      | Some _ | None -> must "alive" false);
  Gc.full_major ();
  Gc.full_major ();
  must "finalised" (Atomic.get finalised = domains * 100)

(* Finalisers and weak pointers were attached while one domain ran alone. Both stay
   attached when a global collection gives the objects back to that domain. *)
let strays () =
  let n = 200 and finalised = Atomic.make 0 and over = Atomic.make false in
  let make i =
    let key = ref i and weak = Weak.create 1 in
    Weak.set weak 0 (Some key);
    Gc.finalise (fun _ -> Atomic.incr finalised) key;
    (key, weak, Mutex.create ())
  in
  let check () =
    let told = Array.init n make in
    let other =
      Domain.spawn (fun () ->
          while not (Atomic.get over) do
            garbage 100
          done)
    in
    for _ = 1 to 5 do
      Gc.full_major ();
      (* With tiny heaps, the domain's local heap gets full collections of its own
         meanwhile. *)
      let grown = List.init 20_000 string_of_int in
      Array.iteri
        (fun i (key, weak, lock) ->
          Mutex.protect lock @@ fun () ->
          must "its key" (!key = i && Weak.get weak 0 = Some key))
        told;
      must "grown" (List.length (Sys.opaque_identity grown) = 20_000)
    done;
    Atomic.set over true;
    Domain.join other;
    must "not finalised" (Atomic.get finalised = 0)
  in
  check ();
  Gc.full_major ();
  Gc.full_major ();
  must "finalised" (Atomic.get finalised = n)

let threads () =
  let hits = Atomic.make 0 in
  Sys.set_signal Sys.sigalrm
    (Signal_handle
       (fun _ ->
         Atomic.incr hits;
         garbage 50));
  let timer s =
    ignore
      (Unix.setitimer ITIMER_REAL { it_interval = s; it_value = s }
        : Unix.interval_timer_status)
  in
  timer 0.001;
  in_all (fun _ () ->
      let q = Queue.create ()
      and m = Mutex.create ()
      and c = Condition.create () in
      let feed () =
        for i = 1 to 100 do
          Mutex.protect m (fun () ->
              Queue.push (i, string_of_int i) q;
              Condition.signal c);
          garbage 100;
          if i land 15 = 0 then Thread.yield ()
        done
      in
      let feeders = List.init 4 (fun _ -> Thread.create feed ()) in
      for _ = 1 to 400 do
        let i, s =
          Mutex.protect m (fun () ->
              while Queue.is_empty q do
                Condition.wait c m
              done;
              Queue.pop q)
        in
        check_of i s
      done;
      List.iter Thread.join feeders);
  timer 0.;
  must "signals came" (Atomic.get hits > 0)

(* Threads that block beside threads that compute: the tick thread asks for the runtime
   lock just as its holder is about to block. *)
let blocking () =
  in_all (fun _ () ->
      let out, into = Unix.pipe () in
      let over = Atomic.make false in
      let busy =
        Thread.create
          (fun () ->
            while not (Atomic.get over) do
              garbage 100
            done)
          ()
      in
      let echo =
        Thread.create
          (fun () ->
            for i = 0 to 199 do
              ignore
                (Unix.write_substring into (String.make 1 (Char.chr i)) 0 1
                  : int);
              if i mod 20 = 0 then Thread.delay 0.001
            done)
          ()
      in
      let got = Bytes.create 1 in
      for i = 0 to 199 do
        must "a byte" (Unix.read out got 0 1 = 1 && Bytes.get_uint8 got 0 = i)
      done;
      Atomic.set over true;
      Thread.join echo;
      Thread.join busy;
      Unix.close out;
      Unix.close into)

(* Published objects lie among garbage, a kilobyte and more apart. Domains allocate in the
   holes between them, also blocks larger than the smallest hole. *)
let scattered () =
  let table = Array.init 3000 (fun i -> Atomic.make [ string_of_int i ]) in
  let wide n = Array.make (200 + (n land 15)) n in
  in_all (fun d () ->
      for i = 0 to (15 * rounds) - 1 do
        let k = i * 7919 mod 3000 in
        (match Atomic.get table.(k) with
        | [ s ] -> check_of k s
        | _ -> must "one string" false);
        Atomic.set table.(k) [ string_of_int k ];
        let w = Sys.opaque_identity (wide (i + d)) in
        must "its own" (Array.for_all (( = ) (i + d)) w)
      done);
  must "memory is used again" (kib "VmHWM" < 400_000)

let () =
  case "a stack" stack;
  case "races" races;
  case "fibers" fibers;
  case "spawning" spawning;
  case "domain-local storage" local_storage;
  case "weak, in domains" weak;
  case "reports on objects, after global collections" strays;
  case "threads and signals" threads;
  case "threads that block" blocking;
  case "scattered among garbage" scattered
