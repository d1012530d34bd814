/** Health check of a container: the service answers, and its stores do. */
const response = await fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/readyz`, {
  signal: AbortSignal.timeout(2_500),
});
process.exitCode = response.ok ? 0 : 1;
