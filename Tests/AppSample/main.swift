import UIKit

switch CommandLine.arguments.last {
case "main": AppDelegate.main()
case "named": UIApplicationMain(CommandLine.argc, CommandLine.unsafeArgv, nil, NSStringFromClass(AppDelegate.self))
case "unnamed": UIApplicationMain(CommandLine.argc, CommandLine.unsafeArgv, nil, "Nobody")
case _ where Bundle.main.object(forInfoDictionaryKey: "TakesCalls") != nil: UIApplication.run(CallingDelegate())
default: UIApplication.run(AppDelegate())
}
