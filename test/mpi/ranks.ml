(* A scenario of test_mpi, run in each rank. A rank that finds an error raises,
   and all ranks end; rank 0 prints "right" at the end. *)

module Mpi = Dromos_mpi
module Data = Mpi.Data
module Event = Dromos_sync.Event

exception Wrong of string

let ensure what holds = if not holds then raise (Wrong what)

let equal what show wanted got =
  if wanted <> got then
    raise
      (Wrong
         (Printf.sprintf "%s: %s wanted, %s got" what (show wanted) (show got)))

let int what wanted got = equal what string_of_int wanted got
let numbers : int Mpi.tag = Mpi.tag 1
let texts : string Mpi.tag = Mpi.tag 2
let functions : (int -> int) Mpi.tag = Mpi.tag 3
let others w = List.filter (( <> ) (Mpi.rank w)) (List.init (Mpi.size w) Fun.id)

let raises what f expected =
  match f () with
  | _ -> raise (Wrong (what ^ ": nothing raised"))
  | exception e -> ensure (what ^ ": " ^ Printexc.to_string e) (expected e)

(* {1 Messages} *)

(* Each rank sends to every rank, in order, and receives the messages of every
   rank in the order of sending. *)
let order w =
  let each = 200 in
  let sending =
    Dromos.async (fun () ->
        for i = 1 to each do
          List.iter (fun to_ -> Mpi.send w numbers ~to_ i) (others w)
        done)
  in
  let receive from () =
    for i = 1 to each do
      int "in order" i (Mpi.recv w numbers ~from)
    done
  in
  ignore (Dromos.all (List.map receive (others w)) : unit list);
  Dromos.await sending

(* From the smallest size to sizes that MPI does not send ahead of the
   receiver. *)
let sizes w =
  List.iter
    (fun size ->
      let text = String.init size (fun i -> Char.chr (i land 255)) in
      let to_ = (Mpi.rank w + 1) mod Mpi.size w in
      let sent = Mpi.isend w texts ~to_ text in
      let from, got = Mpi.recv_any w texts in
      int "from" ((Mpi.rank w + Mpi.size w - 1) mod Mpi.size w) from;
      ensure (Printf.sprintf "%d bytes" size) (String.equal text got);
      Dromos.await sent;
      Mpi.barrier w)
    [ 0; 1; 1000; 4096; 65_536; 1_000_000; 20_000_000 ]

let itself w =
  let sent = Mpi.isend w texts ~to_:(Mpi.rank w) "to myself" in
  equal "to itself" Fun.id "to myself" (Mpi.recv w texts ~from:(Mpi.rank w));
  Dromos.await sent

let closures w =
  let k = Mpi.rank w in
  List.iter (fun to_ -> Mpi.send w functions ~to_ (fun i -> i + k)) (others w);
  List.iter
    (fun from -> int "closure" (100 + from) ((Mpi.recv w functions ~from) 100))
    (others w)

let many w =
  let each = 20_000 in
  if Mpi.rank w = 0 then begin
    let sum = ref 0 in
    for _ = 1 to each * (Mpi.size w - 1) do
      sum := !sum + snd (Mpi.recv_any w numbers)
    done;
    int "sum" (each * (each + 1) / 2 * (Mpi.size w - 1)) !sum
  end
  else
    for i = 1 to each do
      Mpi.send w numbers ~to_:0 i
    done

(* {1 Waits} *)

let cancelled w =
  if Mpi.rank w = 0 then begin
    for _ = 1 to 50 do
      raises "late"
        (fun () -> Mpi.recv w numbers ~timeout:0.001 ~from:1)
        (( = ) Event.Timeout);
      match
        Dromos.timeout 0.001 (fun () ->
            ignore (Mpi.recv w numbers ~from:1 : int))
      with
      | () -> raise (Wrong "a message out of nothing")
      | exception Dromos.Timeout -> ()
    done;
    Mpi.send w texts ~to_:1 "now";
    for i = 1 to 100 do
      int "nothing is lost" i (Mpi.recv w numbers ~from:1)
    done
  end
  else if Mpi.rank w = 1 then begin
    ignore (Mpi.recv w texts ~from:0 : string);
    for i = 1 to 100 do
      Mpi.send w numbers ~to_:0 i
    done
  end

