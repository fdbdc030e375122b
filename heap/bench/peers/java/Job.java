// A program on its input. The job is timed; its result is a function that computes the
// checksum.
import java.util.function.LongSupplier;
import java.util.function.Supplier;

interface Job extends Supplier<LongSupplier> {}
