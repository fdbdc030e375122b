type field = { at : int; size : int; signed : bool; elsewhere : bool }
type format = { name : string; fields : (string * field) list }
type raw = { text : string; from : int; until : int }

let name f = f.name

(* {1 A format file}

   name: sched_switch
   ID: 314
   format:
   	field:char prev_comm[16];	offset:8;	size:16;	signed:0; *)

let prefixed prefix text =
  if String.starts_with ~prefix text then
    let n = String.length prefix in
    Some (String.trim (String.sub text n (String.length text - n)))
  else None

let field line =
  match String.split_on_char ';' line with
  | declared :: others ->
      let value name =
        List.find_map (fun part -> prefixed name (String.trim part)) others
      in
      let number name = Option.bind (value name) int_of_string_opt in
      let declared = Option.value (prefixed "field:" declared) ~default:"" in
      let named =
        match String.rindex_opt declared ' ' with
        | None -> declared
        | Some i -> String.sub declared (i + 1) (String.length declared - i - 1)
      in
      let named =
        match String.index_opt named '[' with
        | None -> named
        | Some i -> String.sub named 0 i
      in
      Option.bind (number "offset:") (fun at ->
          Option.map
            (fun size ->
              ( named,
                {
                  at;
                  size;
                  signed = value "signed:" = Some "1";
                  elsewhere = String.starts_with ~prefix:"__data_loc" declared;
                } ))
            (number "size:"))
  | [] -> None

let format text =
  let lines = List.map String.trim (String.split_on_char '\n' text) in
  let said what = List.find_map (prefixed what) lines in
  match (said "name:", Option.bind (said "ID:") int_of_string_opt) with
  | Some name, Some id ->
      let fields =
        List.filter_map
          (fun line ->
            if prefixed "field:" line = None then None else field line)
          lines
      in
      Some (id, { name; fields })
  | _ -> None

(* {1 All formats}

   The part begins with "\x17\x08\x44tracing". Then come a version, the byte
   order, the sizes of a long and of a page, two headers of pages, the formats
   of ftrace's own events, and the formats of each system's events. *)

let read text from until =
  let position = ref from in
  let take n =
    if n < 0 || n > until - !position then
      failwith "the formats of events end early";
    position := !position + n;
    !position - n
  in
  let u32 () =
    Int32.to_int (String.get_int32_le text (take 4)) land 0xffffffff
  in
  let sized () =
    let n = Int64.to_int (String.get_int64_le text (take 8)) in
    let at = take n in
    String.sub text at n
  in
  let zero_ended () =
    let start = !position in
    while text.[take 1] <> '\000' do
      ()
    done;
    String.sub text start (!position - start - 1)
  in
  let expect what =
    let n = String.length what in
    if String.sub text (take n) n <> what then
      failwith "the formats of events are not as expected"
  in
  let repeat n f =
    for _ = 1 to n do
      f ()
    done
  in
  let formats = Hashtbl.create 16 in
  let add () =
    Option.iter
      (fun (id, f) -> Hashtbl.replace formats id f)
      (format (sized ()))
  in
  expect "\x17\x08\x44tracing";
  ignore (zero_ended () : string);
  if text.[take 1] <> '\000' then failwith "its byte order is the other one";
  ignore (take 5 : int);
  expect "header_page\000";
  ignore (sized () : string);
  expect "header_event\000";
  ignore (sized () : string);
  repeat (u32 ()) (fun () -> ignore (sized () : string));
  repeat (u32 ()) (fun () ->
      ignore (zero_ended () : string);
      repeat (u32 ()) add);
  formats

(* {1 Fields} *)

let field f what =
  match List.assoc_opt what f.fields with
  | Some field -> field
  | None -> failwith (Printf.sprintf "%s has no field %s" f.name what)

let bytes f raw at size =
  if at < 0 || size < 0 || raw.from + at + size > raw.until then
    failwith (f.name ^ ": shorter than its format says");
  raw.from + at

let number f what raw =
  let { at; size; signed; _ } = field f what in
  let at = bytes f raw at size in
  match (size, signed) with
  | 1, false -> Char.code raw.text.[at]
  | 1, true -> String.get_int8 raw.text at
  | 2, false -> String.get_uint16_le raw.text at
  | 2, true -> String.get_int16_le raw.text at
  | 4, _ ->
      let n = Int32.to_int (String.get_int32_le raw.text at) in
      if signed then n else n land 0xffffffff
  | 8, _ -> Int64.to_int (String.get_int64_le raw.text at)
  | _ -> failwith (Printf.sprintf "%s: %s has a size of %d" f.name what size)

let string f what raw =
  let { at; size; elsewhere; _ } = field f what in
  let at, size =
    if elsewhere then
      let place =
        Int32.to_int (String.get_int32_le raw.text (bytes f raw at 4))
      in
      (place land 0xffff, (place lsr 16) land 0xffff)
    else (at, size)
  in
  let start = bytes f raw at size in
  let text = String.sub raw.text start size in
  match String.index_opt text '\000' with
  | None -> text
  | Some n -> String.sub text 0 n
