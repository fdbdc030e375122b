let answer () = Foreign.answer
