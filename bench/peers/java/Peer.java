// Java's fork/join pool, and plain Java, on the lab's benchmarks.
// usage: Peer java|sequential BENCH N CUTOFF WORKERS
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.RecursiveTask;
import java.util.function.IntConsumer;

final class Peer {
  static ForkJoinPool pool;

  static long fibSeq(long n) {
    return n < 2 ? n : fibSeq(n - 1) + fibSeq(n - 2);
  }

  static final class Fib extends RecursiveTask<Long> {
    final long n, cutoff;

    Fib(long n, long cutoff) {
      this.n = n;
      this.cutoff = cutoff;
    }

    @Override
    protected Long compute() {
      if (n < 2) return n;
      if (n <= cutoff) return fibSeq(n);
      Fib first = new Fib(n - 1, cutoff);
      first.fork();
      long b = new Fib(n - 2, cutoff).compute();
      return first.join() + b;
    }
  }

  static final class Loop extends RecursiveAction {
    final int lo, hi, chunk;
    final IntConsumer body;

    Loop(int lo, int hi, int chunk, IntConsumer body) {
      this.lo = lo;
      this.hi = hi;
      this.chunk = chunk;
      this.body = body;
    }

    @Override
    protected void compute() {
      if (hi - lo <= chunk) {
        for (int i = lo; i < hi; i++) body.accept(i);
      } else {
        int mid = (lo + hi) >>> 1;
        invokeAll(new Loop(lo, mid, chunk, body), new Loop(mid, hi, chunk, body));
      }
    }
  }

  static void loop(int n, int chunk, IntConsumer body) {
    if (pool == null) {
      for (int i = 0; i < n; i++) body.accept(i);
    } else {
      int size = chunk > 0 ? chunk : Math.max(1, n / (8 * pool.getParallelism()));
      pool.invoke(new Loop(0, n, size, body));
    }
  }

  static double[][] randomMatrix(long seed, int n) {
    double[][] m = new double[n][n];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        m[i][j] =
            (double) (Shared.hash(seed * n * n + (long) i * n + j) % 2000) / 1000.
                - 1. + (i == j ? n : 0.);
    return m;
  }

  static void rowProduct(double[] target, double[] row, double[][] b) {
    for (int k = 0; k < row.length; k++) {
      double x = row[k];
      double[] other = b[k];
      for (int j = 0; j < target.length; j++) target[j] += x * other[j];
    }
  }

  static double seconds, cpu;

  static void timed(Runnable body) {
    double c = Shared.cpu();
    long t = System.nanoTime();
    body.run();
    seconds = 1e-9 * (System.nanoTime() - t);
    cpu = Shared.cpu() - c;
  }

  static long once(String bench, int n, int cutoff) {
    if (bench.startsWith("fib")) {
      long[] r = new long[1];
      int c = bench.equals("fib") ? cutoff : 0;
      timed(() -> r[0] = pool == null ? fibSeq(n) : pool.invoke(new Fib(n, c)));
      return r[0];
    }
    if (bench.equals("for_irregular")) {
      long[] a = new long[n];
      timed(() -> loop(n, cutoff, i -> a[i] = fibSeq(i)));
      long sum = 17;
      for (long x : a) sum = Shared.step(sum, x);
      return sum;
    }
    double[][] a = randomMatrix(1, n), b = randomMatrix(2, n), m = new double[n][n];
    timed(() -> loop(n, cutoff, i -> rowProduct(m[i], a[i], b)));
    long sum = 17;
    for (double[] row : m) {
      long acc = 17;
      for (double x : row) acc = Shared.step(acc, Double.doubleToRawLongBits(x));
      sum = Shared.step(sum, acc);
    }
    return sum;
  }

  public static void main(String[] args) {
    int n = Integer.parseInt(args[2]), cutoff = Integer.parseInt(args[3]);
    if (args[0].equals("java")) pool = new ForkJoinPool(Integer.parseInt(args[4]));
    // The just-in-time compiler needs several runs to finish its work.
    long result = once(args[1], n, cutoff);
    for (int i = 0; i < 5 && seconds < 1.; i++) result = once(args[1], n, cutoff);
    System.out.printf(
        java.util.Locale.ROOT,
        "{\"seconds\": %.9f, \"cpu_s\": %.9f, \"checksum\": %d}%n",
        seconds, cpu, result);
    System.exit(0);
  }
}
