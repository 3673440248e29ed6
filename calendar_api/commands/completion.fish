function __calendar_api_at
    set -l at
    for word in (commandline -opc)[2..-1]
        contains -- "$at $word" @commands@; and set at "$at $word"
    end
    test "$at" = "$argv"
end
@words@