(* Receivers that leave while messages come: each message is received once. *)
let leaving w =
  let each = 2000 in
  if Mpi.rank w > 0 then
    for i = 1 to each do
      Mpi.send w numbers ~to_:0 i
    done
  else begin
    let left = Atomic.make (each * (Mpi.size w - 1)) in
    let sum = Atomic.make 0 in
    let took v =
      ignore (Atomic.fetch_and_add sum v : int);
      Atomic.decr left
    in
    let impatient i () =
      while Atomic.get left > 0 do
        match
          Event.select
            [
              Event.wrap (Mpi.recv_event w numbers) (fun (_, v) -> Some v);
              Event.wrap
                (Event.timeout (0.00005 *. float (1 + (i mod 5))))
                (fun () -> None);
            ]
        with
        | Some v -> took v
        | None -> Dromos.yield ()
      done
    in
    ignore (Dromos.all (List.init 8 impatient) : unit list);
    int "all once" (each * (each + 1) / 2 * (Mpi.size w - 1)) (Atomic.get sum)
  end

let chosen w =
  if Mpi.rank w = 0 then begin
    let seen = Array.make (Mpi.size w) 0 in
    for _ = 1 to 100 * (Mpi.size w - 1) do
      let from, v =
        Event.select
          (List.map (fun from -> Mpi.recv_event ~from w numbers) (others w))
      in
      seen.(from) <- seen.(from) + 1;
      int "in the sender's order" seen.(from) v
    done
  end
  else
    for i = 1 to 100 do
      Mpi.send w numbers ~to_:0 i
    done

let probed w =
  if Mpi.rank w = 0 then begin
    ensure "nothing yet" (Mpi.probe w numbers = None);
    Mpi.barrier w;
    let rec look () =
      match Mpi.probe w numbers with
      | Some (from, bytes) ->
          int "from" 1 from;
          ensure "bytes" (bytes > 0)
      | None ->
          Dromos.sleep 0.001;
          look ()
    in
    look ();
    look ();
    int "still there" 42 (Mpi.recv w numbers ~from:1)
  end
  else begin
    Mpi.barrier w;
    if Mpi.rank w = 1 then Mpi.send w numbers ~to_:0 42
  end

(* The workers continue while tasks wait: more tasks wait than there are
   workers. *)
let crowd w =
  let n = 300 in
  let ring i () =
    let tag : int Mpi.tag = Mpi.tag (1000 + i) in
    let next = (Mpi.rank w + 1) mod Mpi.size w in
    let before = (Mpi.rank w + Mpi.size w - 1) mod Mpi.size w in
    if Mpi.rank w = 0 then begin
      Mpi.send w tag ~to_:next i;
      Mpi.recv w tag ~from:before
    end
    else begin
      let v = Mpi.recv w tag ~from:before in
      Mpi.send w tag ~to_:next (v + 1);
      v
    end
  in
  let got = Dromos.all (List.init n ring) in
  List.iteri
    (fun i v ->
      int "went round"
        (if Mpi.rank w = 0 then i + Mpi.size w - 1 else i + Mpi.rank w - 1)
        v)
    got

(* {1 Collective operations} *)

let collective w =
  let me = Mpi.rank w and n = Mpi.size w in
  for root = 0 to n - 1 do
    let text = Mpi.broadcast w ~root (fun () -> Printf.sprintf "of %d" me) in
    equal "broadcast" Fun.id (Printf.sprintf "of %d" root) text;
    (match Mpi.gather w ~root (me * me) with
    | Some squares ->
        int "root" root me;
        ensure "gather" (squares = Array.init n (fun i -> i * i))
    | None -> ensure "not the root" (me <> root));
    int "scatter" (me + 10)
      (Mpi.scatter w ~root (fun () -> Array.init n (( + ) 10)));
    match Mpi.reduce w ~root ( ^ ) (string_of_int me) with
    | Some text ->
        equal "reduce" Fun.id
          (String.concat "" (List.init n string_of_int))
          text
    | None -> ensure "not the root" (me <> root)
  done;
  ensure "all_gather" (Mpi.all_gather w (-me) = Array.init n ( ~- ));
  ensure "all_to_all"
    (Mpi.all_to_all w (Array.init n (fun i -> (me, i)))
    = Array.init n (fun i -> (i, me)));
  equal "all_reduce" (String.concat ",")
    (List.init n string_of_int)
    (Mpi.all_reduce w ( @ ) [ string_of_int me ]);
  for i = 1 to 500 do
    int "sum" (n * i) (Mpi.all_reduce w ( + ) i)
  done

