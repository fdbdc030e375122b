open Core
open Scope
open Emit

type observed = Load | Number | Number_in of state

(* The lazy attributes that [steps] is looking into. *)
let attribute_steps = ref []

let rec steps policy e =
  let s = steps policy in
  match e.it with
  | Int_value _ | Bool_value _ | Member _ | No_thread | No_core | No_group
  | No_domain | Local _ | Self | Target | Waker | All_cores | Filtered ->
      false
  | Cload _ | Runnable _ | Count _ | Idle_cores | Active_cores | Call _ | Any _
  | Those _ ->
      true
  | Read (Some { it = Waker; _ }, _) -> true
  | Read (o, a) -> (
      Option.fold ~none:false ~some:s o
      ||
      match a.initial with
      | Some e when a.is_lazy && not (List.memq a !attribute_steps) ->
          attribute_steps := a :: !attribute_steps;
          let found = s e in
          attribute_steps := List.tl !attribute_steps;
          found
      | _ -> false)
  | Threads_in (e, _)
  | Cores_of e
  | Groups_of e
  | Domains_of e
  | Empty e
  | Valid e
  | Not e
  | Minus e ->
      s e
  | First (e, keys) ->
      s e
      || List.exists
           (fun k ->
             match k.by with
             | By_cload | By_count -> true
             | Attribute a -> a.is_lazy)
           keys
  | In (a, b) | Operation (_, a, b) -> s a || s b
  | If_else (a, b, c) -> s a || s b || s c

(* The attributes read by a read of this attribute. *)
let looks_at a =
  let rec add found a =
    if not a.is_lazy then Frame.attribute a :: found
    else begin
      let reads = ref [] in
      Visits.expression
        (fun e ->
          match e.it with Read (_, b) -> reads := b :: !reads | _ -> ())
        (Option.get a.initial);
      List.fold_left add found !reads
    end
  in
  add [] a

let none = function
  | Thread | Int | Bool | Enum _ | Threads | Cores | Groups | Domains -> 0
  | Core | Group | Domain -> -1

(* The values of attributes that follow from the topology: the members of
   groups and domains, and the level of a group, an attribute of the system.
   The level is -1 (all bits) if the domain of the group has fewer cores than
   the machine, else 0. *)
let by_topology (l : Layout.t) (a : attribute) i =
  let topology = l.topology and members = l.members in
  let leaf d =
    List.compare_length_with topology.domains.(d).domain_cores topology.cores
    < 0
  in
  match (a.owner, a.ty) with
  | Of_group, Cores -> members.group_cores.(i)
  | Of_domain, Cores -> members.domain_cores.(i)
  | Of_domain, Groups -> members.domain_groups.(i)
  | Of_group, Int when a.system ->
      if leaf topology.groups.(i).group_domain then -1 else 0
  | _, ty -> none ty

(* The value of a core's word, together with the threads that the stealing under
   way has taken for the core; and the registers on which the value depends. *)
let said t what =
  let l = t.layout in
  let word =
    match what with
    | Load -> Layout.cload l
    | Number -> Layout.count l
    | Number_in st -> fun c -> Layout.count_in l c st.state_id
  in
  let counts s u =
    match what with
    | Load -> t.fragments.load s u
    | Number -> 1
    | Number_in st ->
        let towards = Layout.destination s.(Layout.where l u) in
        if Layout.state_of l towards = st.state_id then 1 else 0
  in
  let rec sum s u =
    if u = 0 then 0 else counts s (u - 1) + sum s s.(Layout.next l (u - 1))
  in
  let taken s f c =
    match t.taking with
    | Some k when s.(f + k.destination) = c -> sum s s.(f + k.chain)
    | _ -> 0
  in
  (* A state of one thread will hold at most one of the taken threads. *)
  let most n =
    match what with
    | Number_in st when Query.displaced_to st <> None -> Int.min 1 n
    | Number_in _ | Load | Number -> n
  in
  let uses =
    match (t.taking, what, Query.load t.policy) with
    | Some k, Load, Some load -> k.destination :: k.chain :: looks_at load
    | Some k, _, _ -> [ k.destination; k.chain ]
    | None, _, _ -> []
  in
  ((fun s f c -> most (s.(word c) + taken s f c)), uses)

