// Parallel streams on the common pool. Without workers the streams are sequential.
import java.util.Arrays;
import java.util.function.BinaryOperator;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

final class Parallel {
  static boolean parallel;

  static IntStream range(int n) {
    return on(IntStream.range(0, n));
  }

  static IntStream on(IntStream stream) {
    return parallel ? stream.parallel() : stream;
  }

  interface Part<T> {
    T of(int lo, int hi);
  }

  /** Joins the results of part on pieces of 0 .. n, in order. */
  static <T> T reduce(int n, T zero, Part<T> part, BinaryOperator<T> join) {
    final int size = 1 << 16;
    return range((n - 1) / size + 1)
        .mapToObj(p -> part.of(p * size, Math.min(n, (p + 1) * size)))
        .reduce(zero, join);
  }

  /** Concatenates the arrays f(0) .. f(n - 1). */
  static long[] concat(int n, IntFunction<long[]> f) {
    long[][] arrays = range(n).mapToObj(f).toArray(long[][]::new);
    int[] ends = new int[n];
    for (int i = 0; i < n; i++) ends[i] = arrays[i].length;
    Arrays.parallelPrefix(ends, Integer::sum);
    long[] all = new long[n == 0 ? 0 : ends[n - 1]];
    range(n)
        .forEach(
            i -> {
              int length = arrays[i].length;
              System.arraycopy(arrays[i], 0, all, ends[i] - length, length);
            });
    return all;
  }
}
