import BelfrySettings

extension Setting {
    /// What it is, as docs/configuration.md says it.
    var meaning: String {
        switch self {
        case .ringDuration:
            "how long a call rings, from `1s`; never past the budget"
        case .ringInterval:
            "from one tick to the next, `200ms` to `10s`"
        case .ringSound:
            "the name of an installed sound (64 bytes at most) or of the sound theme, the absolute path of a "
                + "WAVE or Ogg file, or `none`"
        case .ringVibrate:
            "whether a loud ring is felt, where `belfry-desktop.socket` is enabled and something vibrates"
        case .vibratePattern:
            "for how long it vibrates and rests in turn, over and over: 2 to 16 durations from `10ms` to "
                + "`10s`"
        case .quietHours:
            "when calls ring without sound and do not vibrate, by local time, such as `22:00-07:00 "
                + "13:00-14:30`; such a call is shown, answered and missed as ever, and a critical one is heard"
        case .allowRepeated:
            "how soon after a call of the same `handle` another one is heard all the same, `0` (never) to "
                + "`10min`"
        case .doNotDisturb:
            "what do-not-disturb does: `mute` has calls ring without sound, `ignore` nothing. dunst's pause, "
                + "Plasma's, GNOME's, Phosh's and Xfce's setting and feedbackd's profile count, where "
                + "`belfry-desktop.socket` is enabled"
        case .secondCall:
            "how a call rings while another one rings: `soft` (quieter), `silent`, `loud`"
        case .maxCalls:
            "how many calls of one app group may ring at once, `1` to `200`; above that a call request is "
                + "`rejected: Busy`, a hangup never is"
        case .expiryBudget:
            "the time for one notification, `1s` to `120s`; iOS gives 30 s"
        case .extensionPath:
            "an extension of your own, the absolute path of its folder `NAME.appex`: what the extension may "
                + "change goes to it instead of the built-in service; one that is none is passed over with "
                + "`warning: configuration`"
        case .extensionStrict:
            "`yes` hands notifications to such an extension one after the other, in the order in which they "
                + "came, each once the one before has its delivery, as iOS does; needs `belfry-extension.socket`"
        case .extensionReuse:
            "`yes` keeps its process for further notifications, each of which has an object of its own and "
                + "its turn as with `Strict=`; needs `belfry-extension.socket`"
        case .enforceMemory:
            "`yes` kills such an extension at the 24 MB that iOS gives; `no` only warns"
        case .avatarTimeout:
            "how long a call's delivery waits for the caller's picture, `0` (no pictures) to `25s`"
        case .avatarMaxBytes:
            "the most bytes of a picture, `1K` to `10M`"
        case .avatarAllow:
            "host names, addresses or CIDR blocks that pictures may also be fetched from, even if they are "
                + "private or on other ports"
        case .avatarFrom:
            "the only hosts that pictures may come from"
        case .appGroupName:
            "the app group of a push that names none"
        case .answerLifetime:
            "how long an answer waits for an app that did not run, `1s` to `1h`; it never outlives a reboot"
        case .apnsEnvironment:
            "what a push server means that asks the APNs endpoint for another name than Apple's: "
                + "`production` or `development`"
        case .apnsFirstStreams:
            "how many requests a push server's connection may have at once before a credential was good, "
                + "`1` to `1000`"
        case .desktopNotify:
            "whether `belfry-desktop` shows calls: `auto` starts a notification server only if the manager's "
                + "environment has a display, `yes` in any case, `no` shows nothing"
        case .onAnswer:
            "what is run when a call was answered, wherever: a unit, or the absolute path of a program with "
                + "arguments between spaces, as a transient unit with variables"
        case .onDecline:
            "the same for a call that was declined"
        case .onMissed:
            "the same for a call that was missed"
        case .onCallBack:
            "the same when a person calls back who was missed; without it a missed call has no such button"
        }
    }
}
