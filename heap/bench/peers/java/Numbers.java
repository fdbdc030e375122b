// The programs on numbers. Each program makes its input, and returns its job.
import java.util.Arrays;
import java.util.stream.DoubleStream;

final class Numbers {
  // Primes: the primes below the root, found recursively, sieve each block separately.

  static final int BLOCK = 65536;

  static long[] sieve(long[] small, int lo, int hi) {
    boolean[] composite = new boolean[hi - lo];
    for (long p : small)
      for (long m = Math.max(p * p, (lo + p - 1) / p * p); m < hi; m += p)
        composite[(int) m - lo] = true;
    long[] primes = new long[hi - lo];
    int count = 0;
    for (int i = 0; i < hi - lo; i++) if (!composite[i]) primes[count++] = lo + i;
    return Arrays.copyOf(primes, count);
  }

  static long[] primesBelow(int n) {
    if (n <= 2) return new long[0];
    int root = 1 + (int) Math.sqrt(n);
    long[] small = primesBelow(root < n ? root : 0);
    return Parallel.concat(
        (n - 3) / BLOCK + 1,
        b -> {
          int lo = 2 + b * BLOCK;
          return sieve(small, lo, Math.min(n, lo + BLOCK));
        });
  }

  static Job primes(int n) {
    return () -> {
      long[] all = primesBelow(n);
      return () -> Input.checksum(all);
    };
  }

  // Merge sort of the standard library, with parallel merges.

  static Job msort(int n) {
    long[] a = new long[n];
    Arrays.setAll(a, i -> Input.below(1_000_000_000, i));
    return () -> {
      long[] sorted = a.clone();
      if (Parallel.parallel) Arrays.parallelSort(sorted);
      else Arrays.sort(sorted);
      return () -> Input.checksum(sorted);
    };
  }

  // The least squares line: the means, then the moments about them.

  record Pair(double x, double y) {
    Pair add(Pair o) {
      return new Pair(x + o.x, y + o.y);
    }
  }

  static Pair sums(Pair[] points, int lo, int hi) {
    double x = 0, y = 0;
    for (int i = lo; i < hi; i++) {
      x += points[i].x;
      y += points[i].y;
    }
    return new Pair(x, y);
  }

  static Pair moments(Pair[] points, double xMean, int lo, int hi) {
    double xx = 0, xy = 0;
    for (int i = lo; i < hi; i++) {
      double d = points[i].x - xMean;
      xx += d * d;
      xy += d * points[i].y;
    }
    return new Pair(xx, xy);
  }

  /** Offset and slope. */
  static Pair line(Pair[] points) {
    int n = points.length;
    Pair zero = new Pair(0, 0);
    Pair sum = Parallel.reduce(n, zero, (lo, hi) -> sums(points, lo, hi), Pair::add);
    double xMean = sum.x / n;
    Pair moment =
        Parallel.reduce(n, zero, (lo, hi) -> moments(points, xMean, lo, hi), Pair::add);
    double slope = moment.y / moment.x;
    return new Pair(sum.y / n - slope * xMean, slope);
  }

  static Job linefit(int n) {
    Pair[] points = new Pair[n];
    Arrays.setAll(
        points,
        i -> {
          double x = Input.below(1024, i);
          return new Pair(x, 3 * x + Input.below(64, (long) i + n));
        });
    return () -> {
      Pair line = line(points);
      return () -> Input.checksum(Math.round(1000 * line.x), Math.round(1000 * line.y));
    };
  }

  // The greatest sum of a contiguous piece. The summary of an array holds the best sums of
  // its pieces, prefixes and suffixes, and its total.

  record Best(double best, double prefix, double suffix, double sum) {
    static Best of(double[] a, int lo, int hi) {
      double best = 0, prefix = 0, suffix = 0, sum = 0;
      for (int i = lo; i < hi; i++) {
        double x = a[i];
        sum += x;
        prefix = sum > prefix ? sum : prefix;
        suffix = suffix + x > 0 ? suffix + x : 0;
        best = suffix > best ? suffix : best;
      }
      return new Best(best, prefix, suffix, sum);
    }

    Best join(Best o) {
      return new Best(
          Math.max(Math.max(best, o.best), suffix + o.prefix),
          Math.max(prefix, sum + o.prefix),
          Math.max(o.suffix, suffix + o.sum),
          sum + o.sum);
    }
  }

  static Job mcss(int n) {
    double[] a = new double[n];
    Arrays.setAll(a, i -> Input.below(201, i) - 100);
    return () -> {
      Best zero = new Best(0, 0, 0, 0);
      Best all = Parallel.reduce(n, zero, (lo, hi) -> Best.of(a, lo, hi), Best::join);
      return () -> Input.checksum((long) all.best);
    };
  }

  // A sparse matrix, rows of columns with their values, times a vector.

  record Entry(int column, double value) {}

  static final int IN_A_ROW = 100;

  static Entry[][] matrix(int rows) {
    Entry[][] matrix = new Entry[rows][IN_A_ROW];
    for (int r = 0; r < rows; r++)
      for (int k = 0; k < IN_A_ROW; k++) {
        long j = (long) IN_A_ROW * r + k;
        matrix[r][k] =
            new Entry(Input.below(rows, 2 * j), Input.below(100, 2 * j + 1));
      }
    return matrix;
  }

  static Job sparseMxv(int n) {
    int rows = n / IN_A_ROW;
    Entry[][] matrix = matrix(rows);
    double[] vector = new double[rows];
    Arrays.setAll(vector, i -> i % 100);
    return () -> {
      double[] product =
          Parallel.range(rows)
              .mapToDouble(
                  r -> {
                    double sum = 0;
                    for (Entry e : matrix[r]) sum += e.value * vector[e.column];
                    return sum;
                  })
              .toArray();
      return () -> Input.checksum(DoubleStream.of(product).mapToLong(x -> (long) x));
    };
  }
}