let observe t what (core : Code.expression) =
  let l = t.layout and value = core.value in
  let r = Assembler.fresh t.asm in
  let said, more = said t what in
  let name c =
    match what with
    | Load -> Printf.sprintf "cload(%d)" c
    | Number -> Printf.sprintf "count(%d)" c
    | Number_in st -> Printf.sprintf "count(%d.%s)" c st.state_name
  in
  step t ~uses:(more @ core.uses) ~defines:[ r ]
    ~shown:(fun s f ->
      let c = value s f in
      c >= 0 && s.(Layout.lock l c) <> f)
    ~say:(fun s f after ->
      Printf.sprintf "reads %s = %d" (name (value s f)) after.(f + r))
    (fun s f ->
      let c = value s f in
      s.(f + r) <- (if c < 0 then 0 else said s f c));
  read r

(* The cores that say that they have no thread, or some. *)
let observe_members t idle =
  let l = t.layout in
  let r = Assembler.fresh t.asm in
  let said, uses = said t Number in
  step t ~uses ~defines:[ r ]
    ~say:(fun _ f after ->
      Printf.sprintf "looks at %s_cores: {%s}"
        (if idle then "idle" else "active")
        (String.concat ", "
           (List.map string_of_int (Bits.elements l.members.bits after.(f + r)))))
    (fun s f ->
      s.(f + r) <- 0;
      for c = 0 to l.topology.cores - 1 do
        if said s f c = 0 = idle then Bits.add l.members.bits s (f + r) c
      done);
  read r

let bool b = if b then 1 else 0

let arithmetic op : int -> int -> int =
  match op with
  | Add -> ( + )
  | Sub -> ( - )
  | Mul -> ( * )
  | Div -> Whole.quotient
  | Mod -> Whole.remainder
  | And -> ( land )
  | Or -> ( lor )
  | Bit_and -> ( land )
  | Bit_or -> ( lor )
  | Eq -> fun a b -> bool (a = b)
  | Ne -> fun a b -> bool (a <> b)
  | Lt -> fun a b -> bool (a < b)
  | Le -> fun a b -> bool (a <= b)
  | Gt -> fun a b -> bool (a > b)
  | Ge -> fun a b -> bool (a >= b)