let long_broadcast w =
  let text = Mpi.broadcast w ~root:0 (fun () -> String.make 30_000_000 'x') in
  int "length" 30_000_000 (String.length text)

(* Messages short for all ranks, long for one rank, and long for all. *)
let unequal w =
  List.iter
    (fun length ->
      let text rank = String.make (length rank) (Char.chr (97 + rank)) in
      ensure "all gather"
        (Mpi.all_gather w (text (Mpi.rank w)) = Array.init (Mpi.size w) text))
    [
      (fun rank -> rank);
      (fun rank -> if rank = Mpi.size w - 1 then 100_000 else 0);
      (fun rank -> 1_000_000 / (rank + 1));
    ]

let groups w =
  let me = Mpi.rank w in
  let mine = Option.get (Mpi.split w (Some (me mod 2))) in
  int "size" ((Mpi.size w + 1 - (me mod 2)) / 2) (Mpi.size mine);
  int "rank" (me / 2) (Mpi.rank mine);
  ignore (Mpi.all_reduce mine ( + ) 1 : int);
  ensure "none" (Mpi.split w (if me = 0 then None else Some 0) = None = (me = 0));
  let apart = Mpi.duplicate w in
  int "here" (Mpi.size w) (Mpi.size (Mpi.here w));
  (* Equal tags and operations, in two groups at once. *)
  let in_group g k () =
    for i = 1 to 100 do
      int "sum" (Mpi.size w * (k + i)) (Mpi.all_reduce g ( + ) (k + i))
    done
  in
  ignore (Dromos.both (in_group w 0) (in_group apart 1000) : unit * unit)

(* A group is freed just after a task has left its wait; messages for the group
   do not reach the next group. *)
let freed w =
  for i = 1 to 200 do
    let g = Mpi.duplicate w in
    if Mpi.rank w > 0 then Mpi.send g numbers ~to_:0 i
    else begin
      match Mpi.recv_any g numbers ~timeout:(float (i mod 30) *. 1e-6) with
      | (_ : int * int) -> ()
      | exception Event.Timeout -> ()
    end;
    Mpi.barrier w;
    Mpi.free g;
    let next = Mpi.duplicate w in
    if Mpi.rank w = 0 then
      raises "nothing of the last group"
        (fun () -> Mpi.recv_any next numbers ~timeout:0.0005)
        (( = ) Event.Timeout);
    Mpi.free next
  done;
  (* The world stays: MPI refuses to free it. *)
  raises "the world"
    (fun () -> Mpi.free w)
    (function Mpi.Error _ -> true | _ -> false);
  let pair = Option.get (Mpi.split w (Some (Mpi.rank w / 2))) in
  ignore (Mpi.all_reduce pair ( + ) 1 : int);
  order w

(* {1 Bigarrays} *)

let floats n f = Bigarray.(Array1.init float64 c_layout n f)
let room n = floats n (fun _ -> nan)

let same what wanted got =
  for i = 0 to Bigarray.Array1.dim wanted - 1 do
    if wanted.{i} <> got.{i} then
      raise (Wrong (Printf.sprintf "%s: at %d" what i))
  done

