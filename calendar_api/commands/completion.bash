_calendar_api() {
    local current=${COMP_WORDS[COMP_CWORD]#=} at="" before="" found="" word
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case "$at $word" in
            @commands@) at="$at $word" ;;
        esac
        [ "$word" = "=" ] || before=$word
    done
    case "$at $before|$current" in
@values@
        *) case "$at|$current" in
@words@
        esac ;;
    esac
    COMPREPLY=($(compgen -W "$found" -- "$current"))
}
complete -o default -F _calendar_api calendar-api
