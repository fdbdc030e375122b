open Dromos_policy_core
open Dromos_policy_semantics

let sprintf = Printf.sprintf

type t = {
  policy : Core.policy;
  machine : Machine.t;
  state : Machine.state;
  cores : int;
  threads : int;
  to_ : out_channel;
  from : in_channel;
  pid : int;
  mutable line : string; (* the last state printed by the program *)
  mutable drawn : int;
  asleep : bool array;
  ended : bool array;
}

(* {1 The program} *)

let change = ref Fun.id

let temporary suffix =
  let file = Filename.temp_file "dromos" suffix in
  at_exit (fun () -> try Sys.remove file with Sys_error _ -> ());
  file

let build ?(driver = "driver.c") ~name policy =
  let text =
    !change
      (Dromos_policy_kernel.Sched_ext.compile ~threads:64 ~source:name policy)
  in
  let c = temporary ".bpf.c" and program = temporary ".exe" in
  Out_channel.with_open_text c (fun out -> output_string out text);
  let command =
    sprintf "cc -O1 -w -I stubs -DPOLICY='\"%s\"' %s -o %s" c driver program
  in
  if Sys.command command <> 0 then
    failwith (name ^ ": the C compiler refuses it");
  program

let say t format =
  Printf.ksprintf (fun text -> output_string t.to_ (text ^ "\n")) format

let listen t =
  flush t.to_;
  t.line <-
    (match In_channel.input_line t.from with
    | Some line -> line
    | None -> "wrong: it ended")

let bits = List.fold_left (fun set c -> set lor (1 lsl c)) 0

let tell_topology t (topology : Topology.t) =
  say t "%d" (Array.length topology.groups);
  Array.iter
    (fun (g : Topology.group) -> say t "%d" (bits g.group_cores))
    topology.groups;
  say t "%d" (Array.length topology.domains);
  Array.iter
    (fun (d : Topology.domain) ->
      say t "%d %d" (bits d.domain_cores) (bits d.domain_groups))
    topology.domains

let run ?waker t event ~self ~target =
  let draw n = t.drawn mod n in
  ignore
    (Machine.run ~draw ?waker t.machine t.state event ~self ~target
      : Machine.report)

let has t = Machine.has t.machine
let run_if t event ~self = if has t event then run t event ~self ~target:self