let arrays w =
  let me = Mpi.rank w and n = Mpi.size w in
  List.iter
    (fun length ->
      let mine = floats length (fun i -> float (i + me)) in
      let got = room length in
      let to_ = (me + 1) mod n and before = (me + n - 1) mod n in
      let sent = Data.isend w ~tag:5 ~to_ mine in
      let from, count = Data.recv w ~tag:5 got in
      int "from" before from;
      int "count" length count;
      same "received" (floats length (fun i -> float (i + before))) got;
      Dromos.await sent)
    [ 0; 1; 1000; 1_000_000 ];
  let four = floats 4 (fun i -> float ((10 * me) + i)) in
  let all = floats (4 * n) (fun i -> float ((10 * (i / 4)) + (i mod 4))) in
  let got = room (4 * n) in
  Data.all_gather w four got;
  same "all_gather" all got;
  for root = 0 to n - 1 do
    let got = room (if me = root then 4 * n else 0) in
    Data.gather w ~root four got;
    if me = root then same "gather" all got;
    let part = room 4 in
    Data.scatter w ~root all part;
    same "scatter" four part;
    let copy = if me = root then floats 9 float else room 9 in
    Data.broadcast w ~root copy;
    same "broadcast" (floats 9 float) copy;
    let most = room 4 in
    Data.reduce w ~root Greatest four most;
    if me = root then
      same "reduce" (floats 4 (fun i -> float ((10 * (n - 1)) + i))) most
  done;
  let sum = room 4 in
  Data.all_reduce w Sum four sum;
  same "all_reduce"
    (floats 4 (fun i -> float ((10 * (n * (n - 1) / 2)) + (n * i))))
    sum;
  let exchanged = room (2 * n) in
  Data.all_to_all w (floats (2 * n) (fun i -> float ((100 * me) + i))) exchanged;
  same "all_to_all"
    (floats (2 * n) (fun i -> float ((100 * (i / 2)) + (2 * me) + (i mod 2))))
    exchanged;
  let ints = Bigarray.(Array1.init int c_layout 3 (fun i -> i - me)) in
  let least = Bigarray.(Array1.create int c_layout 3) in
  Data.all_reduce w Least ints least;
  for i = 0 to 2 do
    int "least" (i - n + 1) least.{i}
  done

(* {1 Long and many: not in the suite; `mpirun -n 2 ./ranks.exe gigabyte` and so on} *)

let gigabyte w =
  let n = 1 lsl 30 in
  let from = (Mpi.rank w + Mpi.size w - 1) mod Mpi.size w in
  let to_ = (Mpi.rank w + 1) mod Mpi.size w in
  let sent = Mpi.isend w texts ~to_ (String.make n (Char.chr (Mpi.rank w))) in
  let text = Mpi.recv w texts ~from in
  int "length" n (String.length text);
  ensure "first and last"
    (text.[0] = Char.chr from && text.[n - 1] = Char.chr from);
  Dromos.await sent

(* More bytes than a C int can count. *)
let giant w =
  let n = (1 lsl 31) + 12_345 in
  let bytes fill =
    let a = Bigarray.(Array1.create char c_layout n) in
    Bigarray.Array1.fill a fill;
    a
  in
  if Mpi.rank w = 0 then begin
    let a = bytes 'a' in
    a.{n - 1} <- 'z';
    Data.send w ~tag:1 ~to_:1 a
  end
  else if Mpi.rank w = 1 then begin
    let a = bytes ' ' in
    int "count" n (snd (Data.recv w ~from:0 ~tag:1 a));
    ensure "bytes" (a.{0} = 'a' && a.{n - 2} = 'a' && a.{n - 1} = 'z')
  end

let million w =
  let n = 1_000_000 in
  let a = Bigarray.(Array1.create int64 c_layout 1) in
  let began = Unix.gettimeofday () in
  if Mpi.rank w = 0 then
    for i = 1 to n do
      a.{0} <- Int64.of_int i;
      Data.send w ~tag:1 ~to_:1 a
    done
  else if Mpi.rank w = 1 then begin
    for i = 1 to n do
      ignore (Data.recv w ~from:0 ~tag:1 a : int * int);
      int "in order" i (Int64.to_int a.{0})
    done;
    Printf.printf "%.2f us a message\n"
      ((Unix.gettimeofday () -. began) /. float n *. 1e6)
  end

let refused w =
  let me = Mpi.rank w in
  let invalid = function Invalid_argument _ -> true | _ -> false in
  raises "rank" (fun () -> Mpi.send w numbers ~to_:(Mpi.size w) 1) invalid;
  raises "rank" (fun () -> Mpi.recv w numbers ~from:(-1)) invalid;
  raises "tag" (fun () -> Mpi.tag 40000) invalid;
  raises "tag of data"
    (fun () -> Data.send w ~tag:(-1) ~to_:me (room 1))
    invalid;
  raises "lengths"
    (fun () -> Data.all_gather w (room 2) (room 2))
    (fun e -> Mpi.size w = 1 || invalid e);
  raises "again" (fun () -> Mpi.with_world ignore) invalid;
  raises "functional" (fun () -> Mpi.send w (Mpi.tag 9) ~to_:me stdin) invalid;
  let sent = Data.isend w ~tag:6 ~to_:me (room 10) in
  raises "too long"
    (fun () -> Data.recv w ~tag:6 (room 9))
    (( = ) (Mpi.Too_long { room = 72; length = 80; from = me }));
  Dromos.await sent

