-- Sends the requests in the file BENCH_REQUESTS from line BENCH_START on, and writes what wrk measured as JSON.
-- A line is a method and a target, and a body where there is one, with tabs between.
local lines, place = {}, tonumber(os.getenv("BENCH_START"))
for line in io.lines(os.getenv("BENCH_REQUESTS")) do lines[#lines + 1] = line end

request = function()
  place = place % #lines + 1
  local method, target, body = lines[place]:match("^([^\t]+)\t([^\t]+)\t?(.*)$")
  return wrk.format(method, target, nil, body ~= "" and body or nil)
end

done = function(summary)
  local errors = summary.errors
  io.write(string.format('JSON {"requests": %d, "seconds": %.6f, "broken": %d, "refused": %d}\n',
    summary.requests, summary.duration / 1e6,
    errors.connect + errors.read + errors.write + errors.timeout, errors.status))
end
