let page name =
  "https://github.com/dromos-ocaml/dromos/blob/main/doc/policy/" ^ name
