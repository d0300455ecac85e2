import Foundation
import PackagePlugin

/// Has a file made in the module of an extension: see the room `BelfryGlueFile`.
@main
struct ExtensionGlue: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target as? any SourceModuleTarget else { return [] }
        let files = module.sourceFiles.map(\.url).filter { ["swift", "h"].contains($0.pathExtension) }
        let glue = context.pluginWorkDirectoryURL.appending(path: "BelfryGlue.swift")
        return [
            .buildCommand(
                displayName: "Writing \(glue.lastPathComponent) for \(target.name)",
                executable: try context.tool(named: "belfry-glue").url, arguments: [glue.path] + files.map(\.path),
                inputFiles: files, outputFiles: [glue])
        ]
    }
}
