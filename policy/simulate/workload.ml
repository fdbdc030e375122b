type action =
  | Compute of float
  | Sleep of float
  | Barrier of int
  | Acquire of int
  | Release of int
  | Spawn of thread
  | Join
  | Yield
  | Detach
  | Withdraw of string

and thread = {
  name : string;
  attached : bool;
  settings : (string * int) list;
  actions : action Seq.t;
}

type t = {
  workload_name : string;
  described : string;
  barriers : (int * int) list;
  starts : (float * thread) list;
  most_threads : int;
}

(* {1 Random numbers}

   Each thread draws from a generator of its own, and the actions are
   remembered: a sequence must give the same actions at each traversal. *)

let generator seed i = Random.State.make [| seed; i |]
let about chance mean = mean *. (0.8 +. Random.State.float chance 0.4)
let exponential chance mean = -.mean *. log (1. -. Random.State.float chance 1.)

let repeat n f =
  Seq.memoize
    (Seq.concat_map (fun i -> List.to_seq (f i)) (Seq.take n (Seq.ints 0)))

let thread ?(settings = []) name actions =
  { name; attached = false; settings; actions }

let threads ~load ~cores =
  Int.max 1 (int_of_float (Float.round (load *. float cores)))

let sized length n = Int.max 1 (int_of_float (length *. float n))

(* {1 Workloads} *)

let nas ~load ~length ~seed ~cores =
  let n = threads ~load ~cores and rounds = sized length 40 in
  let worker i =
    let chance = generator seed i in
    thread (Printf.sprintf "nas%d" i)
      (repeat rounds (fun _ -> [ Compute (about chance 2000.); Barrier 0 ]))
  in
  let spawns =
    List.to_seq (List.init (n - 1) (fun i -> Spawn (worker (i + 1))))
  in
  let root =
    thread "nas"
      (Seq.append spawns (Seq.append (worker 0).actions (Seq.return Join)))
  in
  {
    workload_name = "nas";
    described =
      Printf.sprintf "%d threads, %d iterations of 2 ms between barriers" n
        rounds;
    barriers = [ (0, n) ];
    starts = [ (0., root) ];
    most_threads = n;
  }

(* A make that keeps [n] processes busy: [n] chains, each of which starts the
   next process and waits for its end. *)
let kbuild ~load ~length ~seed ~cores =
  let n = threads ~load ~cores and jobs = sized length 12 in
  let job i k =
    let chance = generator seed ((i * 10_000) + k) in
    thread
      (Printf.sprintf "cc%d.%d" i k)
      (repeat 4 (fun _ ->
           [
             Compute (exponential chance 1500.); Sleep (exponential chance 300.);
           ]))
  in
  let chain i =
    thread
      (Printf.sprintf "make%d" i)
      (repeat jobs (fun k -> [ Compute 50.; Spawn (job i k); Join ]))
  in
  let root =
    thread "make"
      (List.to_seq (List.init n (fun i -> Spawn (chain i)) @ [ Join ]))
  in
  {
    workload_name = "kbuild";
    described = Printf.sprintf "%d processes at a time, %d in all" n (n * jobs);
    barriers = [];
    starts = [ (0., root) ];
    most_threads = 1 + n + (n * jobs);
  }

let oltp ~load ~length ~seed ~cores =
  let n = threads ~load:(2. *. load) ~cores and rounds = sized length 200 in
  let locks = Int.max 1 (cores / 2) in
  let client i =
    let chance = generator seed i in
    thread
      (Printf.sprintf "client%d" i)
      (repeat rounds (fun _ ->
           let lock = Random.State.int chance locks in
           [
             Sleep (exponential chance 400.);
             Compute (exponential chance 150.);
             Acquire lock;
             Compute (exponential chance 20.);
             Release lock;
           ]))
  in
  {
    workload_name = "oltp";
    described =
      Printf.sprintf "%d clients, %d transactions each, %d locks" n rounds locks;
    barriers = [];
    starts = List.init n (fun i -> (float i *. 10., client i));
    most_threads = n;
  }

let burst ~load ~length ~seed ~cores =
  let n = threads ~load ~cores and rounds = sized length 50 in
  let period = 4000. in
  let one i =
    let chance = generator seed i in
    (* Work and sleep together last one period; a wait for the core comes on
       top. *)
    thread
      (Printf.sprintf "burst%d" i)
      (repeat rounds (fun _ ->
           let work = about chance 2500. in
           [ Compute work; Sleep (period -. work) ]))
  in
  {
    workload_name = "burst";
    described =
      Printf.sprintf "%d threads, each woken about every %.0f us, %d times" n
        period rounds;
    barriers = [];
    starts = List.init n (fun i -> (0., one i));
    most_threads = n;
  }

