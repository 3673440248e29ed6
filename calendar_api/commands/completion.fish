# A line for each command: its path, an option with a value, - for options, or nothing, and what can follow.
set -g __calendar_api_table '
@table@
'
function __calendar_api
    set -l lines (string split \n -- $__calendar_api_table)
    set -l at
    set -l before
    for word in (commandline -opc)[2..-1]
        string match -q -- "$at $word||*" $lines; and set at "$at $word"
        set before $word
    end
    set -l current (commandline -ct)
    set -l key (string match -r -- '^-' $current)
    string match -q -- "$at|$before|*" $lines; and set key $before
    set -l found (string match -- "$at|$key|*" $lines | string split -f 3 '|' | string split -n ' ')
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path $current
    end
end
complete -c calendar-api -f -a '(__calendar_api)'
