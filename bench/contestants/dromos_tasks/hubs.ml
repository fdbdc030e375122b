(* The hubs that come with Dromos. *)
let all = Dromos.Hub.all
