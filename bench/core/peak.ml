let told = ref false

let tell before =
  match (before, Usage.max_rss_kib ()) with
  | Some before, Some most when not !told ->
      told := true;
      Figures.tell "grown_kib" (float_of_int (max 0 (most - before)))
  | _ -> ()

let job (j : Contestant.job) ~n ~cutoff =
  let body = j ~n ~cutoff in
  let before = Usage.rss_kib () in
  fun () ->
    let finish = body () in
    fun () ->
      tell before;
      finish ()
