// A program on its input: what is timed, which returns what computes the checksum.
import java.util.function.LongSupplier;
import java.util.function.Supplier;

interface Job extends Supplier<LongSupplier> {}
