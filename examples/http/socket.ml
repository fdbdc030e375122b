let cannot_listen host port reason advice =
  Printf.ksprintf failwith "cannot listen on %s:%d: %s%s" host port
    (String.uncapitalize_ascii (Unix.error_message reason))
    advice

let listen ~host ~port =
  let address =
    match Unix.inet_addr_of_string host with
    | address -> address
    | exception Failure _ ->
        Printf.ksprintf failwith
          "%S is not the number of an address: try 127.0.0.1, or 0.0.0.0 to be \
           reached from elsewhere"
          host
  in
  let at = Unix.ADDR_INET (address, port) in
  let fd =
    Unix.socket ~cloexec:true (Unix.domain_of_sockaddr at) SOCK_STREAM 0
  in
  match
    Unix.setsockopt fd SO_REUSEADDR true;
    Unix.bind fd at;
    Unix.listen fd 1024
  with
  | () -> Lwt_unix.of_unix_file_descr ~blocking:false fd
  | exception Unix.Unix_error (reason, _, _) ->
      Unix.close fd;
      cannot_listen host port reason
        (match reason with
        | EADDRINUSE -> " (take another --port; 0 takes any free one)"
        | EACCES -> " (ports below 1024 are for the superuser)"
        | EADDRNOTAVAIL -> " (not an address of this machine)"
        | _ -> "")