(* {1 Outside any run} *)

let threads w =
  let me = Mpi.rank w in
  let exchange i =
    Thread.create
      (fun () ->
        let tag : int Mpi.tag = Mpi.tag (100 + i) in
        List.iter (fun to_ -> Mpi.send w tag ~to_ (me + i)) (others w);
        List.iter
          (fun from -> int "thread" (from + i) (Mpi.recv w tag ~from))
          (others w))
      ()
  in
  List.iter Thread.join (List.init 4 exchange)

(* {1 Loops} *)

module Par = Mpi.Par
module Ivar = Dromos_sync.Ivar

let loops w =
  let me = Mpi.rank w in
  List.iter
    (fun n ->
      let hits = Array.init n (fun _ -> Atomic.make 0) in
      Par.for_ w n (fun i -> Atomic.incr hits.(i));
      let all =
        Mpi.all_reduce w (Array.map2 ( + )) (Array.map Atomic.get hits)
      in
      ensure (Printf.sprintf "each of %d once" n) (Array.for_all (( = ) 1) all);
      equal "in order" Fun.id
        (String.concat ""
           ("<" :: List.init n (fun i -> string_of_int (i mod 10))))
        (Par.map_reduce w
           ~map:(fun i -> string_of_int (i mod 10))
           ~combine:( ^ ) ~init:"<" n);
      ensure "init"
        (Par.init w n (fun i -> i * i) = Array.init n (fun i -> i * i));
      ensure "map"
        (Par.map ~chunk:7 w float (Array.init n Fun.id) = Array.init n float))
    [ 0; 1; 2; 3; 100; 5000 ];
  (* All the work is in a single rank's part: the remaining ranks steal from
     there. *)
  let n = 400 in
  let here = Atomic.make 0 in
  Par.for_ w n (fun i ->
      if i < n / Mpi.size w then begin
        Atomic.incr here;
        Dromos.sleep 0.002
      end);
  int "each once" (n / Mpi.size w) (Mpi.all_reduce w ( + ) (Atomic.get here));
  Printf.printf "rank %d ran %d of %d slow ones\n" me (Atomic.get here)
    (n / Mpi.size w)

(* Rank 0 reports all indices, in growing numbers; a failure of [progress] comes
   after the loop. *)
let progress w =
  let n = 300 in
  let told = ref [] in
  let slow i =
    Dromos.sleep 0.002;
    i
  in
  let sum =
    Par.map_reduce w
      ~progress:(fun n -> told := n :: !told)
      ~map:slow ~combine:( + ) ~init:0 n
  in
  int "sum" (n * (n - 1) / 2) sum;
  if Mpi.rank w > 0 then ensure "rank 0 alone is told" (!told = [])
  else begin
    int "all" n (List.hd !told);
    ensure "growing" (List.sort_uniq Int.compare !told = List.rev !told);
    ensure "more than once" (List.length !told > 1)
  end;
  let here = Atomic.make 0 in
  raises "progress"
    (fun () ->
      Par.for_ w ~progress:(fun _ -> raise Exit) n (fun _ -> Atomic.incr here))
    (function
      | Par.Failed { rank = 0; index; error = "Stdlib.Exit"; _ } -> index = n
      | _ -> false);
  int "all the same" n (Mpi.all_reduce w ( + ) (Atomic.get here))

let chunks w =
  let n = 100_000 in
  int "sum"
    (n * (n - 1) / 2)
    (Par.map_reduce w ~map:Fun.id ~combine:( + ) ~init:0 n)

exception Odd of int

let leftmost w =
  let failing bad () =
    Par.for_ w 2000 (fun i -> if List.mem i bad then raise (Odd i))
  in
  List.iter
    (fun bad ->
      let least = List.fold_left Int.min max_int bad in
      raises "for_" (failing bad) (function
        | Par.Failed { index; error; backtrace; _ } ->
            index = least
            && String.ends_with error ~suffix:(Printf.sprintf "Odd(%d)" least)
            && String.length backtrace > 0
        | _ -> false))
    [
      [ 0 ];
      [ 1999 ];
      [ 1500; 700; 701 ];
      [ 1999; 0; 1000 ];
      List.init 2000 Fun.id;
      [ 999; 1000 ];
    ];
  raises "negative"
    (fun () -> Par.for_ w (-1) ignore)
    (function Invalid_argument _ -> true | _ -> false);
  (* The group works afterwards. *)
  loops w

