#compdef belfry

# Ids of calls come from whoever pushes, and zsh may take what it is given for code: those of plain letters alone are
# offered.
_belfry_ids() {
    belfry calls "$@" --json 2>/dev/null | sed -n 's/^{"call":"\([A-Za-z0-9][A-Za-z0-9._@+-]*\)".*/\1/p'
}

# Of those only the calls that go on.
_belfry_going() {
    belfry calls --json 2>/dev/null | sed -n 's/^{"call":"\([A-Za-z0-9][A-Za-z0-9._@+-]*\)","mode":"active".*/\1/p'
}

# Keys of the group file come from any program, as ids do.
_belfry_keys() {
    belfry group list 2>/dev/null | sed -n 's/^\([A-Za-z0-9][A-Za-z0-9._-]*\)  .*/\1/p'
}

# Identifiers of call directory extensions, which have no other letters.
_belfry_extensions() {
    belfry directory status --json 2>/dev/null \
        | sed -n 's/^{"source":"\([A-Za-z0-9][A-Za-z0-9.-]*\)".*"app":.*/\1/p'
}

_belfry() {
    local previous=${words[CURRENT-1]} command='' wanted='' i
    local names='push call hangup answer decline silence end hold mute keypad merge split app calls alerts directory watch group config status doctor serve apns device fleet new-extension new-app import pack help'
    for ((i = 2; i < CURRENT; i++)); do
        case ${words[i]} in
            # What follows one of these is no command.
            --socket|--group) ((i++)) ;;
            -*) ;;
            *)
                command=${words[i]}
                break
                ;;
        esac
    done
    case $previous in
        --socket|--belfry|--into|--log|--record|--fleet) _files; return ;;
        --reason) wanted='cancelled answered-elsewhere declined-elsewhere busy failed' ;;
        --group|--name|--handle|--avatar|--id|--duration|--pid|--device|--bundle-id) return ;;
    esac
    if [[ -z $wanted && $PREFIX == -* ]]; then
        case $command in
            push) wanted='--explain --no-follow' ;;
            call) wanted='--name --handle --video --avatar --id --duration --no-follow' ;;
            hangup) wanted='--reason --no-follow' ;;
            answer) wanted='--pid' ;;
            hold|mute) wanted='--off' ;;
            app) wanted='--pid --collect' ;;
            calls) wanted='--missed --clear-missed' ;;
            alerts) wanted='--clear' ;;
            directory) wanted='--blocked --labels' ;;
            doctor) wanted='--play --ring' ;;
            watch) wanted='--pushes --id --device --explain' ;;
            serve) wanted='--apns --fleet --bundle-id --log --record' ;;
            new-extension) wanted='--directory --belfry' ;;
            new-app) wanted='--belfry' ;;
            pack) wanted='--into' ;;
            import) wanted='--verbose' ;;
        esac
        wanted+=' --socket --group --json --help --version'
    elif [[ -z $wanted ]]; then
        case $command in
            ''|help) wanted=$names ;;
            push|new-extension|new-app|import) _files; return ;;
            hangup|answer|decline|silence) wanted=$(_belfry_ids) ;;
            end|hold|mute|merge|split) wanted=$(_belfry_going) ;;
            # Behind the digits stands a call.
            keypad) ((CURRENT == i + 1)) || wanted=$(_belfry_going) ;;
            app) wanted='foreground background busy pending list start stop' ;;
            calls) [[ ${words[*]} != *--clear-missed* ]] || wanted=$(_belfry_ids --missed) ;;
            directory) wanted='block label remove clear list lookup import export enable disable order reload status' ;;
            group) wanted='list get set remove watch' ;;
            config) wanted='check' ;;
            apns) wanted='setup list key certificate credentials revoke log watch fail goaway' ;;
            device) wanted='add list remove offline online' ;;
            fleet) wanted='setup enroll revoke remove join leave status list restore' ;;
        esac
        # Behind a word of group's stands a key, and behind one of directory's an extension, a file or nothing known.
        case $command/${words[i+1]-} in
            group/get|group/set|group/remove|group/watch) ((CURRENT == i + 1)) || wanted=$(_belfry_keys) ;;
            directory/enable|directory/disable|directory/order)
                ((CURRENT == i + 1)) || wanted=$(_belfry_extensions)
                ;;
            directory/reload) ((CURRENT == i + 1)) || wanted="contacts $(_belfry_extensions)" ;;
            directory/import|fleet/join)
                if ((CURRENT > i + 1)); then
                    _files
                    return
                fi
                ;;
            directory/block|directory/label|directory/remove|directory/lookup) ((CURRENT == i + 1)) || wanted='' ;;
        esac
    fi
    compadd -- ${=wanted}
}

_belfry "$@"
