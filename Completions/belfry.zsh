#compdef belfry
# zsh completion for belfry(1). Written by "make pages" from the program's own tables.
_belfry_ids() {
    belfry calls "$@" --json 2>/dev/null | sed -n 's/^{"call":"\([A-Za-z0-9][A-Za-z0-9._@+-]*\)".*/\1/p'
}

_belfry() {
    local previous=${words[CURRENT-1]} command='' wanted='' i
    for ((i = 2; i < CURRENT; i++)); do
        case ${words[i]} in
            --socket|--group|--name|--handle|--avatar|--id|--duration|--reason|--pid|--belfry|--completion|--man) ((i++)) ;;
            -*) ;;
            *)
                command=${words[i]}
                break
                ;;
        esac
    done
    case $previous in
        --socket) _files; return ;;
        --group) return ;;
        --name) return ;;
        --handle) return ;;
        --avatar) return ;;
        --id) return ;;
        --duration) return ;;
        --reason) wanted='cancelled answered-elsewhere declined-elsewhere busy failed' ;;
        --pid) return ;;
        --belfry) _files; return ;;
        --completion) wanted='bash zsh fish' ;;
        --man) wanted='belfry.1 belfry-worker.8 belfry-desktop.8 belfry-apns.8 belfry.conf.5' ;;
    esac
    if [[ -z $wanted && $PREFIX == -* ]]; then
        case $command in
            push) wanted='--explain --no-follow --socket --group --json --help --version' ;;
            call) wanted='--name --handle --video --avatar --id --duration --no-follow --socket --group --json --help --version' ;;
            hangup) wanted='--reason --no-follow --socket --group --json --help --version' ;;
            app) wanted='--pid --collect --socket --group --json --help --version' ;;
            calls) wanted='--missed --clear-missed --socket --group --json --help --version' ;;
            doctor) wanted='--play --ring --socket --group --json --help --version' ;;
            serve) wanted='--apns --socket --group --json --help --version' ;;
            new-extension) wanted='--belfry --socket --group --json --help --version' ;;
            help) wanted='--completion --man --socket --group --json --help --version' ;;
            *) wanted='--socket --group --json --help --version' ;;
        esac
    elif [[ -z $wanted ]]; then
        case $command in
            '') wanted='push call hangup answer decline app calls watch group config status doctor serve apns device new-extension import pack help' ;;
            push) _files; return ;;
            hangup) wanted=$(_belfry_ids) ;;
            answer) wanted=$(_belfry_ids) ;;
            decline) wanted=$(_belfry_ids) ;;
            app) wanted='foreground background pending' ;;
            calls) [[ ${words[*]} != *--clear-missed* ]] || wanted=$(_belfry_ids --missed) ;;
            group) wanted='list get set remove watch' ;;
            config) wanted='check' ;;
            new-extension) _files; return ;;
            import) _files; return ;;
            help) wanted='push call hangup answer decline app calls watch group config status doctor serve apns device new-extension import pack help' ;;
        esac
    fi
    compadd -- ${=wanted}
}

_belfry "$@"
