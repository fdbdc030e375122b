type t =
  | Barriers_first
  | Settles
  | Exchanges
  | Greys_overwritten
  | Greys_stored
  | Lent_too
  | White_early
  | Black_late
  | Grey_if_lent
  | Marks_first
  | Scans_private
  | Scans_lent
  | Drops_dead
  | Takes_buffers
  | Checks_again
  | Flips
  | Awaits_end
  | Scans_waiting
  | Scans_entered
  | Scans_joined
  | Answers_first
  | Inherits
  | Gives_at_end

type rules = t list

let all =
  [
    Barriers_first;
    Greys_overwritten;
    Greys_stored;
    Lent_too;
    White_early;
    Black_late;
    Grey_if_lent;
    Marks_first;
    Scans_private;
    Scans_lent;
    Drops_dead;
    Takes_buffers;
    Checks_again;
    Awaits_end;
    Scans_waiting;
    Scans_entered;
    Scans_joined;
    Answers_first;
    Inherits;
    Gives_at_end;
  ]

let exchanges = Exchanges :: all
let settles = Settles :: all
let flips = Flips :: exchanges
let on rule (rules : rules) = List.mem rule rules
let without rule rules = List.filter (( <> ) rule) rules

let name = function
  | Barriers_first -> "all have barriers before anybody scans"
  | Settles -> "a handshake between barriers and scans"
  | Exchanges -> "a store is an exchange"
  | Greys_overwritten -> "what is overwritten is greyed"
  | Greys_stored -> "what is stored is greyed, till its domain has scanned"
  | Lent_too -> "so are stores into what is lent"
  | White_early -> "what is published before the scan is white"
  | Black_late -> "what is published after the scan is black"
  | Grey_if_lent -> "what was lent and is published after the scan is grey"
  | Marks_first -> "what is published is marked, then pinned"
  | Scans_private -> "the scan looks into private objects"
  | Scans_lent -> "the scan looks into all that is lent"
  | Drops_dead -> "the scan leaves no dead objects where they may be lent"
  | Takes_buffers -> "the end is found by taking all buffers"
  | Checks_again -> "who found grey ones in buffers takes them all again"
  | Flips -> "marks change their sense, and are not cleared"
  | Awaits_end -> "no cycle begins before all have seen the end of the last"
  | Scans_waiting -> "heaps that nobody runs are scanned by the collector"
  | Scans_entered -> "who has scanned scans the heap that it enters"
  | Scans_joined -> "who has scanned scans the heap that it joins"
  | Answers_first -> "who has not scanned does, before it enters one that is"
  | Inherits -> "a new domain is as far as who spawned it"
  | Gives_at_end -> "a domain that ends gives its buffer"
