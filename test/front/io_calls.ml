(* Waiting for descriptors and processes. *)

open With_run
module Io = Dromos.Io
module Event = Dromos.Event

let pair () = Unix.socketpair ~cloexec:true PF_UNIX SOCK_STREAM 0
let pipe () = Unix.pipe ~cloexec:true ()
let close fds = List.iter Io.close fds
let timed_out f = raises "no timeout" Dromos.Timeout f

let fails what expected f =
  match f () with
  | _ -> raise (Wrong (what ^ ": no exception"))
  | exception Unix.Unix_error (e, _, _) when e = expected -> ()

(* The waiting fiber is asleep, most of the time, when the rest comes. *)
let soon () = Dromos.sleep 0.002

let with_pair f =
  let a, b = pair () in
  Fun.protect (fun () -> f a b) ~finally:(fun () -> close [ a; b ])

(* {1 Reading and writing} *)

let echo fd =
  let buffer = Bytes.create 256 in
  let rec go () =
    match Io.read fd buffer 0 256 with
    | 0 -> ()
    | n ->
        Io.write fd buffer 0 n;
        go ()
  in
  Fun.protect go ~finally:(fun () -> Io.close fd)

let serve scope listener =
  let rec go () =
    let connection, _ = Io.accept listener in
    Dromos.Scope.fork scope (fun () -> echo connection);
    go ()
  in
  Dromos.Scope.fork scope (fun () ->
      try go () with Unix.Unix_error (EBADF, _, _) -> ())

let listen () =
  let listener = Unix.socket ~cloexec:true PF_INET SOCK_STREAM 0 in
  Unix.bind listener (ADDR_INET (Unix.inet_addr_loopback, 0));
  Unix.listen listener 1000;
  (listener, Unix.getsockname listener)

let client address messages =
  let fd = Unix.socket ~cloexec:true PF_INET SOCK_STREAM 0 in
  Fun.protect ~finally:(fun () -> Io.close fd) @@ fun () ->
  Io.connect fd address;
  let back = Bytes.create 100 in
  times messages (fun i ->
      let message = String.init 100 (fun k -> Char.chr ((i + k) land 255)) in
      Io.write_string fd message;
      Io.really_read fd back 0 100;
      ensure "echo" (Bytes.to_string back = message))

let connections = 500

let echo_server () =
  any (fun () ->
      let listener, address = listen () in
      Dromos.Scope.run (fun scope ->
          serve scope listener;
          Dromos.Scope.run (fun clients ->
              times connections (fun _ ->
                  Dromos.Scope.fork clients (fun () -> client address 5)));
          Io.close listener))

(* A writer ahead of the reader waits; both wait on the same descriptor. *)
let both_ways () =
  any (fun () ->
      with_pair (fun a b ->
          let n = 1_000_000 in
          let send fd () = Io.write fd (Bytes.make n 'x') 0 n in
          let receive fd () = Io.really_read fd (Bytes.create n) 0 n in
          ignore
            (Dromos.all
               (List.map
                  (fun f () -> f ())
                  [ send a; receive a; send b; receive b ])
              : unit list)))

let full_pipe () =
  any (fun () ->
      let out, into = pipe () in
      let buffer = Bytes.make 300_000 'x' in
      let writer =
        Dromos.async (fun () ->
            Io.write into buffer 0 (Bytes.length buffer);
            Io.close into)
      in
      soon ();
      timed_out (fun () ->
          Io.await_writable ~timeout:0.001 into;
          (* A pipe has room for some bytes, but not for all bytes of the
             buffer. *)
          Io.write ~timeout:0.001 into buffer 0 (Bytes.length buffer));
      let rec drain total =
        match Io.read out (Bytes.create 4096) 0 4096 with
        | 0 -> total
        | n -> drain (total + n)
      in
      ensure "all came" (drain 0 >= Bytes.length buffer);
      Dromos.await writer;
      raises "the end" End_of_file (fun () ->
          Io.really_read out (Bytes.create 1) 0 1);
      Io.close out)

let ready_at_once () =
  any (fun () ->
      let file = Filename.temp_file "io" "" in
      let fd = Unix.openfile file [ O_RDWR; O_CLOEXEC ] 0 in
      Io.await_readable fd;
      Io.await_writable fd;
      Event.sync (Io.readable_event fd);
      Io.write_string fd "in a file";
      equal "end" 0 (Io.read fd (Bytes.create 1) 0 1);
      Io.close fd;
      Sys.remove file;
      let null = Unix.openfile "/dev/null" [ O_RDWR; O_CLOEXEC ] 0 in
      Io.await_readable ~timeout:0. null;
      Io.await_readable null;
      Io.close null)

(* {1 Giving up} *)

