import ExtensionProcess

ExtensionProcess.run(NotificationService())
