# fish completion for belfry(1)

# Ids of calls come from whoever pushes, and fish may take what it is given for code: those of plain letters alone are
# offered.
function __belfry_ids
    belfry calls $argv --json 2>/dev/null | sed -n 's/^{"call":"\([A-Za-z0-9][A-Za-z0-9._@+-]*\)".*/\1/p'
end

# Of those only the calls that go on.
function __belfry_going
    belfry calls --json 2>/dev/null | sed -n 's/^{"call":"\([A-Za-z0-9][A-Za-z0-9._@+-]*\)","mode":"active".*/\1/p'
end

# Behind keypad's digits stands a call.
function __belfry_has_digits
    set -l words (commandline -opc)
    test $words[-1] != keypad
end

# Keys of the group file come from any program, as ids do.
function __belfry_keys
    belfry group list 2>/dev/null | sed -n 's/^\([A-Za-z0-9][A-Za-z0-9._-]*\)  .*/\1/p'
end

function __belfry_wants_key
    set -l words (commandline -opc)
    contains -- group $words; and contains -- $words[-1] get set remove watch
end

# Identifiers of call directory extensions, which have no other letters.
function __belfry_extensions
    belfry directory status --json 2>/dev/null \
        | sed -n 's/^{"source":"\([A-Za-z0-9][A-Za-z0-9.-]*\)".*"app":.*/\1/p'
end

function __belfry_wants_extension
    set -l words (commandline -opc)
    contains -- directory $words; and string match -qr '^(enable|disable|order|reload)$' -- $words
end

function __belfry_has_directory_word
    set -l words (commandline -opc)
    test $words[-1] != directory
end

complete -c belfry -f
complete -c belfry -n __fish_use_subcommand -a push -d 'inject a payload or an envelope, and follow it'
complete -c belfry -n __fish_use_subcommand -a call -d 'push a call request, print the call\'s id, and follow it'
complete -c belfry -n __fish_use_subcommand -a hangup -d 'push a hangup, as the caller\'s side does, and follow it'
complete -c belfry -n __fish_use_subcommand -a answer -d 'answer a call, as the person at the endpoint does'
complete -c belfry -n __fish_use_subcommand -a decline -d 'decline a call, as the person at the endpoint does'
complete -c belfry -n __fish_use_subcommand -a silence -d 'silence a ring without declining the call'
complete -c belfry -n __fish_use_subcommand -a end -d 'end a call that goes on, as the person at the endpoint does'
complete -c belfry -n __fish_use_subcommand -a hold -d 'hold a call that goes on, or go on with it'
complete -c belfry -n __fish_use_subcommand -a mute -d 'have the person not be heard in a call, or be heard again'
complete -c belfry -n __fish_use_subcommand -a keypad -d 'play digits to the other side of a call'
complete -c belfry -n __fish_use_subcommand -a merge -d 'have a call join the other call of its app that goes on'
complete -c belfry -n __fish_use_subcommand -a split -d 'take a call out of the group that it was merged into'
complete -c belfry -n __fish_use_subcommand -a app -d 'say if the app is in front, or in a call; show answers that wait for it'
complete -c belfry -n __fish_use_subcommand -a calls -d 'who rings, for how long still; who is spoken to, for how long; which calls were missed'
complete -c belfry -n __fish_use_subcommand -a alerts -d 'the last alerts, with their whole text'
complete -c belfry -n __fish_use_subcommand -a directory -d 'who may not call, and who is calling: your own list, and apps\' call directory extensions'
complete -c belfry -n __fish_use_subcommand -a watch -d 'who rings, live, and how each call ends'
complete -c belfry -n __fish_use_subcommand -a group -d 'read and change the shared file of the app group'
complete -c belfry -n __fish_use_subcommand -a config -d 'the settings in force and where each came from; check a file'
complete -c belfry -n __fish_use_subcommand -a status -d 'how things stand, on one screen: socket, calls, missed calls, rejections, sound, do-not-disturb'
complete -c belfry -n __fish_use_subcommand -a doctor -d 'what works here, and how to mend the rest'
complete -c belfry -n __fish_use_subcommand -a serve -d 'serve a push socket of its own, for tests and containers, where no user manager runs'
complete -c belfry -n __fish_use_subcommand -a apns -d 'an APNs endpoint that push servers\' own clients talk to'
complete -c belfry -n __fish_use_subcommand -a device -d 'virtual devices that push servers can reach by their tokens'
complete -c belfry -n __fish_use_subcommand -a fleet -d 'machines and gateways that reach each other through brokers'
complete -c belfry -n __fish_use_subcommand -a new-extension -d 'make the package of a notification service or call directory extension'
complete -c belfry -n __fish_use_subcommand -a new-app -d 'make the package of an app that takes calls by CallKit and PushKit'
complete -c belfry -n __fish_use_subcommand -a import -d 'copy your app\'s files into the package in this folder, and say what they miss'
complete -c belfry -n __fish_use_subcommand -a pack -d 'build the package in this folder for release, and lay out NAME.appex or NAME.app'
complete -c belfry -n __fish_use_subcommand -a help -d 'what there is, or what a command does'

