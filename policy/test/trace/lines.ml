(* The events read from lines. *)

open Dromos_policy_trace
open Trace

let show (e : event) =
  let task { pid; comm } = Printf.sprintf "%S %d" comm pid in
  let said =
    match e.what with
    | Switch { prev; ready; dead; next } ->
        Printf.sprintf "switch %s%s to %s" (task prev)
          (if dead then ", dead" else if ready then ", ready" else "")
          (task next)
    | Wakeup { task = t; onto; fresh } ->
        Printf.sprintf "%s %s on %d"
          (if fresh then "new" else "wake")
          (task t) onto
    | Waking { task = t; onto } ->
        Printf.sprintf "waking %s on %d" (task t) onto
    | Migrate { task = t; from; onto } ->
        Printf.sprintf "migrate %s from %d to %d" (task t) from onto
    | Fork t -> "fork " ^ task t
    | Exit t -> "exit " ^ task t
    | Lost n -> Printf.sprintf "lost %d" n
  in
  Printf.sprintf "%d %d on %d: %s" e.at e.current e.cpu said

let read lines = Text.read (String.concat "\n" lines)

let reads name lines expected =
  let check () =
    let trace = read lines in
    Alcotest.(check (list string))
      "events" expected
      (List.map show (Array.to_list trace.events));
    Alcotest.(check (list (pair int string)))
      "faults" []
      (List.map (fun { line; text } -> (line, text)) trace.faults)
  in
  Alcotest.test_case name `Quick check

let switch prev rest =
  Printf.sprintf
    "   a-12      [003] d..2.  1.000002: sched_switch: prev_comm=%s \
     prev_pid=12 prev_prio=120 prev_state=%s"
    prev rest

let forms =
  [
    reads "ftrace"
      [
        "# tracer: nop";
        "#";
        "";
        "          <idle>-0       [001] dNh4.   381.000001: sched_wakeup: \
         comm=b pid=13 prio=120 target_cpu=003";
        "    kworker/0:2-17714 [000] d..2. 381.5: sched_switch: \
         prev_comm=kworker/0:2 prev_pid=17714 prev_prio=120 prev_state=I ==> \
         next_comm=rcu_preempt next_pid=15 next_prio=120";
        "              sh-14840   (  14840) [001] ..... 381.600000: \
         sched_process_fork: comm=sh pid=14840 child_comm=sh child_pid=14843";
        "              sh-14840   (-------) [001] d..2. 381.600001: \
         sched_wakeup_new: comm=sh pid=14843 prio=120 target_cpu=000";
        "           <...>-9     [001] ..... 381.700000: sched_process_exit: \
         comm=x pid=9 prio=-51 group_dead=true";
        "           <...>-9     [001] ..... 381.800000: irq_handler_entry: \
         irq=4 name=serial";
        " => schedule";
        "           <...>-9     [001] 381.900000: sched_migrate_task: comm=y \
         pid=8 prio=120 orig_cpu=1 dest_cpu=12";
      ]
      [
        {|381000001000 0 on 1: wake "b" 13 on 3|};
        {|381500000000 17714 on 0: switch "kworker/0:2" 17714 to "rcu_preempt" 15|};
        {|381600000000 14840 on 1: fork "sh" 14843|};
        {|381600001000 14840 on 1: new "sh" 14843 on 0|};
        {|381700000000 9 on 1: exit "x" 9|};
        {|381900000000 9 on 1: migrate "y" 8 from 1 to 12|};
      ];
    reads "trace-cmd report"
      [
        "cpus=4";
        "version = 7";
        "CPU 2 is empty";
        "          <idle>-0     [003]  1.000001: sched_switch:         \
         swapper/3:0 [120] R ==> bash:77 [120]";
        "            bash-77    [003] d..2.  1.000002: sched_wakeup:         \
         kworker/3:1:55 [100] CPU:003";
        "            bash-77    [003]  1.000003: sched_wakeup_new: b:78 [120] \
         success=1 CPU:001";
        "            bash-77    [003]  1.000004: sched_switch:         bash:77 \
         [120] Z ==> kworker/3:1:55 [100]";
      ]
      [
        {|1000001000 0 on 3: switch "swapper/3" 0, ready to "bash" 77|};
        {|1000002000 77 on 3: wake "kworker/3:1" 55 on 3|};
        {|1000003000 77 on 3: new "b" 78 on 1|};
        {|1000004000 77 on 3: switch "bash" 77, dead to "kworker/3:1" 55|};
      ];
    reads "perf script"
      [
        "            perf   13464 [000] 24041.789218:       \
         sched:sched_waking: comm=migration/0 pid=18 prio=0 target_cpu=000";
        "        ffffffff810b6a5c try_to_wake_up+0x1ac ([kernel.kallsyms])";
        "             :-1      -1 [001] 24041.789219123:          1 \
         sched:sched_switch: prev_comm=sh prev_pid=5 prev_prio=120 \
         prev_state=X ==> next_comm=swapper/1 next_pid=0 next_prio=120";
        "a b   13464/13470 [000] 24041.789220: sched:sched_stat_runtime: \
         comm=perf pid=13464 runtime=67856 [ns]";
        "a b   13464/13470 [000] 24041.789221: sched:sched_waking: comm=c \
         pid=1 prio=0 target_cpu=000";
      ]
      [
        {|24041789218000 13464 on 0: waking "migration/0" 18 on 0|};
        {|24041789219123 -1 on 1: switch "sh" 5, dead to "swapper/1" 0|};
        {|24041789221000 13470 on 0: waking "c" 1 on 0|};
      ];
    reads "in any order, from any system"
      [
        "  b-2 [000] ..... 2.000000: sched_process_exit: comm=b pid=2 prio=1\r";
        "  a-1 [000] ..... 1.000000: sched_process_exit: comm=a pid=1 prio=1\r";
      ]
      [ {|1000000000 1 on 0: exit "a" 1|}; {|2000000000 2 on 0: exit "b" 2|} ];
    reads "preempted on its way to sleep, as old kernels say"
      [ switch "a" "S+ ==> next_comm=b next_pid=13 next_prio=120" ]
      [ {|1000002000 12 on 3: switch "a" 12, ready to "b" 13|} ];
    reads "woken in vain"
      [
        "  b-2 [000] ..... 2.000000: sched_wakeup: comm=b pid=2 prio=1 \
         success=0 target_cpu=000";
      ]
      [];
  ]

let names =
  let reads name prev next =
    reads name
      [ switch prev "R+ ==> next_comm=" ^ next ^ " next_pid=13 next_prio=120" ]
      [
        Printf.sprintf "1000002000 12 on 3: switch %S 12, ready to %S 13" prev
          next;
      ]
  in
  [
    reads "spaces" "a b  c" "tmux: server";
    reads "none" "" "";
    reads "fields" " prev_pid=7" " next_pid=8";
    reads "separators" " ==> next_comm=" " ==> next_comm=";
    reads "brackets" "[003] 1.5: x: y" "[000]";
    reads "colons" "a:1 [120] R ==>" "b:1 [120]";
  ]

let heads =
  [
    reads "a name like a head"
      [
        " [1] 2.5: a: b-7    [003] d..2.  1.000002: sched_process_exit: \
         comm=[1] 2.5: a: b pid=7 prio=120";
      ]
      [ {|1000002000 7 on 3: exit "[1] 2.5: a: b" 7|} ];
    reads "a name with fields"
      [
        " x-7    [003]  1.000002: sched_process_fork: comm=a pid=1 child_comm= \
         pid=7 child_comm= child_pid=9 child_pid=10";
        " x-7    [003]  1.000003: sched_wakeup: comm= pid=1 pid=11 prio=1 \
         target_cpu=2";
      ]
      [
        {|1000002000 7 on 3: fork " pid=7 child_comm= child_pid=9" 10|};
        {|1000003000 7 on 3: wake " pid=1" 11 on 2|};
      ];
  ]

(* {1 Missing events, and lines that cannot be read} *)

let exit_line cpu at =
  Printf.sprintf
    "   b-2   [%03d] .....  %d.000000: sched_process_exit: comm=b pid=2 prio=1"
    cpu at

let lost () =
  let trace =
    read
      [
        "# entries-in-buffer/entries-written: 205/405   #P:6";
        exit_line 1 1;
        "CPU:1 [LOST 123 EVENTS]";
        exit_line 0 2;
        exit_line 1 3;
        "CPU:0 [EVENTS DROPPED]";
      ]
  in
  Alcotest.(check int) "lost" (200 + 123) trace.lost;
  Alcotest.(check int) "cores" 6 trace.cpus;
  Alcotest.(check bool) "begun" false trace.begun;
  Alcotest.(check (list string))
    "before the next event of the core"
    [
      {|1000000000 2 on 1: exit "b" 2|};
      {|2000000000 2 on 0: exit "b" 2|};
      {|3000000000 -1 on 1: lost 123|};
      {|3000000000 2 on 1: exit "b" 2|};
      {|3000000000 -1 on 0: lost 0|};
    ]
    (List.map show (Array.to_list trace.events))

let faults () =
  let trace =
    read
      [
        exit_line 1 1;
        "what is this?";
        switch "a" "R ==> next_comm=b next_";
        exit_line 1 2;
        "   b-2   [99999] ..... 3.000000: sched_process_exit: comm=b pid=2 \
         prio=1";
        "   b-2   [001] ..... 4.0000";
      ]
  in
  Alcotest.(check int) "the rest is read" 2 (Array.length trace.events);
  Alcotest.(check (list (pair int string)))
    "in which lines"
    [
      (2, "neither ftrace's nor perf script's");
      (3, "sched_switch: its fields are not the usual ones");
      (5, "neither ftrace's nor perf script's");
      (6, "neither ftrace's nor perf script's");
    ]
    (List.map (fun { line; text } -> (line, text)) trace.faults)

let many_faults () =
  let trace = read (exit_line 0 1 :: List.init 1000 (fun _ -> "?")) in
  Alcotest.(check int) "all are counted" 1000 trace.faulty;
  Alcotest.(check int) "some are kept" 100 (List.length trace.faults)

let refused what text expected () =
  match Read.text text with
  | Ok _ -> Alcotest.failf "%s is read" what
  | Error why -> Alcotest.(check string) what expected why

let nothing = "it has no event of the scheduler"

let cases =
  let case name f = Alcotest.test_case name `Quick f in
  [
    ("forms", forms);
    ("names", names @ heads);
    ( "faults",
      [
        case "lost events" lost;
        case "lines" faults;
        case "many" many_faults;
        case "an empty file"
          (refused "nothing" "" (nothing ^ " (sched_switch and so on)"));
        case "another text"
          (refused "prose" "It was a dark night.\n"
             ("line 1: neither ftrace's nor perf script's; " ^ nothing));
        case "trace-cmd's own file"
          (refused "trace.dat" "\x17\x08\x44tracing6\000"
             "it is trace-cmd's own: give what `trace-cmd report` prints of it");
        case "the other byte order"
          (refused "perf.data" "2ELIFREP....."
             "it was recorded on a machine of the other byte order: give perf \
              script's text of it");
      ] );
  ]
