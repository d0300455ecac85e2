import Foundation
import PackagePlugin

/// Has a file made in the module of an extension: see the room `BelfryGlueFile`.
@main
struct ExtensionGlue: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target as? any SourceModuleTarget else { return [] }
        // A bridging header is no source of a Swift module, so that the package does not list it.
        let all = FileManager.default.enumerator(at: module.directoryURL, includingPropertiesForKeys: nil)
        let headers = (all?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "h" }
        let files = module.sourceFiles(withSuffix: "swift").map(\.url) + headers.sorted { $0.path < $1.path }
        let glue = context.pluginWorkDirectoryURL.appending(path: "BelfryGlue.swift")
        return [
            .buildCommand(
                displayName: "Writing \(glue.lastPathComponent) for \(target.name)",
                executable: try context.tool(named: "belfry-glue").url, arguments: [glue.path] + files.map(\.path),
                inputFiles: files, outputFiles: [glue])
        ]
    }
}