let mixed ~load ~length ~seed ~cores =
  let long = threads ~load ~cores and short = cores in
  let computing i =
    thread
      ~settings:[ ("interactive", 0) ]
      (Printf.sprintf "long%d" i)
      (repeat (sized length 10) (fun _ -> [ Compute 10_000. ]))
  and waking i =
    let chance = generator seed (1000 + i) in
    thread
      ~settings:[ ("interactive", 1) ]
      (Printf.sprintf "short%d" i)
      (repeat (sized length 100) (fun _ ->
           [
             Sleep (exponential chance 1000.); Compute (exponential chance 50.);
           ]))
  in
  {
    workload_name = "mixed";
    described =
      Printf.sprintf "%d threads that compute, %d that wake every ms" long short;
    barriers = [];
    starts =
      List.init long (fun i -> (0., computing i))
      @ List.init short (fun i -> (0., waking i));
    most_threads = long + short;
  }

let all =
  [
    ("nas", "iterations between barriers, as in the NAS benchmarks", nas);
    ("kbuild", "short processes that compute and wait for files", kbuild);
    ("oltp", "clients that think, and take locks for short", oltp);
    ("burst", "threads that are woken all at once", burst);
    ("mixed", "long computations beside threads that wake often", mixed);
  ]

let names = List.map (fun (name, text, _) -> (name, text)) all

(* The most threads. All threads are held at once, and each happening is kept
   for the figures. *)
let most_drawn = 10_000
let longest = 5_000_000.

(* The most actions of one thread, in the workloads above at length 1. *)
let actions_each = 1_000.

let synthetic ?(load = 1.) ?(length = 1.) ~seed ~cores name =
  let threads = load *. float cores in
  match List.find_opt (fun (n, _, _) -> n = name) all with
  | Some _ when threads > float most_drawn ->
      Error
        (Printf.sprintf
           "a load of %g makes %.0f threads on %d cores: %d are the most" load
           threads cores most_drawn)
  | Some _ when Float.max 1. threads *. length *. actions_each > longest ->
      Error
        (Printf.sprintf
           "%.0f threads are simulated for at most %g times the usual length, \
            not %g"
           threads
           (longest /. actions_each /. Float.max 1. threads)
           length)
  | Some (_, _, make) -> Ok (make ~load ~length ~seed ~cores)
  | None ->
      Error
        (Printf.sprintf
           "there is no workload `%s`: nas, kbuild, oltp, burst, mixed" name)

(* {1 Traces} *)

exception Bad of string

let bad format = Printf.ksprintf (fun text -> raise (Bad text)) format

let number at = function
  | `Int n -> float n
  | `Float x when Float.is_finite x && x >= 0. -> x
  | _ -> bad "%s: not a time" at