let timeouts () =
  any (fun () ->
      with_pair (fun a b ->
          let one = Bytes.create 1 in
          timed_out (fun () -> Io.await_readable ~timeout:0.002 a);
          timed_out (fun () -> Io.await_readable ~timeout:0. a);
          timed_out (fun () -> Io.read ~timeout:0. a one 0 1);
          timed_out (fun () -> Io.really_read ~timeout:0.002 a one 0 1);
          timed_out (fun () ->
              Dromos.timeout 0.002 (fun () -> Io.read a one 0 1));
          Io.await_writable ~timeout:0. a;
          Io.write_string b "x";
          equal "after them" 1 (Io.read ~timeout:0. a one 0 1);
          match Io.await_readable ~timeout:(-1.) a with
          | () -> raise (Wrong "negative")
          | exception Invalid_argument _ -> ()))

let cancelled () =
  any (fun () ->
      with_pair (fun a b ->
          times 50 (fun _ ->
              match
                Dromos.Scope.run (fun s ->
                    times 20 (fun _ ->
                        Dromos.Scope.fork s (fun () -> Io.await_readable a));
                    Dromos.yield ();
                    Dromos.Scope.cancel s)
              with
              | () | (exception Dromos.Cancelled) -> ());
          equal "no watch is left" 0 (Dromos_service.Poller.pending ());
          let waits = Dromos.async (fun () -> Io.await_readable a) in
          soon ();
          Io.write_string b "x";
          Dromos.await waits))

(* {1 Closing} *)

let waiter wait = Dromos.async (fun () -> fails "closed" EBADF wait)

let closed () =
  any (fun () ->
      let a, b = pair () in
      let waits =
        [
          waiter (fun () -> Io.await_readable a);
          waiter (fun () -> ignore (Io.read a (Bytes.create 1) 0 1 : int));
          waiter (fun () -> Event.sync (Io.readable_event a));
        ]
      in
      soon ();
      Io.close a;
      List.iter Dromos.await waits;
      fails "again" EBADF (fun () -> Io.await_readable a);
      fails "read" EBADF (fun () -> ignore (Io.read a (Bytes.create 1) 0 1));
      fails "close" EBADF (fun () -> Io.close a);
      Io.close b)

(* The descriptor is closed behind Dromos's back; later its number belongs to
   another file. *)
let closed_behind () =
  any (fun () ->
      let a, b = pair () in
      let waits = waiter (fun () -> Io.await_readable a) in
      soon ();
      Unix.close a;
      Dromos.await waits;
      let c, c' = pair () and d, d' = pair () in
      let waits = waiter (fun () -> Io.await_readable c) in
      soon ();
      Unix.dup2 ~cloexec:true d c;
      let reads = Dromos.async (fun () -> Io.await_readable c) in
      Dromos.await waits;
      Io.write_string d' "x";
      Dromos.await reads;
      close [ b; c; c'; d; d' ])

(* Each operation on a descriptor that is closed before, or while the operation
   waits, in each way. A descriptor that the operation waits for has nothing to read
   and no room. *)
let operations =
  let one = Bytes.make 1 'x' in
  [
    (fun fd -> Io.await_readable fd);
    (fun fd -> Io.await_writable fd);
    (fun fd -> ignore (Io.read fd one 0 1 : int));
    (fun fd -> Io.really_read fd one 0 1);
    (fun fd -> ignore (Io.single_write fd one 0 1 : int));
    (fun fd -> Io.write fd one 0 1);
    (fun fd -> ignore (Io.recv fd one 0 1 [] : int));
    (fun fd -> ignore (Io.send fd one 0 1 [] : int));
    (fun fd -> Event.sync (Io.readable_event fd));
    (fun fd -> Event.sync (Io.writable_event fd));
  ]

let rec fill fd =
  match Unix.single_write fd (Bytes.make 65536 'x') 0 65536 with
  | _ -> fill fd
  | exception Unix.Unix_error ((EAGAIN | EWOULDBLOCK), _, _) -> ()

(* The number belongs to another file at once. *)
let reopen fd =
  let c, c' = pair () in
  Unix.dup2 ~cloexec:true c fd;
  Io.close c;
  c'

(* The same file under a number that stays free after a close: pipes that Dromos opens
   meanwhile, for a domain that begins, take lower numbers. *)
let high fd =
  let all = List.init 100 (fun _ -> Unix.dup ~cloexec:true fd) in
  let last = List.nth all 99 in
  List.iter (fun d -> if d != last then Unix.close d) all;
  Unix.close fd;
  last

