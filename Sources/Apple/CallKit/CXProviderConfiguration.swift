import BelfryAppDoor
import BelfryAppleGround
import BelfryPictures
import BelfryTerms
import CallChannel
public import Foundation

/// What an app's calls can. Source: Apple, `CXProviderConfiguration`, defaults too.
open class CXProviderConfiguration: NSObject, NSCopying, @unchecked Sendable {
    private var name: String?
    /// The sound file in the bundle that rings; nil for the system's.
    open var ringtoneSound: String?
    /// A picture of the app, as PNG, of which only the alpha counts.
    open var iconTemplateImageData: Data?
    /// How many groups of calls there may be.
    open var maximumCallGroups = 2
    /// How many calls a group may have.
    open var maximumCallsPerCallGroup = 5
    /// Whether calls are listed among recent ones.
    open var includesCallsInRecents = true
    /// Whether calls may have video.
    open var supportsVideo = false
    /// Which kinds of handles can be called.
    open var supportedHandleTypes: Set<CXHandle.HandleType> = []
    /// Whether calls can be translated.
    open var supportsAudioTranslation = false

    /// Apple's defaults.
    public override init() { super.init() }

    /// Apple's defaults, and a name for people.
    @available(*, deprecated, message: "use init(): the name is the app's")
    public init(localizedName: String) {
        name = localizedName
        super.init()
    }

    /// The app's name for people; that of its bundle, unless it was assigned, which Apple's does not allow any more.
    open var localizedName: String? {
        get { name ?? KeeperDoor.bundle.object(forInfoDictionaryKey: "CFBundleDisplayName") as? String }
        set {
            name = newValue
            AppDoor.current.warn(
                .localizedNameAssigned,
                "localizedName was assigned: in today's SDK it can only be read, so that it does not compile. Set "
                    + "CFBundleDisplayName in Info.plist")
        }
    }

    /// Another configuration that says the same.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = CXProviderConfiguration()
        copy.name = name
        (copy.ringtoneSound, copy.iconTemplateImageData) = (ringtoneSound, iconTemplateImageData)
        copy.maximumCallGroups = maximumCallGroups
        copy.maximumCallsPerCallGroup = maximumCallsPerCallGroup
        (copy.includesCallsInRecents, copy.supportsVideo) = (includesCallsInRecents, supportsVideo)
        copy.supportedHandleTypes = supportedHandleTypes
        copy.supportsAudioTranslation = supportsAudioTranslation
        return copy
    }

    /// What the system has to know.
    var value: ProviderSettings {
        var value = ProviderSettings()
        value.localizedName = name
        value.ringtoneSound = ringtoneSound
        value.icon = icon
        value.maximumCallGroups = Int64(maximumCallGroups)
        value.maximumCallsPerCallGroup = Int64(maximumCallsPerCallGroup)
        value.includesCallsInRecents = includesCallsInRecents
        value.supportsVideo = supportsVideo
        value.supportedHandleTypes = Set(
            supportedHandleTypes.compactMap { CallHandle.Kind(rawValue: Int64($0.rawValue)) })
        return value
    }

    /// The icon as the desktop takes it.
    private var icon: [UInt8] {
        guard let data = iconTemplateImageData, !data.isEmpty else { return [] }
        let plain = KeptPicture.plain([UInt8](data))
        if plain.count <= CallLimits.iconBytesMax, KeptPicture(plain) != nil { return plain }
        AppDoor.current.warn(
            .unsupported,
            "iconTemplateImageData is shown if it is a PNG picture of RGB or RGBA with 8 bits, of at most "
                + "\(FetchLimits.writtenSideMax) pixels a side and \(CallLimits.iconBytesMax) bytes")
        return []
    }
}
