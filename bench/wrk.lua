-- Posts to one numbered address after the other; prints what came of it as JSON.

function init(args)
  pattern, number = args[1], tonumber(args[2])
end

function request()
  local path = string.format(pattern, number)
  number = number + 1
  return wrk.format("POST", path)
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests": %d, "microseconds": %d, "failed": %d, "p50": %d, "p99": %d}\n',
    summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.timeout + errors.status,
    latency:percentile(50), latency:percentile(99)
  ))
end
