let () =
  List.iter (Findlib.record_package Findlib.Record_core) [ "lwt"; "lwt.unix" ]
