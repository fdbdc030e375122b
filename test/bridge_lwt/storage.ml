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

let cases =
  [
    case "from Lwt" from_lwt;
    case "from Dromos" from_dromos;
    case "fibers" fibers;
  ]
