// rayon, and plain Rust, on the lab's benchmarks.
// usage: peer rayon|sequential BENCH N CUTOFF WORKERS
use rayon::prelude::*;
use std::time::Instant;

const MASK: u64 = (1 << 63) - 1; // OCaml's integers

fn fib_seq(n: i64) -> i64 {
    if n < 2 { n } else { fib_seq(n - 1) + fib_seq(n - 2) }
}

fn fib(n: i64, cutoff: i64) -> i64 {
    if n < 2 {
        return n;
    }
    if n <= cutoff {
        return fib_seq(n);
    }
    let (a, b) = rayon::join(|| fib(n - 1, cutoff), || fib(n - 2, cutoff));
    a + b
}

fn hash(i: i64) -> i64 {
    let mul = |a: u64, b: u64| a.wrapping_mul(b) & MASK;
    let mut z = mul(i as u64, 0x1e3779b97f4a7c15);
    z = mul(z ^ (z >> 30), 0x3f58476d1ce4e5b9);
    z = mul(z ^ (z >> 27), 0x14d049bb133111eb);
    ((z ^ (z >> 31)) & (MASK >> 1)) as i64
}

type Rows = Vec<Vec<f64>>;

fn random_matrix(seed: i64, n: i64) -> Rows {
    let entry = |i: i64, j: i64| {
        let x = (hash(seed * n * n + i * n + j) % 2000) as f64;
        x / 1000. - 1. + if i == j { n as f64 } else { 0. }
    };
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

fn row_product(target: &mut [f64], row: &[f64], b: &Rows) {
    for (x, other) in row.iter().zip(b) {
        for (t, y) in target.iter_mut().zip(other) {
            *t += x * y;
        }
    }
}

fn sum(values: impl Iterator<Item = u64>) -> u64 {
    values.fold(17u64, |acc, x| {
        acc.wrapping_mul(31).wrapping_add(x) & ((1 << 62) - 1)
    })
}

// Processor time of all threads.
fn cpu() -> f64 {
    let mut total = 0.;
    if let Ok(tasks) = std::fs::read_dir("/proc/self/task") {
        for t in tasks.flatten() {
            let s = std::fs::read_to_string(t.path().join("schedstat")).unwrap_or_default();
            total += s.split(' ').next().and_then(|s| s.parse::<f64>().ok()).unwrap_or(0.);
        }
    }
    total * 1e-9
}

fn timed<T>(body: impl FnOnce() -> T) -> (f64, f64, T) {
    let (c, t) = (cpu(), Instant::now());
    let r = body();
    let seconds = t.elapsed().as_secs_f64();
    (seconds, cpu() - c, r)
}

fn once(parallel: bool, bench: &str, n: i64, cutoff: i64) -> (f64, f64, u64) {
    let chunk = cutoff.max(1) as usize;
    match bench {
        "fib" | "fib_nocutoff" => {
            let cutoff = if bench == "fib" { cutoff } else { 0 };
            let (s, c, r) = timed(|| if parallel { fib(n, cutoff) } else { fib_seq(n) });
            (s, c, r as u64)
        }
        "for_irregular" => {
            let mut a = vec![0i64; n as usize];
            let (s, c, ()) = timed(|| {
                let set = |(i, x): (usize, &mut i64)| *x = fib_seq(i as i64);
                if parallel {
                    a.par_iter_mut().enumerate().with_min_len(chunk).for_each(set)
                } else {
                    a.iter_mut().enumerate().for_each(set)
                }
            });
            (s, c, sum(a.iter().map(|x| *x as u64)))
        }
        _ => {
            let (a, b) = (random_matrix(1, n), random_matrix(2, n));
            let mut m: Rows = vec![vec![0.; n as usize]; n as usize];
            let (s, c, ()) = timed(|| {
                let set = |(i, row): (usize, &mut Vec<f64>)| row_product(row, &a[i], &b);
                if parallel {
                    m.par_iter_mut().enumerate().with_min_len(chunk).for_each(set)
                } else {
                    m.iter_mut().enumerate().for_each(set)
                }
            });
            let rows = m.iter().map(|row| sum(row.iter().map(|x| x.to_bits())));
            (s, c, sum(rows))
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let number = |i: usize| args[i].parse::<i64>().expect("a number");
    let (n, cutoff, workers) = (number(3), number(4), number(5) as usize);
    let parallel = args[1] == "rayon";
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().expect("pool");
    let run = || {
        if parallel {
            pool.install(|| once(true, &args[2], n, cutoff))
        } else {
            once(false, &args[2], n, cutoff)
        }
    };
    let first = run();
    // The first run warmed up.
    let (s, c, r) = if first.0 <= 5.0 { run() } else { first };
    println!("{{\"seconds\": {s:.9}, \"cpu_s\": {c:.9}, \"checksum\": {r}}}");
}
