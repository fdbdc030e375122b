(* Depth, large numbers, and many runs at once. *)

open With_run

let rec sum_left n =
  if n = 0 then 0
  else
    let a, b = Dromos.both (fun () -> sum_left (n - 1)) (fun () -> 1) in
    a + b

let rec sum_right n =
  if n = 0 then 0
  else
    let a, b = Dromos.both (fun () -> 1) (fun () -> sum_right (n - 1)) in
    a + b

let deep () =
  let depth = 1_000_000 in
  any (fun () -> equal "to the left" depth (sum_left depth));
  any (fun () -> equal "to the right" depth (sum_right depth))

let rec leaves ctx lo hi =
  if hi - lo = 1 then 1
  else
    let mid = (lo + hi) / 2 in
    let a, b =
      Dromos.Ctx.both ctx
        (fun ctx -> leaves ctx lo mid)
        (fun ctx -> leaves ctx mid hi)
    in
    a + b

let ten_million () =
  let n = 10_000_000 in
  any (fun () -> equal "forks" n (leaves (Dromos.Ctx.get ()) 0 n))

let many_asyncs () =
  any (fun () ->
      let total = ref 0 in
      times 10 (fun _ ->
          let tasks =
            List.init 100_000 (fun i -> Dromos.async (fun () -> i land 1))
          in
          total := List.fold_left (fun n p -> n + Dromos.await p) !total tasks);
      equal "asyncs" 500_000 !total)

(* No fiber awaits the tasks: the scope does. *)
let many_forgotten () =
  any (fun () ->
      let n = Atomic.make 0 in
      times 100_000 (fun _ ->
          ignore
            (Dromos.async (fun () -> Atomic.incr n) : unit Dromos.Promise.t));
      Dromos.Scope.run (fun s ->
          times 100_000 (fun _ -> Dromos.Scope.fork s (fun () -> Atomic.incr n)));
      ensure "the scope waited" (Atomic.get n >= 100_000))

let many_suspended () =
  any (fun () ->
      let p = Dromos.Promise.create () in
      let n = 100_000 in
      let waiting = Atomic.make 0 in
      let tasks =
        List.init n (fun i ->
            Dromos.async (fun () ->
                Atomic.incr waiting;
                Dromos.await p + i))
      in
      while Atomic.get waiting < n do
        Dromos.yield ()
      done;
      Dromos.Promise.resolve p 1;
      equal "sum"
        (n + (n * (n - 1) / 2))
        (List.fold_left (fun s q -> s + Dromos.await q) 0 tasks))

let wide () =
  any (fun () ->
      let n = 100_000 in
      let values = Dromos.all (List.init n (fun i () -> i)) in
      equal "all" (n * (n - 1) / 2) (List.fold_left ( + ) 0 values);
      ensure "in order" (List.for_all2 Int.equal values (List.init n Fun.id)))

(* {1 Runs at once} *)

let rec fib n =
  if n < 2 then n
  else
    let a, b = Dromos.both (fun () -> fib (n - 1)) (fun () -> fib (n - 2)) in
    a + b

let job k () =
  match k mod 3 with
  | 0 -> equal "fib" 6765 (fib 20)
  | 1 ->
      let tasks = List.init 100 (fun i -> Dromos.async (fun () -> fib 5 + i)) in
      equal "asyncs" (500 + 4950)
        (List.fold_left (fun n p -> n + Dromos.await p) 0 tasks)
  | _ -> (
      Dromos.sleep 0.0005;
      match Dromos.both (fun () -> fib 10) (fun () -> raise Exit) with
      | _ -> ensure "no exception" false
      | exception Exit -> ())

let most = 3

(* One caller: runs of up to [most] workers. [domains] never counts more than a
   single run of that size could use. *)
let caller rng () =
  times 20 (fun k ->
      let workers = 1 + Random.State.int rng most in
      let hub =
        List.nth Dromos.Hub.all
          (Random.State.int rng (List.length Dromos.Hub.all))
      in
      Dromos.run ~workers ~hub (fun () ->
          equal "workers" workers (Dromos.workers ());
          job k ();
          ensure "too many domains" ((Dromos.stats ()).domains < most)))

let failures = Atomic.make []

let guarded f () =
  try f ()
  with e -> Atomic.set failures (Printexc.to_string e :: Atomic.get failures)

let at_once () =
  (* Earlier runs may have used more domains. *)
  while (Dromos.stats ()).domains >= most do
    Dromos.run ignore;
    Thread.delay 0.02
  done;
  let rng () = Random.State.split Watch.chance in
  let threads =
    List.init 4 (fun _ -> Thread.create (guarded (caller (rng ()))) ())
  in
  let in_domain rng () =
    let thread = Thread.create (guarded (caller (Random.State.split rng))) () in
    guarded (caller rng) ();
    Thread.join thread
  in
  let domains =
    List.init 2 (fun _ ->
        let rng = rng () in
        Domain.spawn (in_domain rng))
  in
  List.iter Thread.join threads;
  List.iter Domain.join domains;
  match Atomic.get failures with [] -> () | text :: _ -> raise (Wrong text)

(* A run on a spawned domain leaves nothing that keeps the domain alive. *)
let in_domains () =
  times 10 (fun k ->
      Domain.join
        (Domain.spawn (fun () -> Dromos.run ~workers:2 (fun () -> job k ()))))

(* {1 Small leaks} *)

let count folder = Array.length (Sys.readdir folder)

let no_leaks () =
  if Sys.file_exists "/proc/self/task" then begin
    let once () =
      Thread.join
        (Thread.create
           (fun () ->
             Dromos.run ~workers:2 (fun () ->
                 let runs = Atomic.make false in
                 ignore
                   (Dromos.both
                      (fun () -> spin_until "the branch" runs)
                      (fun () -> Atomic.set runs true));
                 Dromos.blocking ignore))
           ())
    in
    times 3 (fun _ -> once ());
    let files = count "/proc/self/fd" and tasks = count "/proc/self/task" in
    times 50 (fun _ -> once ());
    let more what before now =
      if now > before + 12 then
        raise (Wrong (Printf.sprintf "%s: %d, then %d" what before now))
    in
    more "open files" files (count "/proc/self/fd");
    more "threads" tasks (count "/proc/self/task")
  end

let cases =
  [
    case "recursion a million deep" deep;
    case "ten million forks" ten_million;
    case "a million asyncs" many_asyncs;
    case "tasks that are not awaited" many_forgotten;
    case "100000 suspended fibers" many_suspended;
    case "all of 100000" wide;
    case "runs at once" at_once;
    case "runs in domains that end" in_domains;
    case "runs leave no threads or files behind" no_leaks;
  ]
