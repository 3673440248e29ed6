# A line for each command: its path, an option with a value, - for options, or nothing, and what can follow.
_calendar_api_table='
@table@
'
_calendar_api() {
    local current=${COMP_WORDS[COMP_CWORD]#=} at="" key="" before="" word found
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $_calendar_api_table in *$'\n'"$at $word||"*) at="$at $word" ;; esac
        [ "$word" = "=" ] || before=$word
    done
    case $current in -*) key=- ;; esac
    case $_calendar_api_table in *$'\n'"$at|$before|"*) key=$before ;; esac
    found=${_calendar_api_table#*$'\n'"$at|$key|"}
    COMPREPLY=($(compgen -W "${found%%$'\n'*}" -- "$current"))
}
complete -o default -F _calendar_api calendar-api
