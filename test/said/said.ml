let contains text part =
  let n = String.length part in
  let rec from i =
    i + n <= String.length text && (String.sub text i n = part || from (i + 1))
  in
  from 0
