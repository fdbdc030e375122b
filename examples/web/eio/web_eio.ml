open Documents

(* A quotation mark would end a word of the index's language. *)
let words q =
  List.filter (( <> ) "")
    (String.split_on_char ' '
       (String.map (function '"' | '\000' .. '\031' -> ' ' | c -> c) q))

let main () =
  let pool = Dromos.Runtime.create ~hub:Dromos.Hub.fifo ~preempt:true () in
  let store = Store.Connections.create Sys.argv.(1) in
  (* Dromos fibers call the following functions. *)
  let ask f = Dromos.blocking (fun () -> Store.Connections.use store f) in
  let each n f =
    let f i = Dromos.Sched.Preemption.interruptible (fun () -> f i) in
    Dromos.Tasks.iter ~max:(Dromos.workers ()) f (List.init n Fun.id)
  in
  let search words () =
    let hit (hit : Store.hit) =
      (hit.name, `String (Similar.passage hit.marked))
    in
    `Assoc (List.map hit (ask (Store.search ~words ~limit:5)))
  in
  let compare () =
    let documents, _ = ask (fun db -> Store.documents db None) in
    Comparison.(pairs each (progress ()))
      ~at_least:0.3 (Array.of_list documents)
    |> fun pairs -> `Assoc [ ("pairs", `Int (List.length pairs)) ]
  in
  Eio_main.run @@ fun env ->
  let answer status body = Cohttp_eio.Server.respond_string ~status ~body () in
  let compute f =
    match
      Eio.Time.with_timeout_exn env#clock 30. (fun () ->
          Dromos_eio.offload ~pool f)
    with
    | json -> answer `OK (Dromos_stdout.json_line json ^ "\n")
    | exception Eio.Time.Timeout -> answer `Gateway_timeout "too late\n"
  in
  let callback _connection request _body =
    let uri = Uri.of_string (Http.Request.resource request) in
    let q = Option.value (Uri.get_query_param uri "q") ~default:"" in
    match (Http.Request.meth request, Uri.path uri) with
    | `GET, "/documents" -> compute (search (words q))
    | `POST, "/jobs" -> compute compare
    | _ -> answer `Not_found "GET /documents?q=words, POST /jobs\n"
  in
  Eio.Switch.run @@ fun sw ->
  let at = `Tcp (Eio.Net.Ipaddr.V4.loopback, int_of_string Sys.argv.(2)) in
  Cohttp_eio.Server.run
    (Eio.Net.listen env#net ~sw ~backlog:128 ~reuse_addr:true at)
    (Cohttp_eio.Server.make ~callback ()) ~on_error:(fun e ->
      Printf.eprintf "web: %s\n%!" (Printexc.to_string e))
