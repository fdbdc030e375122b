(* Small guides, and the pages that they become. *)

open Guide_pages

let site =
  {
    Page.homepage = "https://example.org/x";
    folder = "doc";
    guides = [ "a-b.md"; "c.md"; "moving/README.md"; "moving/lwt/README.md" ];
  }

let page ?(guide = "c.md") text = Page.print site ~guide (Markdown.parse text)

let check name ?guide text expected =
  Alcotest.test_case name `Quick (fun () ->
      Alcotest.(check string) name (expected ^ "\n") (page ?guide text))

let converted =
  [
    check "headings have GitHub's labels"
      "# A page\n\n## What `x` is, and why\n"
      "{0 A page}\n\n{1:what-x-is-and-why What [x] is, and why}";
    check "a label is used once" "## A\n\n### A" "{1:a A}\n\n{2:a-1 A}";
    check "a paragraph is a line" "One\ntwo.\n\nThree." "One two.\n\nThree.";
    check "bold and italics" "**One *two* x** *th*ree 2 * 3 a_b"
      "{b One {e two} x} {e th}ree 2 * 3 a_b";
    check "signs of odoc" "a [b] {c} @d `[e {f` \\*g\\*"
      "a \\[b\\] \\{c\\} \\@d [\\[e {f] *g*";
    check "code over lines, and with a tick" "`a\nb` `` c`d ``" "[a b] [c`d]";
    check "code in fences" "```ocaml skip\n# 1\n\n- x\n```\n```\n<a>\n```"
      "{@ocaml[\n# 1\n\n- x\n]}\n\n{@text[\n<a>\n]}";
    check "code with the end of code" "```ocaml\n{[x]}\n```"
      "{code@ocaml[\n{[x]}\n]code}";
    check "indented code" "A:\n\n    x\n\n      y\n\nB"
      "A:\n\n{@text[\nx\n\n  y\n]}\n\nB";
    check "lists" "A:\n- b\n  c\n- d\n\n  e\n\n1. f\n   - g\n2. h"
      "A:\n\n{ul\n{- b c}\n{- d\n\ne}}\n\n{ol\n{- f\n\n{ul\n{- g}}}\n{- h}}";
    check "code in an item" "- a:\n\n  ```sh\n  b\n    c\n  ```"
      "{ul\n{- a:\n\n{@sh[\nb\n  c\n]}}}";
    check "tables" "| a | |\n|---|:-:|\n| `b\\|c` | **d** |"
      "{table\n{tr {th a} {th }}\n{tr {td [b|c]} {td {b d}}}}";
    check "comments" "<!-- $MDX skip -->\nA\n\n<!-- b\nc -->\nD" "A\n\nD";
    check "links to guides"
      "[a](a-b.md) [`b`](a-b.md#x-y) [c\nd](moving/README.md)"
      "{{!page-\"a-b\"}a} {{!page-\"a-b\".\"x-y\"}[b]} {{!page-\"moving\"}c d}";
    check "links within a guide" "[a](#x)" "{{!page-\"c\".\"x\"}a}";
    check "links from a folder" ~guide:"moving/lwt/README.md"
      "[a](../README.md) [b](../../a-b.md) [c](../../../lib/x.mli)"
      "{{!page-\"moving\"}a} {{!page-\"a-b\"}b} \
       {{:https://example.org/x/blob/main/lib/x.mli}c}";
    check "labels" "## A\n\n## A\n\n## A 1"
      "{1:a A}\n\n{1:a-1 A}\n\n{1:a-1-1 A 1}";
    check "ends of code" "```ml\n]} and ]code}\n```"
      "{codecode@ml[\n]} and ]code}\n]codecode}";
    check "other links" "[a](../lib) [b](https://c.d/e#f) [g](h.md#i)"
      "{{:https://example.org/x/blob/main/lib}a} {{:https://c.d/e#f}b} \
       {{:https://example.org/x/blob/main/doc/h.md#i}g}";
  ]

(* The fault is on the line of the word "here". *)
let refused =
  List.map
    (fun text ->
      let name = String.concat "/" (String.split_on_char '\n' text) in
      Alcotest.test_case name `Quick (fun () ->
          let lines = String.split_on_char '\n' text in
          let has_here l = List.mem "here" (String.split_on_char ' ' l) in
          let expected = 1 + Option.get (List.find_index has_here lines) in
          match page text with
          | page -> Alcotest.fail ("became: " ^ page)
          | exception Markdown.Fault (line, message) ->
              Alcotest.(check int) message expected line))
    [
      "A\n\n> here a quotation";
      "A\n![here ](picture.svg) here";
      "A <b>x</b> here";
      "A\n<https://x.y> here";
      "A &amp; here";
      "A\n*bold here";
      "A\n`code here";
      "```text here\nA";
      "A\n\n| a | b | here |";
      "| a | b |\n|---|---|\n| here |";
      "- a\nb here";
      "2. a here";
      "1. a\n3. b here";
      "* a here";
      "A\n  b\n\n  c here";
      "A [b][c] here";
      "A\n[b](c d) here";
      "A [b](../../c) here";
      "A _b_ here";
      "A ~~b~~ here";
      "A here  \nb";
      "<!-- here a";
      "A\n\tb here";
      "A\n\n***b*** here";
      "A `b\\` here";
      "- a\n    - b here";
      "A\n* b here";
      "A\n> b here";
      "1) a here";
      "## A here ##";
      "####### A here";
      "A [b](http://c.d/e_(f)) here";
      "A [b](c{d}.ml) here";
      "A [b](/c.md) here";
      "A [](c.md) here";
      "```{.ocaml} here\nA\n```";
      "A _b c_ here";
      "A __b c__ here";
      "~~~ here";
      "A here \r\nb";
    ]

let bare_table () =
  match page "A\n\na | b\n--|--\nc | d" with
  | page -> Alcotest.fail ("became: " ^ page)
  | exception Markdown.Fault (line, _) -> Alcotest.(check int) "line" 4 line

(* Newer versions of dune write the guides of the folder with "./". *)
let dotted () =
  let guides = List.map (fun g -> "./" ^ g) site.guides in
  let text = "[a](a-b.md) [b](moving/lwt/README.md#x)" in
  let page site guide = Page.print site ~guide (Markdown.parse text) in
  let names guides = List.map Page.name guides in
  Alcotest.(check (list string)) "names" (names site.guides) (names guides);
  Alcotest.(check string)
    "links" (page site "c.md")
    (page { site with guides } "./c.md")

let () =
  let dotted = Alcotest.test_case "names with ./" `Quick dotted in
  let bare = Alcotest.test_case "a table without bars" `Quick bare_table in
  Alcotest.run "pages"
    [ ("converted", dotted :: converted); ("refused", bare :: refused) ]
