module Stealing = Dromos.Sched.Stealing

let rec closures ctx n =
  if n < 2 then n
  else
    Steps.closures ctx
      (fun ctx -> closures ctx (n - 1))
      (fun ctx left ->
        let right = closures ctx (n - 2) in
        left () + right)

let rec frame ctx n =
  if n < 2 then n
  else
    Steps.frame ctx
      (fun ctx -> frame ctx (n - 1))
      (fun ctx left ->
        let right = frame ctx (n - 2) in
        left () + right)

let rec poll ctx n =
  if n < 2 then n
  else
    Steps.poll ctx
      (fun ctx -> poll ctx (n - 1))
      (fun ctx left ->
        let right = poll ctx (n - 2) in
        left () + right)

let rec handler ctx n =
  if n < 2 then n
  else
    Steps.handler ctx
      (fun ctx -> handler ctx (n - 1))
      (fun ctx left ->
        let right = handler ctx (n - 2) in
        left () + right)

let rec cell ctx n =
  if n < 2 then n
  else
    Steps.cell ctx
      (fun ctx -> cell ctx (n - 1))
      (fun ctx left ->
        let right = cell ctx (n - 2) in
        left () + right)

let rec deque ctx n =
  if n < 2 then n
  else
    Steps.deque ctx
      (fun ctx -> deque ctx (n - 1))
      (fun ctx left ->
        let right = deque ctx (n - 2) in
        left () + right)

let rec pval_ctx ctx n =
  if n < 2 then n
  else
    Stealing.Ctx.pval ctx
      (fun ctx -> pval_ctx ctx (n - 1))
      (fun ctx left ->
        let right = pval_ctx ctx (n - 2) in
        left () + right)

let rec uncancelled ctx n =
  if n < 2 then n
  else
    Bench_uncancelled.Stealing.Ctx.pval ctx
      (fun ctx -> uncancelled ctx (n - 1))
      (fun ctx left ->
        let right = uncancelled ctx (n - 2) in
        left () + right)

let rec pval n =
  if n < 2 then n
  else
    Stealing.pval
      (fun () -> pval (n - 1))
      (fun left ->
        let right = pval (n - 2) in
        left () + right)

let rec both_ctx ctx n =
  if n < 2 then n
  else
    let a, b =
      Dromos.Ctx.both ctx
        (fun ctx -> both_ctx ctx (n - 1))
        (fun ctx -> both_ctx ctx (n - 2))
    in
    a + b

let rec both n =
  if n < 2 then n
  else
    let a, b = Dromos.both (fun () -> both (n - 1)) (fun () -> both (n - 2)) in
    a + b
