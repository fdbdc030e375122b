(* Faults seeded into the C made for Linux: each is noticed. *)

(* A replaced text, its replacement, and the policies that should show the
   fault. *)
let faults =
  [
    ( "a word is not lowered",
      "OBSERVE(core->runnable) += n;",
      "OBSERVE(core->runnable) += n > 0 ? n : 0;",
      [ "fifo" ] );
    ( "the load is not kept",
      "OBSERVE(core->cload) += load * n;",
      "OBSERVE(core->cload) += n;",
      [ "cfs_cwc_flat" ] );
    ("equal keys go before", "if (keys[0] != ", "if (", [ "edf"; "ule_cwc" ]);
    ( "an order upside down",
      "return keys[0] < ",
      "return keys[0] > ",
      [ "edf"; "scx_simple_vtime" ] );
    ( "a queue is searched from the end though keys changed",
      "if (!q->unsorted) {",
      "if (1) {",
      [ "changing" ] );
    ( "last in, first out",
      "                                : core->queue[STATE_AT(state)].last);",
      "                                : 0);",
      [ "fifo" ] );
    ( "the last of equals is taken",
      "this_ < k_) least_ = i",
      "this_ <= k_) least_ = i",
      [ "fifo" ] );
    ( "the destination is not seen with what was taken",
      "(c == e->destination ? e->taken_load : 0)",
      "0",
      [ "fifo"; "work_stealing" ] );
    ( "one core only is tried",
      "if (!REPEATED || until(e)) break;",
      "break;",
      [ "arithmetic" ] );
    ( "until is not asked",
      "if (!REPEATED || until(e)) break;",
      "if (!REPEATED) break;",
      [ "arithmetic" ] );
    ("enough is not asked", "if (enough(e)) return first;", "", [ "cfs_cwc" ]);
    ( "the destination steals from itself",
      "c != dst && (h < 0",
      "(h < 0",
      [ "changing" ] );
    ( "groups of all domains",
      "DOMAIN_HAS_GROUP(domain, h) && can_steal_group",
      "can_steal_group",
      [ "cfs_cwc"; "scx_rusty" ] );
    ( "the queue that is offered first",
      "case 0: return state__realtime",
      "case 0: return state__timeshare",
      [ "ule_cwc" ] );
    ( "a thread that yields goes on",
      "if (it->yields && it->state == RUNNING) on_yield(e);",
      "",
      [ "fifo" ] );
    ("a tick is lost", "if (it->ticked) on_tick(e);", "", [ "round_robin" ]);
    ( "the waker is no thread",
      "return t == e->target ? 0 : t;",
      "return 0;",
      [ "all_events"; "wake_affine"; "lavd" ] );
    ("enter_idle again and again", "core->asleep = true;", "", [ "all_events" ]);
    ( "a thread on its way does not count",
      "return serves(c) ? OBSERVE(cores[AT(c, MAX_CORES)].runnable) : 0;",
      "return serves(c) ? OBSERVE(cores[AT(c, MAX_CORES)].count[RUNNING]) : 0;",
      [ "idle_sibling"; "values_that_cannot_be"; "lavd" ] );
    ( "a thread that ends blocks",
      "on_terminate(&e);",
      "on_block(&e);",
      [ "arithmetic" ] );
    ( "a new thread wakes",
      "on_new(e);\n  else",
      "on_unblock(e);\n  else",
      [ "arithmetic" ] );
    ( "a thread that may not run there is offered",
      " && allowed(t, e->destination)",
      "",
      [ "fifo" ] );
    ( "enough is asked after what was not offered",
      "        if (enough(e)) return first;\n      }",
      "      }\n      if (enough(e)) return first;",
      [ "cfs_cwc"; "cfs_cwc_flat" ] );
    ( "sets have cores on which the thread may not run",
      "allowed(e->target, ",
      "serves(",
      [ "cfs_cwc"; "scx_rusty" ] );
    ( "a thread goes to the first core where it may run",
      "LEAST(FOR_CORES, o, allowed(t, o), runnable(o))",
      "LEAST(FOR_CORES, o, allowed(t, o), 0)",
      [ "work_stealing" ] );
    ( "division rounds down",
      "b == -1 ? -a : a / b",
      "(a - (a % b + b) % b) / b",
      [ "arithmetic" ] );
  ]

(* Tests whether the changed program differs from the semantics after a number
   of events. *)
let noticed policy program =
  List.exists
    (fun (threads, topology) ->
      let t = Linux_pair.start ~topology ~threads policy program in
      Fun.protect ~finally:(fun () -> Linux_pair.stop t) @@ fun () ->
      Linux_pair.set_system t (fun () -> Random.State.int Watch.chance 9);
      let rec go n =
        match Linux_pair.difference t with
        | Some _ -> true
        | None when n = 0 -> false
        | None ->
            ignore (Linux_pair.next Watch.chance t : string);
            go (n - 1)
      in
      go 1500)
    (List.concat_map
       (fun topology -> [ (9, topology); (2, topology) ])
       Trees.all)

let caught files (what, from, by, policies) () =
  let named name =
    List.find_opt (fun file -> Filename.basename file = name ^ ".policy") files
  in
  let shows file =
    let text = In_channel.with_open_text file In_channel.input_all in
    let policy = Random_policy.policy text in
    let found = ref false in
    (Linux_pair.change :=
       fun text ->
         let there, text = Texts_changed.replace ~from ~by text in
         found := there;
         text);
    let program = Linux_pair.build ~name:file policy in
    Linux_pair.change := Fun.id;
    !found && noticed policy program
  in
  match List.filter_map named policies with
  | [] -> Alcotest.failf "%s: no such policy" what
  | some ->
      if not (List.exists shows some) then
        Alcotest.failf "%s: not noticed (%s)" what (String.concat ", " some)

let () =
  let files = List.tl (Array.to_list Sys.argv) in
  Watch.suite "faults in the C for Linux" (fun () ->
      Alcotest.run ~and_exit:false
        ~argv:[| Sys.argv.(0) |]
        "faults in the C for Linux"
        [
          ( "are noticed",
            List.map
              (fun ((what, _, _, _) as fault) ->
                Watch.case what (caught files fault))
              faults );
        ])
