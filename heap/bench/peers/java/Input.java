// Inputs, equal to those of bench/plain's rng.ml and text.ml, and checksums.
import java.util.stream.LongStream;

final class Input {
  static int below(int bound, long i) {
    return (int) (Shared.hash(i) % bound);
  }

  static long checksum(long... numbers) {
    return checksum(LongStream.of(numbers));
  }

  static long checksum(LongStream numbers) {
    return numbers.reduce(17, Shared::step);
  }

  static long checksum(String word) {
    return checksum(word.chars().asLongStream());
  }

  /** Words of 2 to 12 letters, ten in a line; a few words are frequent. */
  static byte[] text(int n) {
    byte[] text = new byte[n];
    int at = 0;
    for (int i = 0; at < n; i++) {
      int rank = below(1_000_000, i + 1) / (1 + below(10_000, i));
      long h = Shared.hash(rank);
      for (int k = 0; k < 2 + rank % 11 && at < n; k++)
        text[at++] = (byte) ('a' + (h >>> 5 * k & 31) % 26);
      if (at < n) text[at++] = (byte) (i % 10 == 9 ? '\n' : ' ');
    }
    return text;
  }
}
