#compdef calendar-api
_calendar_api() {
    local current=${words[CURRENT]} at="" before="" found="" word
    for word in "${(@)words[2,CURRENT-1]}"; do
        case "$at $word" in
            @commands@) at="$at $word" ;;
        esac
        before=$word
    done
    case "$at $before|$current" in
@values@
        *) case "$at|$current" in
@words@
        esac ;;
    esac
    if [ -n "$found" ]; then compadd -- ${=found}; else _files; fi
}
if [[ ${funcstack[1]} == _calendar* ]]; then _calendar_api; else compdef _calendar_api calendar-api; fi