(* True if the exact result of the operation is another number than [result]:
   the machine's numbers have 63 bits. *)
let passes op a b result =
  match op with
  | Add -> a lxor result land (b lxor result) < 0
  | Sub -> a lxor b land (a lxor result) < 0
  | Mul ->
      let large n = n > 0x3fff_ffff || n < -0x3fff_ffff in
      (large a || large b)
      && a <> 0
      && ((a = -1 && b = min_int) || result / a <> b)
  | _ -> false

let note t (e : expression) op a b result =
  if passes op a b result && !(t.passed) = None then t.passed := Some e.at

let map1 g (a : Code.expression) : Code.expression =
  let v = a.value in
  { value = (fun s f -> g (v s f)); uses = a.uses }

let map2 g (a : Code.expression) (b : Code.expression) : Code.expression =
  let v = a.value and w = b.value in
  { value = (fun s f -> g (v s f) (w s f)); uses = a.uses @ b.uses }

(* The common operations avoid a call through a closure. *)
let operation t e op (a : Code.expression) (b : Code.expression) :
    Code.expression =
  let v = a.value and w = b.value and uses = a.uses @ b.uses in
  let noted exact s f =
    let x = v s f and y = w s f in
    let result = exact x y in
    note t e op x y result;
    result
  in
  match op with
  | Sub -> { value = noted ( - ); uses }
  | Add -> { value = noted ( + ); uses }
  | Mul -> { value = noted ( * ); uses }
  | Ge -> { value = (fun s f -> bool (v s f >= w s f)); uses }
  | Eq -> { value = (fun s f -> bool (v s f = w s f)); uses }
  | _ -> map2 (arithmetic op) a b

(* The number of a stored thread or number. *)
let number ty = match ty with Thread -> fun v -> v - 1 | _ -> Fun.id
let element ty = match ty with Thread -> fun i -> i + 1 | _ -> Fun.id

let type_of_owner = function
  | Of_thread -> Thread
  | Of_core -> Core
  | Of_group -> Group
  | Of_domain -> Domain
  | Global -> Int

let of_collection = function
  | Threads | Thread -> Thread
  | Groups -> Group
  | Domains -> Domain
  | _ -> Core

let name_of = function
  | Thread -> "thread"
  | Group -> "group"
  | Domain -> "domain"
  | _ -> "core"

(* The numbers of the members of a collection, given by its value. *)
let elements t collection_ty s v =
  let l = t.layout in
  match collection_ty with
  | Thread -> if v = 0 then [] else [ v - 1 ]
  | Threads when v < 0 -> []
  | Threads ->
      let found = ref [] in
      Fragments.iter t.fragments s (v / l.states) (v mod l.states) (fun u ->
          found := u :: !found);
      List.rev !found
  | _ -> Bits.elements l.members.bits v

let rec compile t e : Code.expression =
  let l = t.layout in
  let members = l.members in
  match e.it with
  | Int_value n -> constant n
  | Bool_value b -> constant (bool b)
  | Member (_, i) -> constant i
  | No_thread -> constant 0
  | No_core | No_group | No_domain -> constant (-1)
  | Local x -> read (register t x)
  | Self -> read Frame.self
  | Target -> target t
  | Waker -> read Frame.waker
  | Read (Some { it = Waker; _ }, a) -> of_waker t a
  | Read (owner, a) ->
      let owner =
        match owner with None -> constant 0 | Some e -> compile t e
      in
      attribute t owner a
  | Cload c -> observe t Load (compile t c)
  | Runnable c -> observe t Number (compile t c)
  | Count (c, st) -> observe t (Number_in st) (compile t c)
  | Threads_in (c, st) ->
      let slot = e.ty_of = Thread in
      map1
        (fun c -> if c < 0 then -1 else (c * l.states) + st.state_id)
        (compile t c)
      |> if slot then in_slot l else Fun.id
  | All_cores -> constant members.all_cores
  | Idle_cores -> observe_members t true
  | Active_cores -> observe_members t false
  | Filtered -> Option.get t.filtered
  | Cores_of x ->
      map1
        (fun i ->
          if i < 0 then 0
          else if x.ty_of = Domain then members.domain_cores.(i)
          else members.group_cores.(i))
        (compile t x)
  | Groups_of x ->
      map1
        (fun i -> if i < 0 then 0 else members.domain_groups.(i))
        (compile t x)
  | Domains_of x ->
      map1
        (fun c -> if c < 0 then 0 else members.core_domains.(c))
        (compile t x)
  | Those { each; among; holds } -> those t each among holds
  | First (x, keys) -> chosen t x keys
  | Any x -> drawn t x
  | Empty x -> empty t x
  | Valid x ->
      let v = compile t x in
      if x.ty_of = Thread then map1 (fun v -> bool (v > 0)) v
      else map1 (fun v -> bool (v >= 0)) v
  | In (x, y) -> member t x y
  | Not x -> map1 (fun v -> 1 - v) (compile t x)
  | Minus x -> map1 ( ~- ) (compile t x)
  | Operation (((And | Or) as op), x, y) when steps t.policy y ->
      short_circuit t op x y
  | Operation (op, x, y) -> (
      match operands t [ x; y ] with
      | [ a; b ] -> operation t e op a b
      | _ -> assert false)
  | If_else (x, y, z) -> choice t e.ty_of x y z
  | Call (f, arguments) -> call t f arguments

(* The lock of the waker's core is not held: each read is a step. *)
and of_waker t a =
  let v = attribute t (read Frame.waker) a in
  let r = Assembler.fresh ~kind:(kind_of a.ty) t.asm in
  step t ~uses:v.uses ~defines:[ r ]
    ~shown:(fun s f -> s.(f + Frame.waker) > 0)
    ~say:(fun s f after ->
      Printf.sprintf "reads %s of its waker t%d = %d" a.name
        (s.(f + Frame.waker) - 1)
        (number a.ty after.(f + r)))
    (fun s f -> s.(f + r) <- v.value s f);
  read r

and target t : Code.expression =
  match t.owner with
  | Some r -> read r
  | None -> { value = (fun s _ -> s.(Layout.scratch)); uses = [] }

and in_slot l q =
  {
    q with
    value =
      (fun s f ->
        let q = q.value s f in
        if q < 0 then 0 else s.(Layout.head l (q / l.states) (q mod l.states)));
  }

and operands t = function
  | [] -> []
  | e :: rest ->
      let v = compile t e in
      let v =
        if v.uses <> [] && List.exists (steps t.policy) rest then
          read (save t ~kind:(kind_of e.ty_of) v)
        else v
      in
      v :: operands t rest

and short_circuit t op x y =
  let r = save t (compile t x) in
  let again () = set t r (compile t y) in
  let test = if op = And then read r else map1 (fun v -> 1 - v) (read r) in
  if_ t test again ignore;
  read r

and choice t ty x y z =
  if steps t.policy y || steps t.policy z then begin
    let r = Assembler.fresh ~kind:(kind_of ty) t.asm in
    if_ t (compile t x)
      (fun () -> set t r (compile t y))
      (fun () -> set t r (compile t z));
    read r
  end
  else
    let a = compile t x and b = compile t y and c = compile t z in
    {
      value = (fun s f -> if a.value s f <> 0 then b.value s f else c.value s f);
      uses = a.uses @ b.uses @ c.uses;
    }

and empty t x =
  let v = compile t x in
  match x.ty_of with
  | Threads ->
      let l = t.layout in
      {
        v with
        value =
          (fun s f ->
            let q = v.value s f in
            bool (q < 0 || s.(Layout.head l (q / l.states) (q mod l.states)) = 0));
      }
  | Core | Group | Domain -> map1 (fun v -> bool (v < 0)) v
  | _ -> map1 (fun v -> bool (v = 0)) v

and member t x y =
  match operands t [ x; y ] with
  | [ a; b ] when y.ty_of = Threads ->
      let l = t.layout in
      {
        value =
          (fun s f ->
            let u = a.value s f in
            bool (u > 0 && s.(Layout.where l (u - 1)) = b.value s f + 1));
        uses = a.uses @ b.uses;
      }
  | [ a; b ] when y.ty_of = Thread -> map2 (fun a b -> bool (a = b)) a b
  | [ a; b ] ->
      let bits = t.layout.members.bits in
      map2 (fun a b -> bool (a >= 0 && Bits.mem bits b a)) a b
  | _ -> assert false

and attribute t owner a =
  let l = t.layout in
  let ty = type_of_owner a.owner in
  match a.initial with
  | Some body when a.is_lazy && steps t.policy body ->
      let r = save t ~kind:(kind_of ty) owner in
      compile { t with owner = Some r; locals = Hashtbl.create 2 } body
  | _ ->
      let value = key l ty (Attribute a) in
      let number = number ty and v = owner.value in
      let of_none = lazy (of_none l a) in
      {
        value =
          (fun s f ->
            let i = number (v s f) in
            if i < 0 then Lazy.force of_none else value s i);
        uses = owner.uses @ looks_at a;
      }

(* An attribute of none has the initial value. *)
and of_none l a =
  match a.initial with
  | Some e when not a.is_lazy ->
      let v = compile (outside l) e in
      v.value (Array.make (Layout.scratch + 1) 0) 0
  | _ -> none a.ty

(* A lazy attribute is an expression of its owner, which is in the scratch word
   during the evaluation. *)
and key l ty measure : Layout.state -> int -> int =
  match measure with
  | By_cload | By_count ->
      invalid_arg "Expressions.key: an order that must be observed"
  | Attribute { is_lazy = true; initial = Some body; _ } ->
      let e = compile (outside l) body in
      fun s i ->
        let outer = s.(Layout.scratch) in
        s.(Layout.scratch) <- element ty i;
        let v = e.value s 0 in
        s.(Layout.scratch) <- outer;
        v
  | Attribute a ->
      let base = Layout.word l a 0 and stride = Layout.word l a 1 in
      let stride = stride - base in
      fun s i -> s.(base + (i * stride))

(* The scope of expressions outside of handlers. *)
and outside l =
  let asm = Assembler.create () in
  Assembler.start_handler asm ~target:Plain;
  {
    layout = l;
    fragments = { layout = l; orders = [||]; load = (fun _ _ -> 1); log = None };
    asm;
    policy = l.policy;
    fault = None;
    source_lock = Throughout;
    event = Entry;
    holds = false;
    counts_seen = true;
    locals = Hashtbl.create 2;
    owner = None;
    filtered = None;
    taking = None;
    stealing_for = None;
    result = None;
    leave = Assembler.label ();
    stop = None;
    block = (fun _ _ -> ());
    passed = ref None;
  }

and call t f arguments =
  let values = operands t arguments in
  let locals = Hashtbl.create 8 in
  let inner = { t with locals; leave = Assembler.label (); stop = None } in
  List.iter2 (fun p v -> set t (register inner p) v) f.parameters values;
  let ty = Option.value f.result ~default:Int in
  let r = Assembler.fresh ~kind:(kind_of ty) t.asm in
  set t r (constant (none ty));
  inner.block { inner with result = Some r } f.func_body;
  Assembler.place t.asm inner.leave;
  read r

(* Compiles first: the least element by the keys. Equal elements keep the order
   of the queue, or of their numbers. *)
and chosen t among keys =
  let ty = of_collection among.ty_of in
  if among.ty_of = Thread then compile t among
  else if keys = [] && ty = Thread then in_slot t.layout (compile t among)
  else if keys = [] then
    let bits = t.layout.members.bits in
    map1
      (fun set -> if set = 0 then -1 else Bits.lowest bits set)
      (compile t among)
  else begin
    let best = save t ~kind:(kind_of ty) (constant (none ty)) in
    let values = List.map (fun _ -> save t (constant 0)) keys in
    over t ~among ~order:[] (fun each _ ->
        let now = List.map (fun k -> save t (measured t each k.by)) keys in
        let missing = none ty in
        let test (s : Layout.state) f =
          let rec better keys values now =
            match (keys, values, now) with
            | k :: keys, v :: values, n :: now ->
                let v = s.(f + v) and n = s.(f + n) in
                if v = n then better keys values now
                else if k.direction = Highest then n > v
                else n < v
            | _ -> false
          in
          s.(f + best) = missing || better keys values now
        in
        pure t
          ~uses:((best :: each :: values) @ now)
          ~defines:[]
          (fun s f ->
            if test s f then begin
              s.(f + best) <- s.(f + each);
              List.iter2 (fun v n -> s.(f + v) <- s.(f + n)) values now
            end));
    read best
  end

(* The draw itself is invisible to other handlers, so it is made together with
   the next step. *)
and drawn t among =
  let ty = of_collection among.ty_of in
  let v = compile t among in
  let members s f = elements t among.ty_of s (v.value s f) in
  let ways s f = Int.max 1 (List.length (members s f)) in
  let r = Assembler.fresh ~kind:(kind_of ty) t.asm in
  step t ~uses:v.uses ~defines:[ r ] ~mover:Later ~ways
    ~shown:(fun s f -> ways s f > 1)
    ~say:(fun _ f after ->
      Printf.sprintf "draws %s %d" (name_of ty) (number ty after.(f + r)))
    (fun s f ->
      let members = members s f in
      let last = List.length members - 1 in
      s.(f + r) <-
        (if last < 0 then none ty
         else element ty (List.nth members (Int.min last s.(Layout.draw)))));
  read r

and measured t each = function
  | By_cload -> observe t Load (read each)
  | By_count -> observe t Number (read each)
  | Attribute a -> attribute t (read each) a

(* A loop over a set goes through its bits, from the lowest. A loop over
   threads, or in an order, goes through registers that hold the elements, +
   1. *)
and over t ~among ~order body =
  let ty = of_collection among.ty_of in
  let collection = compile t among in
  if order = [] && among.ty_of <> Threads && among.ty_of <> Thread then
    over_set t collection body
  else over_list t ty (listed t ty among.ty_of collection order) body

(* A loop without steps: the condition has no steps either. *)
and those t each among holds =
  let bits = t.layout.members.bits in
  let found = save t (constant 0) in
  over_set t (compile t among) (fun r _ ->
      set t (register t each) (read r);
      let test = compile t holds in
      pure t
        ~uses:([ found; r ] @ test.uses)
        ~defines:[ found ]
        (fun s f ->
          if test.value s f <> 0 then Bits.add bits s (f + found) s.(f + r)));
  read found

and over_set t collection body =
  let bits = t.layout.members.bits in
  let rest = save t (map1 (Bits.copy bits) collection) in
  let each = Assembler.fresh t.asm in
  while_ t
    (fun () -> read rest)
    (fun stop ->
      next_of t ~rest ~each;
      body each stop)

(* Takes the lowest member out of a set held by this register alone. *)
and next_of t ~rest ~each =
  let bits = t.layout.members.bits in
  pure t ~uses:[ rest ] ~defines:[ rest; each ] (fun s f ->
      let c = Bits.lowest bits s.(f + rest) in
      s.(f + each) <- c;
      Bits.remove bits s (f + rest) c)

and over_list t ty (first, capacity) body =
  let at = save t (constant 0) in
  let each = Assembler.fresh ~kind:(kind_of ty) t.asm in
  let all = List.init capacity (fun i -> first + i) in
  let back = if ty = Thread then 0 else 1 in
  let more : Code.expression =
    {
      value =
        (fun s f ->
          let i = s.(f + at) in
          if i < capacity then s.(f + first + i) else 0);
      uses = at :: all;
    }
  in
  while_ t
    (fun () -> more)
    (fun stop ->
      pure t ~uses:(at :: all) ~defines:[ at; each ] (fun s f ->
          let i = s.(f + at) in
          s.(f + each) <- s.(f + first + i) - back;
          s.(f + first + i) <- 0;
          s.(f + at) <- i + 1);
      body each stop)

(* The elements, in order, in adjacent registers. *)
and listed t ty collection_ty collection order =
  let l = t.layout in
  let capacity =
    match ty with
    | Thread -> l.threads
    | Group -> Array.length l.topology.groups
    | Domain -> Array.length l.topology.domains
    | _ -> l.topology.cores
  in
  let collected =
    if collection_ty = Threads || collection_ty = Thread then collection
    else read (save t collection)
  in
  let columns =
    List.map
      (fun k ->
        match k.by with
        | Attribute a
          when not (a.is_lazy && steps t.policy (Option.get a.initial)) ->
            let value = key l ty k.by in
            (k, looks_at a, fun s _ i -> value s i)
        | _ ->
            let column = Assembler.fresh ~count:capacity t.asm in
            let all = List.init capacity (fun i -> column + i) in
            pure t ~uses:[] ~defines:all (fun s f ->
                Array.fill s (f + column) capacity 0);
            over_set t collected (fun each _ ->
                let v = measured t each k.by in
                pure t
                  ~uses:((each :: v.uses) @ all)
                  ~defines:[]
                  (fun s f -> s.(f + column + s.(f + each)) <- v.value s f));
            (k, all, fun s f i -> s.(f + column + i)))
      order
  in
  let first = Assembler.fresh ~kind:(kind_of ty) ~count:capacity t.asm in
  let all = List.init capacity (fun i -> first + i) in
  let compare_by s f a b =
    let rec by = function
      | [] -> 0
      | (k, _, value) :: rest ->
          let c = Int.compare (value s f a) (value s f b) in
          if c = 0 then by rest else if k.direction = Highest then -c else c
    in
    by columns
  in
  pure t
    ~uses:(collected.uses @ List.concat_map (fun (_, all, _) -> all) columns)
    ~defines:all
    (fun s f ->
      Array.fill s (f + first) capacity 0;
      List.iteri
        (fun i x -> s.(f + first + i) <- x + 1)
        (List.stable_sort (compare_by s f)
           (elements t collection_ty s (collected.value s f))));
  (first, capacity)

let initial (l : Layout.t) a : Layout.state -> int -> int =
  match a.initial with
  | None -> fun _ i -> by_topology l a i
  | Some e ->
      let v = compile (outside l) e in
      fun s i ->
        s.(Layout.scratch) <- element (type_of_owner a.owner) i;
        let v = v.value s 0 in
        s.(Layout.scratch) <- 0;
        v
