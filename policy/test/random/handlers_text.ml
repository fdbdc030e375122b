open Draw

let sprintf = Printf.sprintf

(* {1 Threads come} *)

(* The load of a thread, from values of the system. *)
let weight t =
  sensible t Margin
    [
      "if (nice < 0) return 3; return nice > 4 ? 1 : 2;";
      "return (nice & 3) + 1;";
      "return nice * nice + 1;";
      "return nice % 3 + 3;";
      "return nice < 1 ? 1 : nice;";
      "return (nice & 6) | 1;";
      "int w = nice; if (w < 1) w = 1; else if (w >= 4) w = 3; return w;";
      "int w = 1; foreach (c in system_cores()) { if (w < nice && w < 3) w++; \
       } return w;";
      "return nice > 2 || nice < -2 ? 2 : nice + 3;";
    ]
    [
      "return nice & 3;";
      "return nice % 3 + 2;";
      "return nice | 1;";
      "int w = nice; if (w < 1 && w > 4) w = 1; return w;";
      "return nice > 0 ? 3 : nice + 1;";
    ]

let settings t thread =
  perhaps t 0.2 (sprintf "%s.slice = 2;" thread)
  ^ perhaps t 0.1
      (sprintf "%s.c.run += %s.c.sleep * -2; %s.c.sleep--;" thread thread thread)
  ^ perhaps t 0.15 "placed++;"
  ^ perhaps t 0.15
      (sprintf "%s.home = valid(%s.home) ? none : %s.cg; %s.cg.used++;" thread
         thread thread thread)
  ^ perhaps t 0.15
      (sprintf "if (%s.slice < 0) { %s.kind = URGENT; } else %s.kind = USUAL;"
         thread thread thread)
  ^
  match t.loads with
  | `Varied ->
      let as_weighed = sprintf "%s.load = weight(%s.nice);" thread thread in
      one t
        [
          as_weighed;
          as_weighed;
          sprintf "%s.born++; %s.load = %s.born;" thread thread thread;
          sprintf "if (%s.born < 3) %s.born++; %s.load = %s.born;" thread thread
            thread thread;
        ]
  | `Wild -> sprintf "%s.load = %s.nice;" thread thread
  | `None | `Constant _ -> ""

(* A search that keeps state in attributes of the thread, of a core, of a
   struct. The loop sets them, or a function called by the loop. *)
let remembering t =
  let thread = t.thread and core = t.core in
  let flag = one t [ thread ^ ".slice"; thread ^ ".c.run"; "placed" ] in
  let found = sprintf "%s return;" (enqueue t thread core)
  and seen =
    one t
      [
        sprintf "%s = 1;" flag;
        sprintf "%s++;" flag;
        sprintf "note(%s);" thread;
        sprintf "thread other = %s == 0 ? %s : e.target; other.slice = 1;" flag
          thread;
      ]
  and asks =
    sensible t Placement
      [ is_idle t core; sprintf "%s >= 0 && %s" flag (is_idle t core) ]
      [ sprintf "%s == 0 && %s" flag (is_idle t core) ]
  in
  let loop body =
    one t
      [
        sprintf "foreach (%s in system_cores()) { %s }" core body;
        sprintf "foreach (%s in system_cores() %s) { %s }" core (idlest t) body;
        sprintf
          "foreach (%s in system_cores()) { foreach (d in %s.domains) { %s } }"
          core core body;
      ]
  in
  let search = sprintf "if (%s) { %s } %s" asks found seen in
  sprintf "thread %s = e.target; %s = 0; %s core rest = %s(%s); %s" thread flag
    (loop search) t.choose thread (enqueue t thread "rest")

let arrival t =
  let thread = t.thread and core = t.core in
  let chosen =
    sprintf "%s%s(%s)"
      (perhaps t 0.05
         (one t
            [
              sprintf "%s.last == self ? self : " thread;
              "e.waker.slice > 1 ? self : ";
            ]))
      t.choose thread
  in
  let woken =
    perhaps t 0.2
      (sprintf
         "if (valid(e.waker) && (e.waker.kind == URGENT || e.waker == %s)) \
          %s.slice = e.waker.slice + 1;"
         thread thread)
  in
  if often t 0.2 then remembering t
  else
    sprintf "thread %s = e.target; %s %s" thread woken
      (match below t 3 with
      | 0 -> sprintf "%s(%s, %s);" t.settle thread chosen
      | 1 ->
          sprintf "core %s = %s; %s if (crowded) { %s } else { %s }" core chosen
            (settings t thread) (enqueue t thread core)
            (enqueue ~all:false t thread core)
      | _ ->
          sprintf "%s core %s = %s; %s" (settings t thread) core chosen
            (enqueue t thread core))