(* If a function raises on one rank, all ranks learn of the exception, and the
   group works afterwards. *)
let broken w =
  let last = Mpi.size w - 1 in
  let me = Mpi.rank w in
  let told = function
    | Mpi.Failed { rank; error; _ } -> rank = last && error = "Failure(\"no\")"
    | e -> me = last && e = Failure "no"
  in
  let no () = if me = last then failwith "no" else me in
  raises "broadcast" (fun () -> Mpi.broadcast w ~root:last no) told;
  raises "scatter"
    (fun () -> Mpi.scatter w ~root:last (fun () -> [| no () |]))
    told;
  if Mpi.size w > 1 then begin
    raises "scatter, too few"
      (fun () -> Mpi.scatter w ~root:0 (fun () -> [||]))
      (function
        | Invalid_argument _ -> me = 0
        | Mpi.Failed { rank = 0; _ } -> me > 0
        | _ -> false);
    (* Rank 0 combines the values of the first two ranks. *)
    let f a b = if a = 0 && b = 1 then failwith "no" else a + b in
    raises "all_reduce"
      (fun () -> Mpi.all_reduce w f me)
      (function
        | Mpi.Failed { rank = 0; _ } -> me > 0
        | Failure no -> me = 0 && no = "no"
        | _ -> false)
  end;
  int "the group goes on" (Mpi.size w) (Mpi.all_reduce w ( + ) 1)

(* A rank gives a loop up: all ranks leave the loop, and the next loops work. *)
let given_up w =
  let slow _ = Dromos.sleep 0.01 in
  raises "given up"
    (fun () ->
      let loop () = Par.for_ w 100_000 slow in
      if Mpi.rank w = 0 then Dromos.timeout 0.05 loop else loop ())
    (function
      | Dromos.Timeout -> Mpi.rank w = 0
      | Par.Failed { rank = 0; index = -1; _ } -> Mpi.rank w > 0
      | _ -> false);
  loops w

(* Loops of several groups at once, begun in different orders by different
   ranks; every rank has fewer workers than groups. *)
let several w =
  let groups = List.init 4 (fun _ -> Mpi.duplicate w) in
  let loop g () =
    int "sum" 4950 (Par.map_reduce g ~map:Fun.id ~combine:( + ) ~init:0 100)
  in
  let mine = if Mpi.rank w mod 2 = 0 then groups else List.rev groups in
  ignore (Dromos.all (List.map loop mine) : unit list);
  let waiting =
    Dromos.async (fun () -> Mpi.recv_any (List.hd groups) numbers)
  in
  Dromos.sleep 0.01;
  raises "freed while a task waits"
    (fun () -> Mpi.free (List.hd groups))
    (function Invalid_argument _ -> true | _ -> false);
  Mpi.send (List.hd groups) numbers ~to_:(Mpi.rank w) 1;
  ignore (Dromos.await waiting : int * int);
  Mpi.barrier w;
  List.iter Mpi.free groups

(* No rank receives the message: the launcher has to end the program. *)
let unreceived w =
  if Mpi.rank w = 0 then
    ignore
      (Mpi.isend w texts ~to_:1 (String.make 10_000_000 'x')
        : unit Dromos.Promise.t)

(* After a failure no rank begins a greater index, even inside its present
   piece. *)
let early w =
  let n = 100_000 and begun = Atomic.make 0 in
  let f i =
    if i = 0 then begin
      Unix.sleepf 0.05;
      failwith "early"
    end;
    Atomic.incr begun;
    Unix.sleepf 0.001;
    i
  in
  let ends_early what loop =
    Atomic.set begun 0;
    raises what loop (function
      | Par.Failed { index = 0; _ } -> true
      | _ -> false);
    ensure
      (what ^ " begins few indices")
      (Mpi.all_reduce w ( + ) (Atomic.get begun) < n / 5)
  in
  ends_early "for_" (fun () -> Par.for_ w n (fun i -> ignore (f i : int)));
  ends_early "init" (fun () -> ignore (Par.init w n f : int array));
  ends_early "map_reduce" (fun () ->
      ignore (Par.map_reduce w ~map:f ~combine:( + ) ~init:0 n : int));
  raises "all integers"
    (fun () -> Par.for_ w max_int (fun i -> if i = 10 then failwith "ten"))
    (function Par.Failed { index = 10; _ } -> true | _ -> false)

