package import CallChannel

/// What hears the words of `belfry-calls` in an app: each of Apple's modules that has to do with calls has one. Its
/// methods are called by the door's thread, one at a time.
package protocol AppListener: AnyObject, Sendable {
    /// `belfry-calls` said something.
    func heard(_ word: AppWord)
    /// `belfry-calls` is gone; whether it had let this app in. Answers to what was said before do not come.
    func lost(wasWelcome: Bool)
    /// The app under test is over, and its objects are gone but for those that the whole process keeps. Called by the
    /// test's thread.
    func left()
}
