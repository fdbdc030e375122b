// Inputs and checksums, equal to those of bench/plain's rng.ml, text.ml and checksum.ml,
// in OCaml's 63-bit integers.
import java.util.stream.LongStream;

final class Input {
  static final long MASK = Long.MAX_VALUE, MAX_INT = MASK >>> 1;

  static long hash(long i) {
    long z = i * 0x1e3779b97f4a7c15L & MASK;
    z = (z ^ z >>> 30) * 0x3f58476d1ce4e5b9L & MASK;
    z = (z ^ z >>> 27) * 0x14d049bb133111ebL & MASK;
    return (z ^ z >>> 31) & MAX_INT;
  }

  static int below(int bound, long i) {
    return (int) (hash(i) % bound);
  }

  static long checksum(long... numbers) {
    return checksum(LongStream.of(numbers));
  }

  static long checksum(LongStream numbers) {
    return numbers.reduce(17, Input::step);
  }

  static long checksum(String word) {
    return checksum(word.chars().asLongStream());
  }

  private static long step(long sum, long x) {
    return sum * 31 + x & MAX_INT;
  }

  /** Words of 2 to 12 letters, ten in a line; a few words are frequent. */
  static byte[] text(int n) {
    byte[] text = new byte[n];
    int at = 0;
    for (int i = 0; at < n; i++) {
      int rank = below(1_000_000, i + 1) / (1 + below(10_000, i));
      long h = hash(rank);
      for (int k = 0; k < 2 + rank % 11 && at < n; k++)
        text[at++] = (byte) ('a' + (h >>> 5 * k & 31) % 26);
      if (at < n) text[at++] = (byte) (i % 10 == 9 ? '\n' : ' ');
    }
    return text;
  }
}
