let all =
  List.map
    (fun (name, maker) -> Dromos.Hub.v ~name maker)
    [
      ("ule-cwc", Ule_cwc.maker);
      ("ule", Ule.maker);
      ("cfs-cwc", Cfs_cwc.maker);
      ("cfs-cwc-flat", Cfs_cwc_flat.maker);
      ("fifo-policy", Fifo_policy.maker);
      ("work-stealing", Work_stealing.maker);
    ]
