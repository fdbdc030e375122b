let replace ~from ~by text =
  let n = String.length from in
  let b = Buffer.create (String.length text) in
  let found = ref false in
  let rec go i =
    if i + n > String.length text then
      Buffer.add_string b (String.sub text i (String.length text - i))
    else if String.sub text i n = from then begin
      found := true;
      Buffer.add_string b by;
      go (i + n)
    end
    else begin
      Buffer.add_char b text.[i];
      go (i + 1)
    end
  in
  go 0;
  (!found, Buffer.contents b)
