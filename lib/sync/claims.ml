type 'k entry = { claim : 'k; cell : unit Waiter.t }
type 'k t = 'k entry Line.t
type 'k next = First of 'k entry * 'k t | Put_in_order of 'k t | Nobody

let gone entry = Waiter.gone entry.cell
let push line claim cell = Line.push ~gone line { claim; cell }

let next line =
  let ready entry = Waiter.ready ~self:Waiter.nobody entry.cell in
  match Line.view ~gone line with
  | Nobody when Line.is_empty line -> Nobody
  | Nobody -> Put_in_order Line.empty (* all are gone *)
  | Again line -> Put_in_order line
  | First (entry, rest) when ready entry -> First (entry, rest)
  | First _ -> (
      match Line.extract ~gone ready line with
      | Some (entry, rest) -> First (entry, rest)
      | None -> Nobody)

let rec stands_back ~self minds line =
  match Line.view ~gone line with
  | Nobody -> false
  | Again line -> stands_back ~self minds line
  | First ({ cell; _ }, _) when Waiter.is_of ~self cell -> false
  | First ({ claim; cell }, rest) ->
      (minds claim && Waiter.ready ~self cell) || stands_back ~self minds rest