let closed_for_all () =
  any (fun () ->
      let a, b = pair () in
      let a = high a in
      Io.close a;
      List.iter (fun f -> fails "before" EBADF (fun () -> f a)) operations;
      Io.close b;
      let while_waiting close =
        let pairs = List.map (fun f -> (f, pair ())) operations in
        let waits =
          List.map
            (fun (f, (a, _)) ->
              Unix.set_nonblock a;
              fill a;
              waiter (fun () -> f a))
            pairs
        in
        soon ();
        let others = List.map (fun (_, (a, _)) -> close a) pairs in
        List.iter Dromos.await waits;
        List.iter (fun (_, (_, b)) -> Io.close b) pairs;
        List.iter (Option.iter Io.close) others
      in
      while_waiting (fun a ->
          Io.close a;
          None);
      while_waiting (fun a ->
          Unix.close a;
          None);
      while_waiting (fun a -> Some (reopen a)))

(* {1 Choices} *)

let events () =
  any (fun () ->
      with_pair (fun a b ->
          let channel = Dromos.Channel.create () in
          let choose () =
            Event.select
              [
                Event.wrap (Io.readable_event a) (fun () -> `Readable);
                Event.wrap (Dromos.Channel.recv_event channel) (fun () ->
                    `Received);
                Event.wrap (Event.timeout 5.) (fun () -> `Late);
              ]
          in
          let chooses () = Dromos.async choose in
          let first = chooses () in
          soon ();
          Io.write_string b "x";
          ensure "readable" (Dromos.await first = `Readable);
          ensure "at once" (Event.poll (Io.readable_event a) = Some ());
          equal "read" 1 (Io.read a (Bytes.create 1) 0 1);
          ensure "not now" (Event.poll (Io.readable_event a) = None);
          let second = chooses () in
          Dromos.Channel.send channel ();
          ensure "received" (Dromos.await second = `Received);
          ensure "late"
            (Event.sync (Event.within 0.002 (Io.readable_event a)) = None);
          ensure "writable" (Event.sync (Io.writable_event a) = ())))

(* Choices whose branches become possible together, all the time. *)
let busy_choices () =
  any (fun () ->
      with_pair (fun a b ->
          with_pair (fun c d ->
              let n = 500 in
              let send fd () =
                times n (fun i ->
                    Io.write_string fd "x";
                    if i mod 7 = 0 then Dromos.yield ())
              in
              let got = ref 0 in
              let take fd () =
                match Unix.read fd (Bytes.create 1) 0 1 with
                | n -> got := !got + n
                | exception Unix.Unix_error (EAGAIN, _, _) -> ()
              in
              Unix.set_nonblock a;
              Unix.set_nonblock c;
              Dromos.Scope.run (fun s ->
                  Dromos.Scope.fork s (send b);
                  Dromos.Scope.fork s (send d);
                  while !got < 2 * n do
                    Event.select
                      [
                        Event.wrap (Io.readable_event a) (take a);
                        Event.wrap (Io.readable_event c) (take c);
                      ]
                  done))))

(* {1 Other callers} *)

let from_threads () =
  with_pair (fun a b ->
      let reader =
        Thread.create
          (fun () ->
            let buffer = Bytes.create 5 in
            Io.really_read a buffer 0 5;
            ensure "hello" (Bytes.to_string buffer = "hello"))
          ()
      in
      Thread.delay 0.002;
      Io.write_string b "hello";
      Thread.join reader;
      timed_out (fun () -> Io.await_readable ~timeout:0.002 a))

let unix_listener () =
  any (fun () ->
      let path = Filename.temp_file "io" ".sock" in
      Sys.remove path;
      let listener = Unix.socket ~cloexec:true PF_UNIX SOCK_STREAM 0 in
      Unix.bind listener (ADDR_UNIX path);
      Unix.listen listener 1;
      let n = 20 in
      Dromos.Scope.run (fun s ->
          times n (fun _ ->
              Dromos.Scope.fork s (fun () ->
                  let fd = Unix.socket ~cloexec:true PF_UNIX SOCK_STREAM 0 in
                  Io.connect fd (ADDR_UNIX path);
                  Io.close fd));
          times n (fun _ -> Io.close (fst (Io.accept listener))));
      Io.close listener;
      Sys.remove path)

let refused_connection () =
  any (fun () ->
      let listener, address = listen () in
      Io.close listener;
      let fd = Unix.socket ~cloexec:true PF_INET SOCK_STREAM 0 in
      fails "refused" ECONNREFUSED (fun () -> Io.connect fd address);
      Io.close fd)

let datagrams () =
  any (fun () ->
      let make () =
        let fd = Unix.socket ~cloexec:true PF_INET SOCK_DGRAM 0 in
        Unix.bind fd (ADDR_INET (Unix.inet_addr_loopback, 0));
        (fd, Unix.getsockname fd)
      in
      let (a, at_a), (b, at_b) = (make (), make ()) in
      let got = Bytes.create 10 in
      let receives = Dromos.async (fun () -> Io.recvfrom b got 0 10 []) in
      soon ();
      equal "sent" 3 (Io.sendto a (Bytes.of_string "abc") 0 3 [] at_b);
      let n, from = Dromos.await receives in
      ensure "received"
        (n = 3 && from = at_a && Bytes.sub_string got 0 3 = "abc");
      close [ a; b ])

(* {1 Processes} *)

let shell command =
  Unix.create_process "/bin/sh" [| "sh"; "-c"; command |] Unix.stdin Unix.stdout
    Unix.stderr

let processes () =
  any (fun () ->
      let pids =
        List.init 20 (fun i -> (i, shell (Printf.sprintf "exit %d" i)))
      in
      ignore
        (Dromos.all
           (List.map
              (fun (i, pid) () ->
                let pid', status = Io.waitpid pid in
                ensure "process" (pid = pid' && status = WEXITED i))
              pids)
          : unit list);
      let pid = shell "exec sleep 100" in
      timed_out (fun () -> Io.waitpid ~timeout:0.002 pid);
      timed_out (fun () -> Dromos.timeout 0.002 (fun () -> Io.waitpid pid));
      Unix.kill pid Sys.sigkill;
      ensure "killed" (snd (Io.waitpid pid) = WSIGNALED Sys.sigkill);
      fails "gone" ECHILD (fun () -> Io.waitpid pid);
      Misuse.invalid "any" "waitpid" (fun () -> Io.waitpid (-1)))

(* The report of a waiting fiber. *)
let told () =
  go (fun () ->
      with_pair (fun a b ->
          let waits =
            Dromos.async ~name:"reader" (fun () -> Io.await_readable a)
          in
          soon ();
          let file = Filename.temp_file "io" ".dump" in
          Out_channel.with_open_bin file (fun out -> Dromos.dump ~out ());
          let text = In_channel.with_open_bin file In_channel.input_all in
          Sys.remove file;
          let expected =
            Printf.sprintf "\"reader\" waits on Io.await_readable fd %d"
              (Dromos_service.Poller.number a)
          in
          ensure text (contains text expected);
          Io.write_string b "x";
          Dromos.await waits))

let arguments () =
  any (fun () ->
      with_pair (fun a _ ->
          List.iter
            (fun (pos, len) ->
              Misuse.invalid "read" "Io.read" (fun () ->
                  Io.read a (Bytes.create 10) pos len);
              Misuse.invalid "write" "Io.write" (fun () ->
                  Io.write a (Bytes.create 10) pos len))
            [ (-1, 1); (0, 11); (5, 6); (0, -1); (max_int, 1) ]))

(* {1 Storm}: readers that come and go, writers, closing. *)

let storm () =
  any (fun () ->
      let sent = Atomic.make 0 and received = Atomic.make 0 in
      let round () =
        let a, b = pair () in
        Dromos.Scope.run (fun s ->
            Dromos.Scope.fork s (fun () ->
                times 20 (fun i ->
                    Io.write_string b "x";
                    Atomic.incr sent;
                    if i mod 5 = 0 then soon ());
                Io.close b);
            times 3 (fun _ ->
                Dromos.Scope.fork s (fun () ->
                    let one = Bytes.create 1 in
                    let rec go () =
                      match Io.read ~timeout:0.001 a one 0 1 with
                      | 0 -> ()
                      | n ->
                          ignore (Atomic.fetch_and_add received n : int);
                          go ()
                      | exception Dromos.Timeout -> go ()
                    in
                    go ())));
        Io.close a
      in
      Dromos.Scope.run (fun s -> times 100 (fun _ -> Dromos.Scope.fork s round));
      equal "bytes" (Atomic.get sent) (Atomic.get received);
      equal "no watch is left" 0 (Dromos_service.Poller.pending ()))

let scenarios =
  [
    case "500 connections" echo_server;
    case "both ways" both_ways;
    case "a full pipe" full_pipe;
    case "always ready" ready_at_once;
    case "timeouts" timeouts;
    case "cancelled" cancelled;
    case "closed" closed;
    case "closed behind our back" closed_behind;
    case "every operation on a closed descriptor" closed_for_all;
    case "the number belongs to the poller"
      (Misuse.prints "closed-first"
         [ "all raised EBADF: true, a pipe works: true" ]);
    case "choices" events;
    case "busy choices" busy_choices;
    case "threads" from_threads;
    case "a listener's queue is full" unix_listener;
    case "a refused connection" refused_connection;
    case "datagrams" datagrams;
    case "processes" processes;
    case "arguments" arguments;
    case "the text of a dump" told;
    case "standard input"
      (Misuse.prints ~env:"(sleep 0.05; echo hi) |" "stdin"
         [ "said hi\n, false" ]);
    case "storm" storm;
  ]

let cases = scenarios
