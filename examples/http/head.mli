(** Heads of requests: what {!Intake} reads before cohttp sees a request.

    Cohttp's own reader of heads takes lines of any length and number, and
    cohttp guesses where two lengths contradict each other. {!parse} refuses
    such heads with a status and a reason, and leaves the rest of the parsing to
    cohttp. *)

type framing =
  | Sized of int  (** the number of bytes of the body; 0 without a body *)
  | Chunked

type t = {
  request : Cohttp.Request.t;
  framing : framing;
  expects_continue : bool;
      (** the client waits for 100 before it sends the body *)
}

type refusal = { status : Cohttp.Code.status_code; reason : string }

val most_bytes : int
(** The bound of a head: 16 KiB. A longer first line is refused with 414, a
    longer head with 431; so are more than {!most_fields} fields. *)

val most_fields : int

val end_ : Bytes.t -> from:int -> until:int -> int option
(** The index behind the empty line that ends a head, in the given part of the
    buffer. [from] is behind a line feed, or at the head's first byte. *)

val parse : string -> (t, refusal) result Lwt.t
(** A head without its last empty line. Refused are: a first line that is not
    HTTP (400), HTTP other than 1.0 and 1.1 (505), fields without a name or with
    control characters, and continued lines (400), lengths that are no numbers
    or contradict each other (400) or are beyond an [int] (413), encodings of
    the body other than [chunked] (501), a request of HTTP/1.1 without exactly
    one [Host] (400), and expectations other than [100-continue] (417). *)