(* The policy of the kernel's machine. *)
let allowed policy =
  match Dromos_policy_kernel_machine.Allowed.policy policy with
  | Ok policy -> policy
  | Error (_, why) -> failwith why

let start ~topology ~threads policy program =
  let cores = topology.Topology.cores in
  let machine = Machine.create ~threads topology (allowed policy) in
  let for_program, to_ = Unix.pipe ~cloexec:true () in
  let from, by_program = Unix.pipe ~cloexec:true () in
  let pid =
    Unix.create_process program [| program |] for_program by_program Unix.stderr
  in
  Unix.close for_program;
  Unix.close by_program;
  let t =
    {
      policy;
      machine;
      state = Machine.initial machine;
      cores;
      threads;
      to_ = Unix.out_channel_of_descr to_;
      from = Unix.in_channel_of_descr from;
      pid;
      line = "";
      drawn = 0;
      asleep = Array.make cores false;
      ended = Array.make threads false;
    }
  in
  say t "%d %d" cores threads;
  tell_topology t topology;
  listen t;
  List.iter (fun self -> run_if t Entry ~self) (List.init cores Fun.id);
  t

let stop t =
  close_out t.to_;
  close_in t.from;
  ignore (Unix.waitpid [] t.pid : int * Unix.process_status)

(* {1 Attributes}, as the program numbers them *)

let is_word (a : Core.attribute) =
  (not a.is_lazy)
  &&
  match a.ty with
  | Threads | Cores | Groups | Domains -> false
  | Int | Bool | Enum _ | Thread | Core | Group | Domain -> true

let owners = [ Core.Of_thread; Of_core; Of_group; Of_domain; Global ]

let number_of_owner owner =
  let rec find i = function
    | [] -> assert false
    | x :: rest -> if x = owner then i else find (i + 1) rest
  in
  find 0 owners

let owned t owner =
  List.filter
    (fun (a : Core.attribute) -> a.owner = owner && is_word a)
    (Array.to_list t.policy.attributes)

let instances t owner =
  let l = Machine.layout t.machine in
  match (owner : Core.owner) with
  | Of_thread -> t.threads
  | Of_core -> t.cores
  | Of_group -> Array.length l.topology.groups
  | Of_domain -> Array.length l.topology.domains
  | Global -> 1

(* {1 Comparing} *)

(* The expected values, each with its name. Attributes of type thread are not
   compared. *)
let expected t =
  let l = Machine.layout t.machine in
  let core c =
    let name what = sprintf "%s of core %d" what c in
    let n what value = (name what, Some (string_of_int value)) in
    [
      n "cload" t.state.(Layout.cload l c); n "count" t.state.(Layout.count l c);
    ]
    @ List.concat_map
        (fun (s : Core.state) ->
          if not (Query.runnable s) then []
          else
            n
              ("count of " ^ s.state_name)
              t.state.(Layout.count_in l c s.state_id)
            :: List.map
                 (fun thread ->
                   (name s.state_name, Some (sprintf "t%d" thread)))
                 (Look.queue t.machine t.state c s))
        (Array.to_list t.policy.states)
  in
  let words owner =
    List.concat_map
      (fun (a : Core.attribute) ->
        List.init (instances t owner) (fun i ->
            ( sprintf "%s of %d" a.name i,
              if a.ty = Thread || a.name = "cload" then None
              else Some (string_of_int (Look.attribute t.machine t.state a i))
            )))
      (owned t owner)
  in
  List.concat_map core (List.init t.cores Fun.id) @ List.concat_map words owners

let shown t = List.filter (( <> ) "") (String.split_on_char ' ' t.line)

let difference t =
  if String.starts_with ~prefix:"wrong" t.line then Some t.line
  else
    let rec compare expected shown =
      match (expected, shown) with
      | [], [] -> None
      | (_, None) :: expected, _ :: shown -> compare expected shown
      | (_, Some value) :: expected, seen :: shown when value = seen ->
          compare expected shown
      | (name, value) :: _, seen :: _ ->
          Some
            (sprintf "%s: %s, and in C %s" name
               (Option.value value ~default:"")
               seen)
      | _ -> Some "the program shows more, or less"
    in
    compare (expected t) (shown t)

(* The value of an attribute, as the program prints it. *)
let value_shown t (a : Core.attribute) i =
  let named = List.map2 (fun (name, _) seen -> (name, seen)) in
  let name = sprintf "%s of %d" a.name i in
  match named (expected t) (shown t) with
  | all -> int_of_string (List.assoc name all)
  | exception Invalid_argument _ -> 0

(* {1 The system} *)

let set t (a : Core.attribute) i v =
  Look.set_attribute t.machine t.state a i v;
  let rec position k = function
    | [] -> assert false
    | (b : Core.attribute) :: rest ->
        if b.id = a.id then k else position (k + 1) rest
  in
  say t "set %d %d %d %d" (number_of_owner a.owner) i
    (position 0 (owned t a.owner))
    v;
  if a.owner = Of_thread then
    match a.name with
    | "nice" -> say t "task %d 0 %d" i v
    | "weight" -> say t "task %d 1 %d" i v
    | "pid" -> say t "task %d 2 %d" i v
    | "tgid" -> say t "task %d 3 %d" i v
    | "kernel" -> say t "task %d 4 %d" i v
    | _ -> ()

(* Attributes by which the kernel finds a task: never set. *)
let fixed (a : Core.attribute) =
  a.owner = Of_thread && List.mem a.name [ "pid"; "sleep_time" ]

let set_system t draw =
  let said = Hashtbl.create 2 in
  List.iter
    (fun (a : Core.attribute) ->
      if
        a.system && is_word a && a.ty <> Thread && a.name <> "cload"
        && not (fixed a)
      then
        for i = 0 to instances t a.owner - 1 do
          let v =
            match a.ty with
            | Bool -> draw () land 1
            | Enum e -> draw () mod Array.length e.members
            | Core -> draw () mod t.cores
            | Group -> (draw () mod (instances t Of_group + 1)) - 1
            | Domain -> (draw () mod (instances t Of_domain + 1)) - 1
            | _ when a.name = "weight" -> draw ()
            | _ -> draw () - 4
          in
          if a.owner = Global then Hashtbl.replace said a.name v;
          set t a i v
        done)
    (Array.to_list t.policy.attributes);
  t.drawn <- draw ();
  let of_system name = Option.value (Hashtbl.find_opt said name) ~default:0 in
  say t "says %d %d %d" (of_system "now") (of_system "random") t.drawn;
  listen t

let tell_sleep t i =
  List.iter
    (fun (a : Core.attribute) ->
      if a.system && a.name = "sleep_time" then
        Look.set_attribute t.machine t.state a i (value_shown t a i))
    (owned t Of_thread)

(* Sets the cores on which a thread may run. The thread is in no queue. *)
let allow t i cores =
  let { Layout.policy; _ } = Machine.layout t.machine in
  let a = Option.get (Dromos_policy_kernel_machine.Allowed.attribute policy) in
  Look.set_attribute t.machine t.state a i cores;
  say t "allow %d %d" i cores;
  listen t

(* {1 Events} *)

let current t c = Look.current t.machine t.state c

let back t =
  if
    List.exists
      (fun (f : Core.func) -> f.func_name = "attach")
      t.policy.interface
  then Core.Attach
  else New

let comes t event i ~self ~selects =
  let name =
    match event with
    | Core.Unblock -> "unblock"
    | Attach -> "attach"
    | _ -> "new"
  in
  say t "%s %d %d %d" name i self (Bool.to_int selects);
  listen t;
  if event = Unblock then tell_sleep t i;
  let waker =
    if selects then Option.value (current t self) ~default:(-1) else -1
  in
  run ~waker t (if event = Attach then back t else event) ~self ~target:i

let wakes t self =
  if t.asleep.(self) && current t self <> None then begin
    t.asleep.(self) <- false;
    run_if t Exit_idle ~self
  end

(* Schedules as dispatch does. *)
let schedules t self =
  let schedule () =
    run t Schedule ~self ~target:self;
    wakes t self
  in
  schedule ();
  if current t self = None then begin
    run_if t Newly_idle ~self;
    schedule ()
  end;
  if current t self = None && not t.asleep.(self) then begin
    t.asleep.(self) <- true;
    run_if t Enter_idle ~self
  end

let schedule t self =
  say t "schedule %d" self;
  listen t;
  schedules t self

let stops t i event ~self =
  if has t event then run t event ~self ~target:i;
  if current t self = None then schedules t self

let tick t i ~self =
  say t "tick %d" self;
  listen t;
  stops t i Tick ~self

let yield t i ~self =
  say t "yield %d" self;
  listen t;
  stops t i Yield ~self

let block t i ~self =
  say t "block %d" self;
  listen t;
  run t Block ~self ~target:i

let terminate t i ~self =
  say t "terminate %d" self;
  listen t;
  t.ended.(i) <- true;
  run t (if has t Terminate then Terminate else Block) ~self ~target:i

let balancing t self =
  say t "balancing %d" self;
  listen t;
  if has t Balancing then
    if Machine.synchronized t.machine Balancing then
      run t Balancing ~self ~target:self
    else
      List.iter
        (fun self -> run t Balancing ~self ~target:self)
        (List.init t.cores Fun.id)

let possible t =
  let event name self f =
    [
      (fun () ->
        f ();
        sprintf "%s on %d" name self);
    ]
  in
  let of_thread self i =
    let named name = sprintf "%s of t%d" name i in
    let both what e =
      event (named what) self (fun () -> comes t e i ~self ~selects:true)
      @ event
          (named (what ^ " without a choice"))
          self
          (fun () -> comes t e i ~self ~selects:false)
    in
    if t.ended.(i) then []
    else
      match Look.place t.machine t.state i with
      | `New -> both "new" New @ both "attach" Attach
      | `At (_, { Core.state_class = Blocked; _ }) -> both "unblock" Unblock
      | _ -> []
  in
  let of_core self =
    event "balancing" self (fun () -> balancing t self)
    @
    match current t self with
    | None -> event "schedule" self (fun () -> schedule t self)
    | Some i ->
        let of_i name f =
          event (sprintf "%s of t%d" name i) self (fun () -> f t i ~self)
        in
        of_i "block" block @ of_i "yield" yield @ of_i "tick" tick
        @ of_i "tick" tick
        (* Only some threads end: otherwise none would be left after a while. *)
        @ if self = 0 && i mod 4 = 0 then of_i "end" terminate else []
  in
  List.concat_map
    (fun self ->
      of_core self
      @ List.concat_map (of_thread self) (List.init t.threads Fun.id))
    (List.init t.cores Fun.id)

let next chance t =
  let below n = Random.State.int chance n in
  (* Changes the cores of threads that wake up or are new, now and then to all
     cores. *)
  let allow_some i =
    match Look.place t.machine t.state i with
    | (`New | `At (_, { Core.state_class = Blocked; _ })) when below 6 = 0 ->
        let all = (1 lsl t.cores) - 1 in
        allow t i (if below 3 = 0 then all else 1 + below all)
    | _ -> ()
  in
  List.iter allow_some (List.init t.threads Fun.id);
  if below 15 = 0 then set_system t (fun () -> below 9);
  let all = possible t in
  (List.nth all (below (List.length all))) ()
