exception Stopped

let stopped = Atomic.make false

let install () =
  Sys.set_signal Sys.sigint
    (Signal_handle
       (fun _ -> if Atomic.exchange stopped true then Unix._exit 130))

let check () = if Atomic.get stopped then raise Stopped
