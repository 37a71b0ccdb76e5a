"""Small programs that the benchmarks start."""
