// One measurement of one program of the suite, in Java. The launcher sets the pool.
// usage: java PROGRAM SIZE WORKERS RUNS; without workers it is the sequential program.
import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

final class Peer {
  static final Map<String, IntFunction<Job>> PROGRAMS =
      Map.of(
          "hash-dedup", Words::hashDedup,
          "linefit", Numbers::linefit,
          "mcss", Numbers::mcss,
          "msort-int64", Numbers::msort,
          "primes", Numbers::primes,
          "sparse-mxv", Numbers::sparseMxv,
          "tokens", Words::tokens,
          "wc", Words::wc);

  /** The peak of the resident memory, in KiB. */
  static long maxRss() throws IOException {
    try (var lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst()
          .orElse(0);
    }
  }

  static String list(double[] times) {
    return Arrays.stream(times)
        .mapToObj(t -> String.format(Locale.ROOT, "%.6f", t))
        .collect(joining(", ", "[", "]"));
  }

  /** Runs the job until the JIT compiler has had time for its work. */
  static void warmUp(Job job) {
    long end = System.nanoTime() + 5_000_000_000L;
    for (int i = 0; i < 20 && System.nanoTime() < end; i++) job.get();
  }

  static void measure(String program, int size, int workers, int runs)
      throws IOException {
    Job job = PROGRAMS.get(program).apply(size);
    warmUp(job);
    System.gc();
    double[] seconds = new double[runs];
    double used = 0;
    long checksum = 0;
    for (int i = 0; i < runs; i++) {
      double c = Shared.cpu();
      long t = System.nanoTime();
      LongSupplier finish = job.get();
      seconds[i] = 1e-9 * (System.nanoTime() - t);
      used += Shared.cpu() - c;
      checksum = finish.getAsLong();
    }
    System.out.printf(
        "{\"program\": \"%s\", \"size\": %d, \"workers\": %d, \"seconds\": %s, "
            + "\"cpu_s\": %.6f, \"max_rss_kib\": %d, \"checksum\": %d, \"figures\": {}}%n",
        program, size, workers, list(seconds), used / runs, maxRss(), checksum);
  }

  public static void main(String[] args) throws IOException {
    if (args.length != 4 || !PROGRAMS.containsKey(args[0])) {
      System.err.println("usage: java PROGRAM SIZE WORKERS RUNS");
      System.exit(2);
    }
    int size = Integer.parseInt(args[1]), workers = Integer.parseInt(args[2]);
    Parallel.parallel = workers > 0;
    measure(args[0], size, workers, Integer.parseInt(args[3]));
  }
}
