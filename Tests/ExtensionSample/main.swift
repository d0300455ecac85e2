// An extension that does what its notification tells it, for tests that play the host.
import ExtensionProcess
import UserNotifications

ExtensionProcess.run(SampleService())
