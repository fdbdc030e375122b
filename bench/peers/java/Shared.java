// Random numbers and checksums, equal to those of bench/plain's rng.ml and checksum.ml in
// OCaml's 63-bit integers, and a clock. The Java peers of both suites are built with this
// file.
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

final class Shared {
  static final long MASK = Long.MAX_VALUE, MAX_INT = MASK >>> 1;

  static long hash(long i) {
    long z = i * 0x1e3779b97f4a7c15L & MASK;
    z = (z ^ z >>> 30) * 0x3f58476d1ce4e5b9L & MASK;
    z = (z ^ z >>> 27) * 0x14d049bb133111ebL & MASK;
    return (z ^ z >>> 31) & MAX_INT;
  }

  static long step(long sum, long x) {
    return sum * 31 + x & MAX_INT;
  }

  /** Seconds of processor time of all threads. */
  static double cpu() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return 1e-9 * system.getProcessCpuTime();
  }
}
