import Glibc
import Support

/// The package of `Tests/ExtensionSample` in `folder`, as `[Extension] Path=` names it; its path.
func sampleExtension(in folder: TemporaryFolder) -> String {
    let path = folder.makeFolder("Sample.appex")
    let keys = "<key>CFBundleIdentifier</key><string>com.example.sample</string>"
    folder.write(Array("<plist version=\"1.0\"><dict>\(keys)</dict></plist>".utf8), to: "Sample.appex/Info.plist")
    unsafe symlink(builtProgram("ExtensionSample"), "\(path)/Sample")
    return path
}
