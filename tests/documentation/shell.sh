# Runs the commands of a document in one shell that keeps its folder, variables and aliases. Reads verbs, and for each
# the text in the file $__command. After what the commands print follows, between zero bytes, status and text of the
# command that failed.
set -mE  # job control: a server is a process group, which takes Ctrl-C
shopt -s expand_aliases
trap '__failed="${__failed:-$? $BASH_COMMAND}"' ERR
while read -r __verb; do
    __failed= __text=$(< "$__command")
    case $__verb in
        run) . "$__command" >& "$__own" 2>&1 < /dev/null ;;
        serve)
            (trap - ERR; eval "$__text") >& "$__servers" 2>&1 < /dev/null &
            __job=$! ;;
        wait)  # until the address answers
            until curl --silent --insecure --output /dev/null --max-time 10 "$__text"; do
                kill -0 "$__job" || { __failed="1 the server has ended"; break; }
                sleep 0.1
            done 2> /dev/null ;;
        stop)
            kill -INT -- "-$__job"
            wait "$__job" || true ;;
    esac
    printf '\0%s\0' "$__failed" >& "$__own"
done
