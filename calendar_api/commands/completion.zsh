#compdef calendar-api
# A line for each command: its path, an option with a value, - for options, or nothing, and what can follow.
_calendar_api_table='
@table@
'
_calendar_api() {
    local current=${words[CURRENT]} at="" key="" before="" word found
    for word in "${(@)words[2,CURRENT-1]}"; do
        case $_calendar_api_table in *$'\n'"$at $word||"*) at="$at $word" ;; esac
        before=$word
    done
    case $current in -*) key=- ;; esac
    case $_calendar_api_table in *$'\n'"$at|$before|"*) key=$before ;; esac
    found=${_calendar_api_table#*$'\n'"$at|$key|"}
    found=${found%%$'\n'*}
    if [ -n "$found" ]; then compadd -- ${=found}; else _files; fi
}
if [[ ${funcstack[1]} == _calendar* ]]; then _calendar_api; else compdef _calendar_api calendar-api; fi