complete -c belfry -l socket -r -F -d 'push to this socket ($BELFRY_SOCKET)'
complete -c belfry -l group -x -d 'use this app group ([AppGroup] Name=, $BELFRY_APP_GROUP)'
complete -c belfry -l json -d 'print JSON, one object a line'
complete -c belfry -s h -l help -d 'show this help'
complete -c belfry -l version -d 'show the version'

complete -c belfry -n '__fish_seen_subcommand_from push' -l explain -d 'say what each warning means'
complete -c belfry -n '__fish_seen_subcommand_from push' -l no-follow -d 'leave as soon as the notification is accepted'
complete -c belfry -n '__fish_seen_subcommand_from push' -F
complete -c belfry -n '__fish_seen_subcommand_from call' -l name -x -d 'who calls'
complete -c belfry -n '__fish_seen_subcommand_from call' -l handle -x -d 'their number or SIP address'
complete -c belfry -n '__fish_seen_subcommand_from call' -l video -d 'it is a video call'
complete -c belfry -n '__fish_seen_subcommand_from call' -l avatar -x -d 'their picture, http or https'
complete -c belfry -n '__fish_seen_subcommand_from call' -l id -x -d 'the call\'s id, 1 to 128 bytes (a random UUID)'
complete -c belfry -n '__fish_seen_subcommand_from call' -l duration -x -d 'ring so long, from 1s, such as 10s; never longer than [Ring] Duration='
complete -c belfry -n '__fish_seen_subcommand_from call' -l no-follow -d 'leave as soon as the notification is accepted'
complete -c belfry -n '__fish_seen_subcommand_from hangup' -l reason -x -a 'cancelled answered-elsewhere declined-elsewhere busy failed' -d 'cancelled, answered-elsewhere, declined-elsewhere, busy, failed'
complete -c belfry -n '__fish_seen_subcommand_from hangup' -l no-follow -d 'leave as soon as the notification is accepted'
complete -c belfry -n '__fish_seen_subcommand_from hangup' -a '(__belfry_ids)'
complete -c belfry -n '__fish_seen_subcommand_from answer' -a '(__belfry_ids)'
complete -c belfry -n '__fish_seen_subcommand_from decline' -a '(__belfry_ids)'
complete -c belfry -n '__fish_seen_subcommand_from silence' -a '(__belfry_ids)'
complete -c belfry -n '__fish_seen_subcommand_from end hold mute merge split' -a '(__belfry_going)'
complete -c belfry -n '__fish_seen_subcommand_from keypad; and __belfry_has_digits' -a '(__belfry_going)'
complete -c belfry -n '__fish_seen_subcommand_from hold' -l off -d 'go on with it'
complete -c belfry -n '__fish_seen_subcommand_from mute' -l off -d 'be heard again'
complete -c belfry -n '__fish_seen_subcommand_from answer' -l pid -x -d 'the process in which the call goes on'
complete -c belfry -n '__fish_seen_subcommand_from app' -l pid -x -d 'the app\'s process (foreground, busy)'
complete -c belfry -n '__fish_seen_subcommand_from app' -l collect -d 'take the answers out (pending)'
complete -c belfry -n '__fish_seen_subcommand_from app' -a 'foreground background busy pending list start stop'
complete -c belfry -n '__fish_seen_subcommand_from calls' -l missed -d 'show the calls that were missed instead'
complete -c belfry -n '__fish_seen_subcommand_from calls' -l clear-missed -d 'take missed calls off that list'
complete -c belfry -n '__fish_seen_subcommand_from calls; and __fish_contains_opt clear-missed' -a '(__belfry_ids --missed)'
complete -c belfry -n '__fish_seen_subcommand_from alerts' -l clear -d 'forget all'
complete -c belfry -n '__fish_seen_subcommand_from directory' -l blocked -d 'take off what is blocked, and keep labels (clear)'
complete -c belfry -n '__fish_seen_subcommand_from directory' -l labels -d 'take off labels, and keep what is blocked (clear)'
complete -c belfry -n '__fish_seen_subcommand_from directory; and not __belfry_has_directory_word' -a 'block label remove clear list lookup import export enable disable order reload status'
complete -c belfry -n __belfry_wants_extension -a '(__belfry_extensions)'
complete -c belfry -n '__fish_seen_subcommand_from directory; and __fish_seen_subcommand_from reload' -a contacts
complete -c belfry -n '__fish_seen_subcommand_from directory; and __fish_seen_subcommand_from import' -F
complete -c belfry -n '__fish_seen_subcommand_from watch' -l pushes -d 'what is pushed, and what becomes of it'
complete -c belfry -n '__fish_seen_subcommand_from watch' -l id -x -d 'of one push alone'
complete -c belfry -n '__fish_seen_subcommand_from watch' -l device -x -d 'of one virtual device alone'
complete -c belfry -n '__fish_seen_subcommand_from watch' -l explain -d 'say what each warning means, and what to do about it'
complete -c belfry -n '__fish_seen_subcommand_from group; and not __belfry_wants_key' -a 'list get set remove watch'
complete -c belfry -n '__fish_seen_subcommand_from group; and __belfry_wants_key' -a '(__belfry_keys)'
complete -c belfry -n '__fish_seen_subcommand_from config' -a 'check'
complete -c belfry -n '__fish_seen_subcommand_from doctor' -l play -d 'play the ring once, to see that it is heard'
complete -c belfry -n '__fish_seen_subcommand_from doctor' -l ring -d 'ring for two seconds, to see what is heard, seen and felt'
complete -c belfry -n '__fish_seen_subcommand_from serve' -l apns -d 'serve an APNs endpoint too, with a device and credentials of its own'
complete -c belfry -n '__fish_seen_subcommand_from serve' -l fleet -r -F -d 'join a fleet by the credential in FILE, with a device of its own'
complete -c belfry -n '__fish_seen_subcommand_from serve' -l bundle-id -x -d 'the app that the device is for'
complete -c belfry -n '__fish_seen_subcommand_from serve' -l log -r -F -d 'append what workers write to FILE, not to standard error or the journal'
complete -c belfry -n '__fish_seen_subcommand_from serve' -l record -r -F -d 'write what arrives to it, a JSON line each'
complete -c belfry -n '__fish_seen_subcommand_from apns' -a 'setup list key certificate credentials revoke log watch fail goaway'
complete -c belfry -n '__fish_seen_subcommand_from device' -a 'add list remove offline online'
complete -c belfry -n '__fish_seen_subcommand_from fleet' -a 'setup enroll revoke remove join leave status list restore'
complete -c belfry -n '__fish_seen_subcommand_from fleet; and __fish_seen_subcommand_from join' -F
complete -c belfry -n '__fish_seen_subcommand_from new-extension' -l directory -d 'make a call directory extension'
complete -c belfry -n '__fish_seen_subcommand_from new-extension' -l belfry -r -F -d 'build on the package of Belfry there, rather than on the installed one'
complete -c belfry -n '__fish_seen_subcommand_from new-extension' -F
complete -c belfry -n '__fish_seen_subcommand_from new-app' -l belfry -r -F -d 'build on the package of Belfry there, rather than on the installed one'
complete -c belfry -n '__fish_seen_subcommand_from new-app' -F
complete -c belfry -n '__fish_seen_subcommand_from import' -l verbose -d 'show what the compiler says, too'
complete -c belfry -n '__fish_seen_subcommand_from import' -F
complete -c belfry -n '__fish_seen_subcommand_from pack' -l into -r -F -d 'put the extension into PlugIns of the app in that folder, NAME.app'
complete -c belfry -n '__fish_seen_subcommand_from help' -a 'push call hangup answer decline silence end hold mute keypad merge split app calls alerts directory watch group config status doctor serve apns device fleet new-extension new-app import pack help'