(* {1 The thread that runs} *)

(* Moves ready threads of the core from one queue to another. *)
let requeues t =
  let from = one t t.queues and towards = one t t.queues in
  one t
    [
      sprintf "foreach (x in %s) { x => %s; }" from towards;
      sprintf "foreach (x in %s) { if (x.slice < 2) x => %s; }" from towards;
      sprintf "foreach (x in %s) { x.slice = 2; x => %s; break; }" from towards;
      sprintf "{ thread x = first(%s); x => %s; }" from towards;
      sprintf
        "{ thread x = first(%s order = { lowest key }); if (valid(x) && x.key \
         < self.turns) { x.key++; x => %s; } }"
        from towards;
      sprintf
        "foreach (x in %s) { x => %s; } if (empty(%s)) { foreach (x in %s) { x \
         => %s; } }"
        from towards from towards (one t t.queues);
    ]

(* [stays]: the thread is still ready after [body], so further threads may be
   moved. *)
let requeuing ?(stays = true) t body =
  match if t.patient then 9 else below t 10 with
  | 0 | 1 -> requeues t ^ body
  | 2 -> if stays then body ^ requeues t else requeues t ^ body
  | _ -> body

let tick t =
  let stop = enqueue t "e.target" "" in
  let waits = String.concat " || " (List.map (sprintf "!empty(%s)") t.queues) in
  one t
    [
      (if t.patient then stop else "");
      stop;
      sprintf
        "e.target.slice--; if (e.target.slice <= 0) { e.target.slice = %d; %s }"
        (1 + below t 3)
        stop;
      sprintf "self.turns++; if (self.turns %% 3 == 0 && (%s)) { %s }" waits
        stop;
      sprintf
        "thread next = first(%s); if (valid(next) && next.key < e.target.key) \
         { %s }"
        (one t t.queues) stop;
      sprintf
        "e.target.key += 9 / e.target.c.run - e.target.slice %% self.turns; if \
         (count(self) >= 2) { %s return; } placed += 2 %% placed;"
        stop;
      sprintf
        "e.target.key++; if (count(self) >= 2) { %s return; } placed += 2;" stop;
    ]

(* A text that lets threads pass others. *)
let aside t p text = if t.patient then "" else perhaps t p text

let settled t =
  perhaps t 0.6 "next.last = self;"
  ^ perhaps t 0.1
      "if (next.home.used > 1) next.home = none; next.part = \
       first(self.domains); next.part.seen++;"
  ^ aside t 0.2 "self.turns = 0;"

let runs t =
  sensible t Schedule
    [
      "next => current;";
      "if (valid(next)) next => current;";
      "if (!valid(next)) return; next => current;";
    ]
    (if not t.may_idle then [ "next => current;" ]
     else
       [
         "if (next.slice > 0) next => current;";
         "if (valid(next) && !next.pinned) { next => current; }";
         "if (count(self) >= 2) next => current;";
         "if (self.turns == 0) next => current;";
       ])

(* Chooses the first thread of some queue, perhaps in another order. *)
let schedule t =
  let pick q =
    if t.patient then sprintf "first(%s)" q
    else
      one t
        [
          sprintf "first(%s)" q;
          sprintf "first(%s)" q;
          sprintf "first(%s order = { highest key, lowest slice })" q;
          sprintf "any(%s)" q;
        ]
  in
  let queues = shuffled t t.queues in
  let others =
    List.map
      (fun q -> sprintf "if (!valid(next)) next = %s;" (pick q))
      (List.tl queues)
  in
  let draws =
    sprintf
      "if (valid(next)) { int n = draw() %% 3; foreach (x in %s) { if (n >= 0) \
       next = x; n -= 1 + x.slice; } }"
      (List.hd queues)
  in
  let ages q = sprintf "foreach (x in %s) x.key++;" q in
  let refills =
    match queues with
    | a :: b :: _ when (not t.patient) && often t 0.2 ->
        sprintf "if (empty(%s)) { foreach (x in %s) x => %s; }" a b a
    | _ -> ""
  in
  (* A number of turns in a row from one queue, then from the others. *)
  let in_turn =
    sprintf
      "if (self.turns >= %d) { self.turns = 0; next = none; } else { \
       self.turns++; }"
      (1 + below t 3)
  in
  let again = sprintf "if (!valid(next)) next = %s;" (pick (List.hd queues)) in
  String.concat " "
    ([ refills; sprintf "thread next = %s;" (pick (List.hd queues)) ]
    @ [ aside t 0.15 draws ]
    @ (if List.tl queues <> [] && (t.patient || often t 0.4) then
         [ in_turn ] @ others @ [ again ]
       else others)
    @ [ aside t 0.1 (ages (one t t.queues)); runs t; settled t ]
    @ [ aside t 0.05 (requeues t) ])

