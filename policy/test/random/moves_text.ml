open Draw

let sprintf = Printf.sprintf

(* {1 Stealing} *)

(* The condition under which a difference is worth a thread. [load]: the load of
   the thread, if known. *)
let margin ?load t src dst =
  let difference n = sprintf "%s - %s >= %d" (number t src) (number t dst) n in
  let cload n = sprintf "%s.cload - %s.cload >= %d" src dst n in
  let weights k =
    match t.loads with
    | `Constant n -> [ cload (k n) ]
    | `None | `Varied | `Wild -> []
  in
  let two = sprintf "count(%s) >= 2" src in
  let more = sprintf "%s && %s.cload > %s.cload" two src dst in
  let keeps =
    match load with
    | Some l when t.loads <> `None ->
        sprintf "%s && %s.cload - %s.cload > %s" two src dst l
    | _ -> more
  in
  let sound =
    [
      difference 2;
      difference 2;
      keeps;
      more;
      two;
      sprintf "%s && %s" two (is_idle t dst);
      sprintf "%s && %s in idle_cores" two dst;
      sprintf "%s > %s + 1" (number t src) (number t dst);
      sprintf "%s / (%s + 1) >= 2" (number t src) (number t dst);
    ]
    @ weights (fun n -> 2 * n)
    @ weights (fun n -> n + 1)
  and odd =
    [
      difference (below t 5 - 1);
      cload (below t 5);
      "true";
      sprintf "%s > %s" (number t src) (number t dst);
      sprintf "count(%s.%s) >= 1" src (one t t.queues);
      sprintf "%s || %s" two (cload 3);
      sprintf "%s / %s >= 2" (number t src) (number t dst);
      sprintf "%s && %s %% %s.rank == 0" two (number t src) src;
      sprintf "4 * %s.cload > 5 * %s.cload" src dst;
      sprintf "%s && %s in active_cores" two src;
      sprintf "%s && %s.rank <= %s.rank" two src dst;
      sprintf "%s && random() %% 2 == 0" two;
      sprintf "%s && (now() & 3) != 3" two;
      sprintf "%s && !%s.big" two src;
    ]
    @ weights Fun.id
    @ weights (fun n -> (2 * n) + 1)
  in
  sensible t Margin sound odd

let fits t condition =
  if t.affinity = `None then condition
  else
    sensible t Take
      [ sprintf "(%s) && can_run(t, dst)" condition ]
      [ condition; sprintf "(%s) && !t.pinned" condition ]

let take t admits =
  sprintf "steal_thread(core dst, thread t) { %s if (%s) { %s %s } } %s"
    (perhaps t 0.1 "t.slice++;")
    (fits t
       (sensible t Take
          [ admits; admits; margin t ~load:"t.load" "src" "dst" ]
          [ "true"; admits ^ " && t.kind == USUAL" ]))
    (perhaps t 0.2 "t.last = dst;")
    (enqueue ~all:false t "t" "dst")
    (one t
       [
         "";
         "";
         "until (true)";
         "until (count(dst) != 0)";
         sprintf "until (count(dst) >= %d)" (below t 4);
         sprintf "until (%s)" (is_busy t "dst");
       ])

let repeated t = sensible t Repeated [ true ] [ false ]

let by_core t =
  let select =
    sprintf "select_core() { %s } => src"
      (sensible t Select
         [
           sprintf "first(willing %s)" (busiest t);
           "first(willing)";
           "any(willing)";
         ]
         [
           sprintf "first(system_cores() %s)" (busiest t);
           "dst";
           "any(system_cores())";
           sprintf "%s ? first(willing) : dst" (is_busy t "dst");
         ])
  in
  let until = sprintf "until (%s)" (is_busy t "dst") in
  let admits = margin t "src" "dst" in
  let phases = select ^ " " ^ take t admits in
  sprintf "can_steal_core(core src, core dst) { %s%s } => willing %s"
    (if t.by_group then perhaps t 0.5 "src in h.cores && " else "")
    admits
    (if repeated t then sprintf "do { %s } %s" phases (perhaps t 0.8 until)
     else phases)

let steal t =
  if not t.by_group then sprintf "steal = { %s }" (by_core t)
  else
    let admits =
      sensible t Groups
        [ "spare(h)"; "spare(h) || total(h) > total(g)"; "packed(h) > 0";
          "packed(h) >= 1 && number(h) >= 2"; "number(h) >= 2" ]
        [ "total(h) > total(g)"; "total(h) >= total(g) + 2"; "true";
          "packed(h) > packed(g)"; "number(h) >= 3"; "total(h) >= 2";
          "total(h) * 100 > total(g) * 110"; "number(g) >= 0 && packed(h) > 1";
          "h.level >= g.level" ]
    in
    let phases = "select_group() { first(others) } => h " ^ by_core t in
    sprintf
      "steal(group g, core dst) = { can_steal_group(group h, group g) { %s } \
       => others %s }"
      admits
      (if repeated t then
         sprintf "do { %s } until (%s)" phases (is_busy t "dst")
       else phases)
