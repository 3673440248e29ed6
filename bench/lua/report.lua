-- What wrk measured, as one line of JSON; latencies in microseconds.
done = function(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    'JSON {"requests": %d, "seconds": %.6f, "p50": %d, "p99": %d, "broken": %d, "refused": %d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.timeout, errors.status))
end