(* Rank 0 stands still until another rank has run an index of rank 0's part. *)
let lame w =
  let n = 1000 in
  let theirs = n / Mpi.size w in
  let told = Atomic.make false and moving = Ivar.create () in
  let news : unit Mpi.tag = Mpi.tag 7 in
  let f i =
    if Mpi.rank w > 0 then begin
      if i < theirs && not (Atomic.exchange told true) then
        Mpi.send w news ~to_:0 ()
    end
    else Ivar.read moving;
    i
  in
  let first =
    Dromos.async (fun () ->
        if Mpi.rank w = 0 then Ivar.fill moving (snd (Mpi.recv_any w news)))
  in
  int "sum" (n * (n - 1) / 2) (Par.map_reduce w ~map:f ~combine:( + ) ~init:0 n);
  Dromos.await first;
  let told = Mpi.all_gather w (Atomic.get told) in
  let messages = Array.fold_left (fun n b -> n + Bool.to_int b) 0 told in
  ensure "others ran rank 0's indices" (messages > 0);
  if Mpi.rank w = 0 then
    for _ = 2 to messages do
      ignore (Mpi.recv_any w news : int * unit)
    done

let within w =
  let table =
    Par.init w 50 (fun i ->
        Dromos.Par.map_reduce 0 1000
          ~map:(fun j -> i * j)
          ~combine:( + ) ~init:0)
  in
  ensure "nested" (table = Array.init 50 (fun i -> i * 499_500))

(* {1 Faults} *)

let raising w =
  if Mpi.rank w = 1 then failwith "no more ideas"
  else ignore (Mpi.recv w numbers ~from:1 : int)

let exiting w =
  if Mpi.rank w = 1 then exit 0 else ignore (Mpi.recv w numbers ~from:1 : int)

let killed w =
  if Mpi.rank w = 1 then Unix.kill (Unix.getpid ()) Sys.sigkill;
  ignore (Mpi.recv w numbers ~from:1 : int)

let no_memory w =
  if Mpi.rank w = 1 then raise Out_of_memory
  else ignore (Mpi.recv w numbers ~from:1 : int)

let idle _ = Dromos.sleep 2.

(* The processor time of a second in which one task waits for a message. *)
let cheap w =
  if Mpi.rank w = 0 then begin
    let used () =
      let t = Unix.times () in
      t.tms_utime +. t.tms_stime
    in
    let got = Dromos.async (fun () -> Mpi.recv w numbers ~from:1) in
    Dromos.sleep 0.5;
    let before = used () in
    Dromos.sleep 2.;
    Printf.printf "used %.4f\n" ((used () -. before) /. 2.);
    Mpi.send w numbers ~to_:1 1;
    int "got" 2 (Dromos.await got)
  end
  else if Mpi.rank w = 1 then
    Mpi.send w numbers ~to_:0 (1 + Mpi.recv w numbers ~from:0)

let scenarios =
  [
    ("order", order);
    ("sizes", sizes);
    ("itself", itself);
    ("closures", closures);
    ("many", many);
    ("cancelled", cancelled);
    ("leaving", leaving);
    ("chosen", chosen);
    ("probed", probed);
    ("crowd", crowd);
    ("collective", collective);
    ("long_broadcast", long_broadcast);
    ("unequal", unequal);
    ("groups", groups);
    ("freed", freed);
    ("arrays", arrays);
    ("gigabyte", gigabyte);
    ("giant", giant);
    ("million", million);
    ("refused", refused);
    ("loops", loops);
    ("chunks", chunks);
    ("progress", progress);
    ("leftmost", leftmost);
    ("early", early);
    ("broken", broken);
    ("given_up", given_up);
    ("several", several);
    ("unreceived", unreceived);
    ("within", within);
    ("lame", lame);
    ("raising", raising);
    ("exiting", exiting);
    ("killed", killed);
    ("no_memory", no_memory);
    ("idle", idle);
    ("cheap", cheap);
  ]

let () =
  Printexc.record_backtrace true;
  let finish w = if Mpi.rank w = 0 then print_endline "right" in
  match Sys.argv.(1) with
  | "threads" ->
      Mpi.with_world (fun w ->
          threads w;
          finish w)
  | name ->
      Mpi.run ~workers:2 (fun w ->
          List.assoc name scenarios w;
          finish w)
