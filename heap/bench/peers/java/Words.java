// The programs on texts, in the form of the programs on numbers. A word is a maximal run
// of letters.
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

final class Words {
  static boolean letter(byte c) {
    return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z';
  }

  static boolean starts(byte[] text, int i) {
    return letter(text[i]) && (i == 0 || !letter(text[i - 1]));
  }

  static String word(byte[] text, int i) {
    int end = i;
    while (end < text.length && letter(text[end])) end++;
    return new String(text, i, end - i, ISO_8859_1);
  }

  static int[] words(byte[] text) {
    return Parallel.range(text.length).filter(i -> starts(text, i)).toArray();
  }

  // Lines, words and bytes.

  record Counts(long lines, long words, long bytes) {
    static Counts of(byte[] text, int lo, int hi) {
      int lines = 0, words = 0;
      boolean inside = lo > 0 && letter(text[lo - 1]);
      for (int i = lo; i < hi; i++) {
        boolean is = letter(text[i]);
        if (text[i] == '\n') lines++;
        if (is && !inside) words++;
        inside = is;
      }
      return new Counts(lines, words, hi - lo);
    }

    Counts add(Counts o) {
      return new Counts(lines + o.lines, words + o.words, bytes + o.bytes);
    }
  }

  static Job wc(int n) {
    byte[] text = Input.text(n);
    return () -> {
      Counts zero = new Counts(0, 0, 0);
      Counts all =
          Parallel.reduce(n, zero, (lo, hi) -> Counts.of(text, lo, hi), Counts::add);
      return () -> Input.checksum(all.lines, all.words, all.bytes);
    };
  }

  // The words in order, as strings.

  static Job tokens(int n) {
    byte[] text = Input.text(n);
    return () -> {
      IntStream starts = Parallel.on(IntStream.of(words(text)));
      String[] all = starts.mapToObj(i -> word(text, i)).toArray(String[]::new);
      return () -> Input.checksum(Stream.of(all).mapToLong(Input::checksum));
    };
  }

  // The distinct words, in the library's concurrent set.

  static Job hashDedup(int n) {
    byte[] text = Input.text(n);
    int[] starts = words(text);
    return () -> {
      Set<String> set = ConcurrentHashMap.newKeySet(starts.length);
      Parallel.on(IntStream.of(starts)).forEach(i -> set.add(word(text, i)));
      String[] distinct = set.toArray(String[]::new);
      return () -> {
        long sum = Stream.of(distinct).mapToLong(Input::checksum).sum();
        return Input.checksum(distinct.length, sum & Shared.MAX_INT);
      };
    };
  }
}