let index at = function
  | `Int n when n >= 0 -> n
  | _ -> bad "%s: not a number from 0 on" at

let time at json =
  let x = number at json in
  if x < 0. then bad "%s: a negative time" at else x

let rec action at : Yojson.Safe.t -> action = function
  | `List [ `String "compute"; x ] -> Compute (time at x)
  | `List [ `String "sleep"; x ] -> Sleep (time at x)
  | `List [ `String "barrier"; x ] -> Barrier (index at x)
  | `List [ `String "acquire"; x ] -> Acquire (index at x)
  | `List [ `String "release"; x ] -> Release (index at x)
  | `List [ `String "spawn"; x ] -> Spawn (snd (recorded at x))
  | `List [ `String "join" ] -> Join
  | `List [ `String "yield" ] -> Yield
  | `List [ `String "detach" ] -> Detach
  | `List [ `String "detach"; `String name ] -> Withdraw name
  | json -> bad "%s: %s is no action" at (Yojson.Safe.to_string json)

and recorded at : Yojson.Safe.t -> float * thread = function
  | `Assoc fields ->
      let field name = List.assoc_opt name fields in
      let name =
        match field "name" with
        | Some (`String name) -> name
        | None -> at
        | Some _ -> bad "%s: its name is no string" at
      in
      let settings =
        match field "settings" with
        | None -> []
        | Some (`Assoc all) ->
            List.map
              (function
                | key, `Int n -> (key, n)
                | key, _ -> bad "%s: setting %s is not a number" at key)
              all
        | Some _ -> bad "%s: its settings are no object" at
      in
      let actions =
        match field "actions" with
        | Some (`List all) ->
            List.mapi
              (fun i a -> action (Printf.sprintf "%s, action %d" at i) a)
              all
        | Some _ | None -> bad "%s: it has no list \"actions\"" at
      in
      let attached =
        match field "attach" with
        | None -> false
        | Some (`Bool yes) -> yes
        | Some _ -> bad "%s: \"attach\" is neither true nor false" at
      in
      let start = match field "start" with None -> 0. | Some x -> time at x in
      (start, { name; attached; settings; actions = List.to_seq actions })
  | _ -> bad "%s: not an object" at

let rec spawned thread =
  Seq.fold_left
    (fun n -> function Spawn t -> n + spawned t | _ -> n)
    1 thread.actions

let rec barriers_of counts thread =
  let mine = Hashtbl.create 8 in
  Seq.iter
    (function
      | Barrier b -> Hashtbl.replace mine b ()
      | Spawn t -> barriers_of counts t
      | _ -> ())
    thread.actions;
  Hashtbl.iter
    (fun b () ->
      let before = Option.value (Hashtbl.find_opt counts b) ~default:0 in
      Hashtbl.replace counts b (before + 1))
    mine

let of_json file json =
  match json with
  | `Assoc fields when List.mem_assoc "threads" fields -> (
      match List.assoc "threads" fields with
      | `List threads ->
          let starts =
            List.mapi
              (fun i t -> recorded (Printf.sprintf "thread %d" i) t)
              threads
          in
          let counts = Hashtbl.create 8 in
          List.iter (fun (_, t) -> barriers_of counts t) starts;
          let most_threads =
            List.fold_left (fun n (_, t) -> n + spawned t) 0 starts
          in
          if most_threads = 0 then bad "it has no thread";
          {
            workload_name = Filename.basename file;
            described = Printf.sprintf "%d recorded threads" most_threads;
            barriers = Hashtbl.fold (fun b n all -> (b, n) :: all) counts [];
            starts;
            most_threads;
          }
      | _ -> bad "\"threads\" is no list")
  | _ -> bad "it has no list \"threads\""

let of_file file =
  match of_json file (Yojson.Safe.from_file file) with
  | t -> Ok t
  | exception Bad text -> Error (Printf.sprintf "%s: %s" file text)
  | exception Yojson.Json_error text ->
      Error (Printf.sprintf "%s: not JSON: %s" file text)
  | exception Sys_error text -> Error text

let rec every f thread =
  f thread;
  Seq.iter (function Spawn t -> every f t | _ -> ()) thread.actions

let unheard (policy : Dromos_policy_core.Core.policy) t =
  let told =
    Array.to_list policy.attributes
    |> List.filter_map (fun (a : Dromos_policy_core.Core.attribute) ->
           if a.owner = Of_thread && a.system then Some a.name else None)
  in
  let found = ref [] in
  let look thread =
    List.iter
      (fun (name, _) ->
        if not (List.mem name told || List.mem_assoc name !found) then
          found := (name, thread.name) :: !found)
      thread.settings
  in
  List.iter (fun (_, thread) -> every look thread) t.starts;
  (List.rev !found, told)

let settings_fit (policy : Dromos_policy_core.Core.policy)
    (topology : Dromos_policy_semantics.Topology.t) t =
  let named (name, _) =
    Array.find_map
      (fun (a : Dromos_policy_core.Core.attribute) ->
        match a.ty with
        | _ when a.owner <> Of_thread || a.name <> name -> None
        | Core -> Some ("cores", topology.cores)
        | Group -> Some ("groups", Array.length topology.groups)
        | Domain -> Some ("domains", Array.length topology.domains)
        | _ -> None)
      policy.attributes
  in
  let setting thread ((name, n) as it) =
    match named it with
    | Some (what, most) when n < -1 || n >= most ->
        bad "%s: setting %s is %d, and the %s are 0 to %d; -1 is none"
          thread.name name n what (most - 1)
    | Some _ | None -> ()
  in
  let check thread = List.iter (setting thread) thread.settings in
  match List.iter (fun (_, thread) -> every check thread) t.starts with
  | () -> Ok ()
  | exception Bad text -> Error text
