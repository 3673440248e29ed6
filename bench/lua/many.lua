-- Asks for the targets in a file, one a line, in their order; BENCH_START says where to begin.
local targets, place = {}, tonumber(os.getenv("BENCH_START") or "0")
for line in io.lines(os.getenv("BENCH_TARGETS")) do targets[#targets + 1] = line end

request = function()
  place = place % #targets + 1
  return wrk.format("GET", targets[place])
end

dofile(os.getenv("BENCH_REPORT"))
