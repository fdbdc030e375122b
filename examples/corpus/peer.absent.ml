type t = { run : 'a. workers:int -> (Corpus.Loops.t -> 'a) -> 'a }

let domainslib = None