let thread_events t =
  let on event body = sprintf "On %s { %s }\n" event body in
  let aside = perhaps t 0.2 "e.target.slice = 1;" in
  let detach = often t 0.3 in
  String.concat ""
    [
      on "new" (arrival t);
      on "unblock" (arrival t);
      on "block"
        (requeuing ~stays:false t
           (perhaps t 0.2 "e.target.key -= 2;" ^ "e.target => blocked;"));
      (if detach && often t 0.3 then ""
       else on "terminate" (requeuing ~stays:false t "e.target => ended;"));
      (if detach then on "detach" "e.target => ended;" else "");
      perhaps t 0.9
        (on "yield"
           (requeuing t
              (perhaps t 0.3 aside ^ enqueue ~all:false t "e.target" "")));
      perhaps t 0.9 (on "tick" (requeuing t (tick t)));
      on "schedule" (schedule t);
    ]

(* {1 Balancing} *)

let steal_for t c =
  if t.by_group then
    sensible t Groups
      [
        sprintf
          "foreach (d in %s.domains) { foreach (g in d.groups) { if (%s in \
           g.cores) steal_for(g, %s); } }"
          c c c;
      ]
      [
        sprintf "foreach (d in %s.domains) { steal_for(first(d.groups), %s); }"
          c c;
        sprintf
          "foreach (d in %s.domains) { foreach (g in d.groups) { if (g.level > \
           0 || %s in g.cores) { steal_for(g, %s); break; } } }"
          c c c;
      ]
  else sprintf "steal_for(%s);" c

let balancing t =
  let c = t.core in
  let over among body = sprintf "foreach (%s in %s) { %s }" c among body in
  let all = sprintf "system_cores() %s" (idlest t) in
  sensible t Balancing
    [
      over all (steal_for t c);
      over all (steal_for t c);
      over "system_cores()" (steal_for t c);
      over "idle_cores" (steal_for t c);
      over all (sprintf "if (%s) { %s }" (is_idle t c) (steal_for t c));
      sprintf "int done = 0; %s"
        (over "system_cores()"
           (sprintf "if (%s) { done++; %s } else done = 0;" (is_idle t c)
              (steal_for t c)));
      sprintf "placed = 0; %s"
        (over all (sprintf "placed++; if (placed > 0) { %s }" (steal_for t c)));
    ]
    [
      sprintf "int done = 0; %s"
        (over all (sprintf "if (done < 2) { %s } done++;" (steal_for t c)));
      sprintf "placed = 0; %s"
        (over all
           (sprintf "if (placed == 0) { %s } placed = 1;" (steal_for t c)));
      sprintf
        "foreach (all in self.domains) { if (!all.met) { %s } all.seen = 1; }"
        (over "all.cores" (steal_for t c));
      sprintf "if (random() %% 2 == 0) return; %s" (over all (steal_for t c));
      sprintf "if (now() > 1) { %s }" (over all (steal_for t c));
      steal_for t "self";
      over "active_cores" (steal_for t c);
      over all (sprintf "if (%s) break; %s" (is_busy t c) (steal_for t c));
      over all (sprintf "if (%s) { %s }" (is_busy t c) (steal_for t c));
    ]

let stealing t =
  sprintf "On %s balancing { %s }\n"
    (sensible t Alone [ "synchronized" ] [ "" ])
    (balancing t)
  ^ perhaps t 0.15
      (sprintf "On %s newly_idle { %s }\n"
         (sensible t Alone [ "synchronized" ] [ "" ])
         (steal_for t "self"))

let core_events t =
  (if t.steals then stealing t else "")
  ^ perhaps t 0.3
      "On enter_idle { e.target.turns += 2; } On exit_idle { self.turns -= 5; }\n\
       On entry { self.turns = 7; } On exit { e.target.turns += 11; }\n"
