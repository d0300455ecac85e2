import BelfryAppDoor
import BelfryTerms
import CallChannel
import CallKit
import Foundation
import Support
import Testing
import UIKit

/// The icon of a provider, as it goes to the desktop.
@Suite(.timeLimit(.minutes(10))) struct IconTests {
    @Test("a small PNG picture is said, without what is not pixels; anything else is told, and is no icon")
    func icons() async throws {
        let app = try PlayedApp()
        defer { app.end() }
        let image = UIGraphicsImageRenderer(size: CGSize(width: 40, height: 40)).image { context in
            UIColor.white.setFill()
            context.fill(CGRect(x: 0, y: 0, width: 20, height: 40))
        }
        let picture = try #require(image.pngData())
        let provider = app.door.run { () -> CXProvider in
            let configuration = CXProviderConfiguration()
            configuration.iconTemplateImageData = picture
            return CXProvider(configuration: configuration)
        }
        let said = await app.centre.welcome(after: 2)
        let icon = said.compactMap { if case .provider(let settings) = $0 { settings.icon } else { nil } }.first
        #expect(icon?.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)
        #expect(UIImage(data: Data(icon ?? []))?.size == UIImage(data: picture)?.size)
        app.door.run {
            let configuration = CXProviderConfiguration()
            configuration.iconTemplateImageData = Data("no picture".utf8)
            configuration.maximumCallGroups = 1
            provider.configuration = configuration
        }
        let warning = await app.centre.first {
            if case .warning(let code, let detail) = $0 { (code, detail) } else { nil }
        }
        #expect(warning?.0 == CodeWord(.unsupported) && warning?.1.contains("iconTemplateImageData") == true)
        let next = await app.centre.first { if case .provider(let settings) = $0 { settings } else { nil } }
        #expect(next?.icon == [] && next?.maximumCallGroups == 1)
    }
}
