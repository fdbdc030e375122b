(* Fiber-local storage, across and back. *)

open Lwt.Syntax
module Fls = Dromos.Fls

let string = Watch.check Alcotest.string
let key : string Fls.key = Fls.new_key ()
let look () = Option.value (Fls.find_opt key) ~default:"nothing"
let case = Watch.case

let from_lwt () =
  Dromos_lwt.run (fun () ->
      let bound () =
        string "in Lwt" "mine" (look ());
        let* () = Lwt_unix.sleep 0.001 in
        string "in a callback" "mine" (look ());
        let* there = Dromos_lwt.offload look in
        string "offloaded" "mine" there;
        let* back =
          Dromos_lwt.offload (fun () ->
              Fls.let_ key "theirs" (fun () ->
                  Dromos_lwt.in_lwt (fun () ->
                      let* () = Lwt.pause () in
                      Dromos_lwt.offload look)))
        in
        string "there and back" "theirs" back;
        Lwt.return ()
      in
      let* () = Lwt.join [ Fls.let_ key "mine" bound; Lwt.pause () ] in
      string "after it" "nothing" (look ());
      let* there = Dromos_lwt.offload look in
      string "offloaded after it" "nothing" there;
      match Fls.set key "no" with
      | () -> Alcotest.fail "Fls.set in Lwt code: no exception"
      | exception Dromos.Misplaced _ -> Lwt.return ())

let from_dromos () =
  Dromos_lwt.with_loop (fun () ->
      Dromos.run ~workers:2 (fun () ->
          Fls.let_ key "mine" (fun () ->
              let there =
                Dromos_lwt.in_lwt (fun () ->
                    let* () = Lwt_unix.sleep 0.001 in
                    Lwt.return (look ()))
              in
              string "there" "mine" there;
              string "and back" "mine" (look ()));
          let there = Dromos_lwt.in_lwt (fun () -> Lwt.return (look ())) in
          string "unbound" "nothing" there))

(* Fibers on Lwt's thread take turns inside their bindings. *)
let fibers () =
  Dromos_lwt.run (fun () ->
      let one i =
        Dromos_lwt.fiber (fun () ->
            let mine = string_of_int i in
            string "inherited" "outer" (look ());
            Fls.let_ key mine (fun () ->
                for _ = 1 to 3 do
                  Dromos_lwt.await (Lwt.pause ());
                  string "its own" mine (look ())
                done);
            string "after it" "outer" (look ()))
      in
      let all () = Lwt.join (List.init 10 one) in
      let* () = Fls.let_ key "outer" all in
      string "the loop" "nothing" (look ());
      Lwt.return ())

(* {1 Lwt's own keys} *)

let lwt_key : string Lwt.key = Lwt.new_key ()
let lwt_look () = Option.value (Lwt.get lwt_key) ~default:"nothing"
let read () = Option.value (Dromos_lwt.get lwt_key) ~default:"nothing"
let bind v f = Lwt.with_value lwt_key (Some v) f

let back () =
  Dromos_lwt.in_lwt (fun () ->
      let first = lwt_look () in
      let* () = Lwt_unix.sleep 0.001 in
      Lwt.return (first ^ " " ^ lwt_look ()))

let keys_cross () =
  let callers mine =
    bind mine (fun () ->
        let offloaded () =
          string "read" mine (read ());
          string "back" (mine ^ " " ^ mine) (back ());
          string "once more" (mine ^ " " ^ mine) (back ());
          let a, b = Dromos.both read back in
          string "a branch" mine a;
          string "another" (mine ^ " " ^ mine) b;
          string "a task" mine (Dromos.await (Dromos.async read));
          string "blocking" mine (Dromos.blocking read);
          Dromos_lwt.in_lwt (fun () ->
              bind "inner" (fun () -> Dromos_lwt.offload read))
        in
        let* inner = Dromos_lwt.offload offloaded in
        string "offloaded there" "inner" inner;
        string "after it" mine (lwt_look ());
        let* () =
          Lwt.catch
            (fun () -> Dromos_lwt.offload (fun () -> raise Exit))
            (fun _ ->
              string "a handler" mine (lwt_look ());
              Lwt.return ())
        in
        Dromos_lwt.offload ~blocking:true (fun () ->
            string "blocking" mine (read ())))
  in
  Dromos_lwt.run (fun () ->
      let* () = Lwt.join (List.init 20 (fun i -> callers (string_of_int i))) in
      string "unbound" "nothing" (lwt_look ());
      let* there = Dromos_lwt.offload read in
      string "offloaded unbound" "nothing" there;
      Lwt.return ());
  string "no offload" "nothing"
    (Dromos_lwt.with_loop (fun () -> Dromos.run (fun () -> read ())))

(* Fibers on Lwt's thread keep their values over waits, and leave them to no other
   code. *)
let keys_of_fibers () =
  Dromos_lwt.run (fun () ->
      let one i =
        let mine = string_of_int i in
        Dromos_lwt.fiber (fun () ->
            string "inherited" "outer" (lwt_look ());
            bind mine (fun () ->
                for _ = 1 to 3 do
                  Dromos_lwt.await (Lwt.pause ());
                  string "its own" mine (lwt_look ());
                  string "by get" mine (read ())
                done);
            string "after it" "outer" (lwt_look ());
            Dromos_lwt.await (Lwt.pause ());
            string "later" "outer" (lwt_look ()))
      in
      let all () = Lwt.join (List.init 10 one) in
      let* () = bind "outer" all in
      string "the loop" "nothing" (lwt_look ());
      Lwt.return ())

let cases =
  [
    case "from Lwt" from_lwt;
    case "from Dromos" from_dromos;
    case "fibers" fibers;
    case "Lwt's keys" keys_cross;
    case "Lwt's keys in fibers" keys_of_fibers;
  ]
