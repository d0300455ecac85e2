/// How the program ends: the sysexits(3) that README lists.
enum ProgramStatus: Int32, CaseIterable, Sendable {
    /// It did what was asked.
    case done = 0
    /// The command line is wrong.
    case usage = 64
    /// The notification, or the file that was to be one, is bad.
    case badNotification = 65
    /// There is no such call, or no such key.
    case noSuchCall = 66
    /// There is no socket to push to, or the machine cannot ring.
    case unavailable = 69
    /// A defect of ours: something came that Belfry never sends.
    case defect = 70
    /// The connection ended before the notification was delivered.
    case endedEarly = 75
    /// The configuration that was to be checked has mistakes.
    case badConfiguration = 78
}