[@@ocamlformat "disable"]

(* {1 Placement}: the body of a function of a thread that returns a core. *)

let least = Searches_text.least

let search t among =
  sprintf "foreach (%s in %s) { if (%s) return %s; }" t.core among
    (is_idle t t.core) t.core

(* Asks first whether some core is idle. *)
let counted t =
  sprintf
    "int n = 0; foreach (%s in system_cores()) { if (%s) n++; } if (n %s) { %s \
     } return self;"
    t.core (is_idle t t.core)
    (sensible t Placement [ "> 0"; "!= 0"; ">= 1" ] [ "> 1"; "== 0"; "< 2" ])
    (least t)

let fewest t =
  sprintf
    "core best = self; int fewest = %s; foreach (%s in system_cores()) { int n \
     = %s; if (n %s fewest) { best = %s; fewest = n; } } return best;"
    (number t "self") t.core (number t t.core)
    (sensible t Placement [ "<" ] [ "<="; ">" ])
    t.core

let first_of_sorted t =
  sprintf
    "core best = self; foreach (%s in system_cores() %s) { best = %s; %s } \
     return best;"
    t.core (idlest t) t.core
    (sensible t Placement [ "break;" ]
       [ ""; sprintf "if (%s) break;" (is_idle t t.core) ])

let near t =
  sprintf "foreach (d in last.domains) { %s }"
    (one t
       [
         search t "d.cores";
         sprintf "foreach (g in d.groups) { %s }" (search t "g.cores");
         sprintf "foreach (g in d.groups) { if (g.level > 0) { %s } }"
           (search t "g.cores");
       ])

(* Chooses the cores required by the thread before the best core is searched. *)
let where_it_may t =
  let core = "where" in
  match t.affinity with
  | `None -> ""
  | `Only ->
      sensible t Placement
        [ sprintf "if (valid(%s.only)) return %s.only;" t.thread t.thread ]
        [ "" ]
  | `Big ->
      sensible t Placement
        [
          sprintf
            "foreach (%s in system_cores() %s) { if (can_run(%s, %s)) return \
             %s; }"
            core (idlest t) t.thread core core;
          sprintf
            "foreach (%s in system_cores()) { if (can_run(%s, %s) && %s) \
             return %s; } foreach (%s in system_cores()) { if (can_run(%s, \
             %s)) return %s; }"
            core t.thread core (is_idle t core) core core t.thread core core;
        ]
        [ "" ]

let best t =
  let default = least t in
  if often t 0.35 then Searches_text.any t
  else
  let last =
    sprintf "core last = %s.last; if (!valid(last)) { %s }" t.thread default
  in
  sensible t Placement
    [
      default;
      default;
      search t "system_cores()" ^ default;
      fewest t;
      counted t;
      first_of_sorted t;
      sprintf "%s if (%s) return last; %s" last (is_idle t "last") default;
      sprintf "%s %s %s" last (near t) default;
      sprintf "%s %s" (search t (t.thread ^ ".cg.cores")) default;
      sprintf "%s %s" (search t (t.thread ^ ".part.cores")) default;
      sprintf "core one = %s(idle_cores); if (valid(one) && %s) return one; %s"
        (one t [ "first"; "any" ])
        (is_idle t "one") default;
      sprintf "core one = first(idle_cores); if (valid(one)) return one; %s"
        default;
      sprintf "if (empty(idle_cores)) { %s } core one = first(idle_cores %s); if (valid(one)) return one; %s"
        default (idlest t) default;
      search t "idle_cores" ^ default;
    ]
    [
      last ^ " return last;";
      "return self;";
      "return first(system_cores());";
      sprintf "core one = first(%s.cg.cores %s); return valid(one) ? one : self;"
        t.thread (idlest t);
      sprintf
        "group g = %s.home; if (g == none || g.level > 0) { %s } return self;"
        t.thread default;
      "return any(any(self.domains).cores);";
      sprintf "%s if (%s.pinned) return last; %s" last t.thread default;
      sprintf "core one = first(active_cores); if (valid(one)) return one; %s"
        default;
      sprintf "if (!empty(active_cores)) return self; %s" default;
      search t "idle_cores" ^ "return self;";
      sprintf
        "%s domain d = first(last.domains); core one = first(d.cores %s); \
         return valid(one) ? one : self;"
        last (idlest t);
      "core one = first(system_cores() order = { lowest rank }); return \
       !valid(one) || draw() % 2 == 0 ? self : one;";
    ]
[@@ocamlformat "disable"]

let placement t = where_it_may t ^ best t
