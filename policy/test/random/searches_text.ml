(* Searches for a core that carry state from iteration to iteration: in locals,
   and in attributes of groups, domains and the policy, over groups within
   domains.

   The texts are bodies of a function of a thread that returns a core. Sound
   searches look at every core before they choose a core that is not idle. *)

open Draw

let sprintf = Printf.sprintf
let least t = sprintf "return first(system_cores() %s);" (idlest t)

(* The best group of a domain, then the best core of the group. The search is
   right if there is nothing to choose from, as the last domain's groups hold
   all cores. *)
let by_groups t =
  let weigh g =
    sprintf "int n = 0; foreach (c in %s.cores) { if (%s) n++; }" g
      (is_idle t "c")
  in
  let better =
    sensible t Placement [ "n > most" ] [ "n >= most"; "most == 0" ]
  in
  sprintf
    "core best = self; int most = 0; foreach (d in self.domains) { foreach (g \
     in d.groups) { %s if (%s) { most = n; best = first(g.cores %s); } } } if \
     (most > 0) return best; %s"
    (weigh "g") better (idlest t)
    (sensible t Placement [ least t ] [ "return best;"; "return self;" ])

(* A flag that the loop sets ends the search, or wrongly ends it. *)
let flagged t =
  let core = t.core in
  let found, reset =
    one t
      [
        ("lucky", "bool lucky = false;");
        ("placed == 1", "bool lucky = false; placed = 0;");
        ("g.used == 1", "bool lucky = false;");
      ]
  in
  let set, over =
    match found with
    | "placed == 1" -> ("placed = 1; lucky = true;", "")
    | "g.used == 1" -> ("lucky = true;", "g.used = 0;")
    | _ -> ("lucky = true;", "")
  in
  let asks =
    sensible t Placement
      [ sprintf "!lucky && %s" (is_idle t core) ]
      [ "!lucky"; sprintf "lucky || %s" (is_idle t core) ]
  in
  let mark = sensible t Placement [ "" ] [ "lucky = true;" ] in
  sprintf
    "%s core best = self; foreach (d in self.domains) { foreach (g in \
     d.groups) { %s foreach (%s in g.cores) { if (%s) { best = %s; %s } %s } } \
     } if (lucky) return best; %s"
    reset over core asks core set mark (least t)

(* Numbers of the system. *)
let drawn t =
  let core = t.core in
  let number = one t [ "random() % 3"; "now() % 2"; "(draw() & 1)"; "now()" ] in
  sensible t Placement
    [
      sprintf
        "int n = %s; foreach (%s in system_cores()) { if (%s) { if (n <= 0) \
         return %s; n--; } } %s"
        number core (is_idle t core) core (least t);
      sprintf
        "core one = first(system_cores() %s); if (%s == 0) { note(%s); } \
         return one;"
        (idlest t) number t.thread;
    ]
    [
      sprintf
        "int n = %s; foreach (%s in system_cores()) { if (n == 0) return %s; \
         n--; } %s"
        number core core (least t);
      sprintf "if (%s == 0) return self; %s" number (least t);
    ]

(* Prefers some cores: to cores that are no worse, or to all. *)
let preferred t =
  let by = one t [ "highest rank"; "lowest rank" ] in
  let liked = one t [ "c.big"; "c.rank > 0"; "c.sort == HUGE" ] in
  sensible t Placement
    [
      sprintf "return first(system_cores() order = { lowest count, %s });" by;
      sprintf "foreach (c in system_cores()) { if (%s && %s) return c; } %s"
        liked (is_idle t "c") (least t);
    ]
    [
      sprintf "return first(system_cores() order = { %s, lowest count });" by;
      sprintf "foreach (c in system_cores()) { if (%s) return c; } %s" liked
        (least t);
      sprintf
        "foreach (d in self.domains) { if (d.wide) { foreach (c in d.cores) { \
         if (%s) return c; } } } return self;"
        (is_idle t "c");
    ]

let any t = (one t [ by_groups; flagged; drawn; preferred; drawn; preferred; preferred ]) t
[@@ocamlformat "disable"]
