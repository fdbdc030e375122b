open Core

(* The attributes kept in a packed state. *)
type kept = {
  words : int array;
      (** offsets in the state, except for attributes of threads *)
  named_words : int array;
      (** the same for attributes whose values are threads *)
  thread_words : int array;  (** offsets in a thread's words *)
  thread_valued : bool array;  (** true for the words whose values are threads *)
}

type t = {
  m : Machine.t;
  l : Layout.t;
  mutable out : Bytes.t;
  mutable at : int;
  early : kept;
  late : kept;
  gone : int;  (** the place of threads that will never wake *)
  weighed : bool;
  affinity : bool;  (** some threads may not run on some cores *)
  runnable : int array;  (** the ids of runnable states *)
  order : int array;  (** threads by their new names *)
  names : int array;  (** new names of threads, or -1 *)
  mutable named : int;
  slots : int array;
      (** all runners but the first, in the order of their frames *)
}

let kept_of (l : Layout.t) relevant ~system =
  let owners (a : attribute) =
    match a.owner with
    | Global -> 1
    | Of_core -> l.topology.cores
    | Of_group -> Array.length l.topology.groups
    | Of_domain -> Array.length l.topology.domains
    | Of_thread -> 0
  in
  let kept =
    List.filter (Relevant.kept relevant) (Array.to_list l.policy.attributes)
  in
  let words_of which =
    List.concat_map
      (fun (a : attribute) ->
        if which a.ty && (Relevant.assigned relevant a || (system && a.system))
        then List.init (owners a) (Layout.word l a)
        else [])
      kept
  in
  let of_threads = List.filter (fun a -> a.owner = Of_thread) kept in
  {
    words = Array.of_list (words_of (fun ty -> ty <> Thread));
    named_words = Array.of_list (words_of (fun ty -> ty = Thread));
    thread_words =
      Array.of_list (List.map (fun a -> l.attribute.(a.id)) of_threads);
    thread_valued =
      Array.of_list (List.map (fun (a : attribute) -> a.ty = Thread) of_threads);
  }

let make m relevant ~system ~late =
  let l = Machine.layout m in
  let states = Array.to_list l.policy.states in
  let ended = List.find_opt (fun st -> st.state_class = Terminated) states in
  {
    m;
    l;
    out = Bytes.create 4096;
    at = 0;
    early = kept_of l relevant ~system;
    late = kept_of l late ~system;
    gone =
      (match ended with
      | Some st -> Layout.place l 0 st.state_id
      | None -> Layout.nowhere);
    weighed = Query.load l.policy <> None;
    affinity = Query.affinity l.policy <> None;
    runnable =
      Array.of_list
        (List.filter_map
           (fun st -> if Query.runnable st then Some st.state_id else None)
           states);
    order = Array.make (max 1 l.threads) 0;
    names = Array.make (max 1 l.threads) (-1);
    named = 0;
    slots = Array.init (max 0 (Machine.runners m - 1)) (fun i -> i + 1);
  }

let bytes t = t.out

(* {1 Writing} *)

let rec put_more t v =
  if v land lnot 0x7f = 0 then begin
    Bytes.unsafe_set t.out t.at (Char.unsafe_chr v);
    t.at <- t.at + 1
  end
  else begin
    Bytes.unsafe_set t.out t.at (Char.unsafe_chr (v land 0x7f lor 0x80));
    t.at <- t.at + 1;
    put_more t (v lsr 7)
  end

let put t v =
  let v = (v lsl 1) lxor (v asr 62) in
  if v land lnot 0x7f = 0 then begin
    Bytes.unsafe_set t.out t.at (Char.unsafe_chr v);
    t.at <- t.at + 1
  end
  else put_more t v

let name t u =
  let n = t.names.(u) in
  if n >= 0 then n
  else begin
    let n = t.named in
    t.names.(u) <- n;
    t.order.(n) <- u;
    t.named <- n + 1;
    n
  end

let put_queue t s c state =
  let at = t.at in
  t.at <- at + 1;
  let rec go u n =
    if u = 0 then n
    else begin
      ignore (name t (u - 1) : int);
      go s.(Layout.next t.l (u - 1)) (n + 1)
    end
  in
  Bytes.unsafe_set t.out at (Char.unsafe_chr (go s.(Layout.head t.l c state) 0))

(* The order of the frames, and of the names of frames in locks: free frames
   last, then by the place in the code, then by plain registers. *)
let before t s a b =
  let f = Machine.frame t.m a and g = Machine.frame t.m b in
  if s.(f) <> s.(g) then s.(f) > s.(g)
  else begin
    let live = Machine.live t.m s.(f) in
    let rec from i =
      i < Array.length live
      &&
      match live.(i) with
      | r, Code.Plain when s.(f + r) <> s.(g + r) -> s.(f + r) > s.(g + r)
      | _ -> from (i + 1)
    in
    s.(f) > 0 && from 0
  end

let sort_runners t s =
  for i = 0 to Array.length t.slots - 1 do
    let r = i + 1 in
    let j = ref (i - 1) in
    while !j >= 0 && before t s r t.slots.(!j) do
      t.slots.(!j + 1) <- t.slots.(!j);
      decr j
    done;
    t.slots.(!j + 1) <- r
  done

let rank t f =
  if f = 0 then 0
  else if f = Machine.frame t.m 0 then 1
  else begin
    let rec find i =
      if Machine.frame t.m t.slots.(i) = f then i + 2 else find (i + 1)
    in
    find 0
  end

let put_core t s c =
  let l = t.l in
  put t (rank t s.(Layout.lock l c));
  put t s.(Layout.count l c);
  if t.weighed then put t s.(Layout.cload l c);
  for i = 0 to Array.length t.runnable - 1 do
    let state = t.runnable.(i) in
    put t s.(Layout.count_in l c state);
    put_queue t s c state
  done

let rec put_chain t s u =
  if u = 0 then put t 0
  else begin
    put t (name t (u - 1) + 1);
    put_chain t s s.(Layout.next t.l (u - 1))
  end

let put_thread_value t v = put t (if v = 0 then 0 else name t (v - 1) + 1)

let put_frame t s r =
  let f = Machine.frame t.m r in
  let pc = s.(f) in
  put t pc;
  if pc > 0 then begin
    let live = Machine.live t.m pc in
    for i = 0 to Array.length live - 1 do
      let register, (kind : Code.kind) = live.(i) in
      let v = s.(f + register) in
      match kind with
      | Plain -> put t v
      | A_thread -> put_thread_value t v
      | Chain -> put_chain t s v
    done
  end

(* Names the threads that stand in no queue and no frame, so that equal ones
   are neighbours. *)
let name_rest t kept s =
  let from = t.named in
  let known i v =
    if not kept.thread_valued.(i) then v
    else if v = 0 then -1
    else
      let n = t.names.(v - 1) in
      if n < from then n else from
  in
  for u = 0 to t.l.threads - 1 do
    if t.names.(u) < 0 then ignore (name t u : int)
  done;
  let compare_words a b =
    let rec go i =
      if i = Array.length kept.thread_words then 0
      else
        let w = kept.thread_words.(i) in
        let x = s.(Layout.where t.l a + w) and y = s.(Layout.where t.l b + w) in
        let x = known i x and y = known i y in
        if x = y then go (i + 1) else Int.compare x y
    in
    let x = s.(Layout.where t.l a) and y = s.(Layout.where t.l b) in
    if x = y then go 0 else Int.compare x y
  in
  for i = from + 1 to t.named - 1 do
    let u = t.order.(i) in
    let j = ref (i - 1) in
    while !j >= from && compare_words t.order.(!j) u > 0 do
      t.order.(!j + 1) <- t.order.(!j);
      decr j
    done;
    t.order.(!j + 1) <- u
  done;
  for i = from to t.named - 1 do
    t.names.(t.order.(i)) <- i
  done

(* A thread that has left one place, has reached no other, and is in no frame,
   is lost by the policy. The check after the event looks for lost threads. *)
let name_lost t s =
  for u = 0 to t.l.threads - 1 do
    if t.names.(u) < 0 && s.(Layout.where t.l u) < 0 then
      ignore (name t u : int)
  done

let room t =
  (* The buffer is far larger than a state of the explorer's sizes. *)
  let l = t.l in
  let words =
    Array.length t.early.words
    + Array.length t.early.named_words
    + (l.topology.cores * 40)
    + (l.threads * (4 + Array.length t.early.thread_words))
    + (Machine.runners t.m * Machine.frame_size t.m)
    + 64
  in
  if Bytes.length t.out < 10 * words then t.out <- Bytes.create (10 * words)

(* True if no event of the environment can come or is under way. *)
let is_late t s =
  let rec from r =
    r = Machine.runners t.m
    ||
    let pc = s.(Machine.frame t.m r) in
    (pc = 0 || Machine.within t.m Schedule pc) && from (r + 1)
  in
  s.(Layout.budget) = 0 && from 1

let put_thread t kept s i ~located =
  let at = Layout.where t.l t.order.(i) in
  if i >= located then put t s.(at);
  for w = 0 to Array.length kept.thread_words - 1 do
    let v = s.(at + kept.thread_words.(w)) in
    if kept.thread_valued.(w) then put_thread_value t v else put t v
  done

let pack t s =
  let l = t.l in
  let late = is_late t s in
  let kept = if late then t.late else t.early in
  room t;
  t.at <- 0;
  t.named <- 0;
  Array.fill t.names 0 l.threads (-1);
  sort_runners t s;
  put t s.(Layout.blocked);
  put t s.(Layout.unblocked);
  if t.affinity then put t s.(Layout.fits);
  put t ((s.(Layout.placed) lsl 1) lor if late then 1 else 0);
  for i = 0 to Array.length kept.words - 1 do
    put t s.(kept.words.(i))
  done;
  for c = 0 to l.topology.cores - 1 do
    put_core t s c
  done;
  let located = t.named in
  put_frame t s 0;
  for i = 0 to Array.length t.slots - 1 do
    if s.(Machine.frame t.m t.slots.(i)) > 0 then put_frame t s t.slots.(i)
  done;
  put t 0;
  Array.iter (fun w -> put_thread_value t s.(w)) kept.named_words;
  if late then begin
    name_lost t s;
    put t t.named
  end
  else name_rest t kept s;
  (* The value of an attribute may be a thread without a name yet, which gets
     one here. *)
  let i = ref 0 in
  let known = t.named in
  while !i < known do
    put_thread t kept s !i ~located;
    incr i
  done;
  t.at

(* {1 Reading} *)

let rec get_more t b shift acc =
  let v = Char.code (Bytes.unsafe_get b t.at) in
  t.at <- t.at + 1;
  let acc = acc lor ((v land 0x7f) lsl shift) in
  if v < 0x80 then acc else get_more t b (shift + 7) acc

let get t b =
  let v = Char.code (Bytes.unsafe_get b t.at) in
  let v =
    if v < 0x80 then begin
      t.at <- t.at + 1;
      v
    end
    else get_more t b 0 0
  in
  (v lsr 1) lxor -(v land 1)

let get_queue t b s c state =
  let l = t.l in
  let n = Char.code (Bytes.unsafe_get b t.at) in
  t.at <- t.at + 1;
  let place = Layout.place l c state in
  let first = t.named in
  s.(Layout.head l c state) <- (if n = 0 then 0 else first + 1);
  for u = first to first + n - 1 do
    s.(Layout.where l u) <- place;
    s.(Layout.next l u) <- (if u = first + n - 1 then 0 else u + 2)
  done;
  t.named <- first + n

let get_core t b s c =
  let l = t.l in
  let owner = get t b in
  (* Frames are read in the order of writing. *)
  s.(Layout.lock l c) <-
    (if owner = 0 then 0 else Machine.frame t.m (owner - 1));
  let n = get t b in
  s.(Layout.count l c) <- n;
  s.(Layout.cload l c) <- (if t.weighed then get t b else n);
  for i = 0 to Array.length t.runnable - 1 do
    let state = t.runnable.(i) in
    s.(Layout.count_in l c state) <- get t b;
    get_queue t b s c state
  done

let get_chain t b s =
  let rec from word =
    let u = get t b in
    s.(word) <- u;
    if u > 0 then from (Layout.next t.l (u - 1))
  in
  from

let get_frame t b s r pc =
  let f = Machine.frame t.m r in
  s.(f) <- pc;
  if pc > 0 then begin
    let live = Machine.live t.m pc in
    for i = 0 to Array.length live - 1 do
      let register, (kind : Code.kind) = live.(i) in
      match kind with
      | Plain | A_thread -> s.(f + register) <- get t b
      | Chain -> get_chain t b s (f + register)
    done
  end

let get_thread t b kept s u ~located =
  let at = Layout.where t.l u in
  if u >= located then s.(at) <- get t b;
  for w = 0 to Array.length kept.thread_words - 1 do
    s.(at + kept.thread_words.(w)) <- get t b
  done

let unpack t b at s =
  let l = t.l in
  t.at <- at;
  t.named <- 0;
  s.(Layout.blocked) <- get t b;
  s.(Layout.unblocked) <- get t b;
  if t.affinity then s.(Layout.fits) <- get t b;
  let v = get t b in
  s.(Layout.placed) <- v lsr 1;
  let late = v land 1 = 1 in
  let kept = if late then t.late else t.early in
  for i = 0 to Array.length kept.words - 1 do
    s.(kept.words.(i)) <- get t b
  done;
  for c = 0 to l.topology.cores - 1 do
    get_core t b s c
  done;
  let located = t.named in
  get_frame t b s 0 (get t b);
  let rec frames r =
    let pc = get t b in
    if pc > 0 then begin
      get_frame t b s r pc;
      frames (r + 1)
    end
    else
      for r = r to Machine.runners t.m - 1 do
        s.(Machine.frame t.m r) <- 0
      done
  in
  frames 1;
  Array.iter (fun w -> s.(w) <- get t b) kept.named_words;
  let known = if late then get t b else l.threads in
  for u = 0 to known - 1 do
    get_thread t b kept s u ~located
  done;
  for u = known to l.threads - 1 do
    s.(Layout.where l u) <- t.gone
  done
